import math

import numpy as np

from tacit.adoption.pictures.drifting_means import SOFTNESS, STEPS, DriftedMeans, drift_means


def blobs(seed: int = 0, apart: float = 4.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), 50)
    centres = apart * np.eye(3)
    return centres[y] + rng.normal(size=(150, 3)), y


def slow_means(F: np.ndarray, labelled: np.ndarray, codes: np.ndarray, n_classes: int) -> list[list[float]]:
    means = [F[labelled[codes == c]].mean(axis=0) for c in range(n_classes)]
    for _ in range(STEPS):
        scores = [[2 * float(x @ m) - float(m @ m) for m in means] for x in F]
        softness = SOFTNESS * float(np.median([max(row) - min(row) for row in scores]))
        shares = []
        for place, row in enumerate(scores):
            powers = [math.exp((each - max(row)) / softness) for each in row]
            shares.append([each / sum(powers) for each in powers])
            if place in labelled:
                code = codes[list(labelled).index(place)]
                shares[-1] = [float(c == code) for c in range(n_classes)]
        means = [
            sum(share[c] * x for share, x in zip(shares, F, strict=True)) / sum(share[c] for share in shares)
            for c in range(n_classes)
        ]
    return [list(mean) for mean in means]


def test_the_drift_equals_its_oracle() -> None:
    F, y = blobs(apart=2.0)
    labelled = np.array([0, 3, 60, 61, 120, 149])
    found = drift_means(F, labelled, y[labelled], 3)
    assert np.allclose(found.means, slow_means(F, labelled, y[labelled], 3), atol=1e-9)


def test_unlabelled_rows_draw_a_bad_label_home() -> None:
    F, y = blobs()
    labelled = np.array([0, 50, 100])
    F[labelled] += 1.5
    by_labels = DriftedMeans(F[labelled])(F).argmax(axis=1)
    by_drift = drift_means(F, labelled, y[labelled], 3)(F).argmax(axis=1)
    assert (by_drift == y).mean() >= (by_labels == y).mean()
    assert (by_drift == y).mean() > 0.97


def test_odd_tables_give_finite_means() -> None:
    same = np.ones((5, 2))
    labelled, codes = np.array([0, 1]), np.array([0, 1])
    assert np.isfinite(drift_means(same, labelled, codes, 3).means).all()
    assert np.isfinite(drift_means(same[:2].astype(np.float32), labelled, codes, 2).means).all()


def test_scores_order_classes_by_distance() -> None:
    F, _ = blobs()
    model = drift_means(F, np.array([0, 50, 100]), np.arange(3), 3)
    apart = ((F[:, None] - model.means) ** 2).sum(axis=2)
    assert np.array_equal(model(F).argmax(axis=1), apart.argmin(axis=1))
    assert np.allclose(model(F).sum(axis=1), 0)
