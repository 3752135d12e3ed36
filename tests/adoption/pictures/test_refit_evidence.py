import numpy as np

from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.refit_evidence import refit_predictions
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS


def test_each_label_is_predicted_once_by_a_model_without_it() -> None:
    codes = np.where(np.arange(40) % 2 == 0, np.arange(40) % 4 // 2, -1)
    seen: list[int] = []

    def refit(rest: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        assert (rest[held_out] == -1).all()
        kept = np.flatnonzero(rest != -1)
        assert set(kept) | set(held_out) == set(np.flatnonzero(codes != -1))
        seen.extend(held_out)
        return np.stack([held_out, -held_out])

    found = refit_predictions(refit, codes, seed=0)
    assert sorted(seen) == np.flatnonzero(codes != -1).tolist()
    assert found is not None
    assert found.tolist() == [np.flatnonzero(codes != -1).tolist(), (-np.flatnonzero(codes != -1)).tolist()]


def test_labels_that_leave_one_class_give_no_evidence() -> None:
    codes = np.array([0, 1, -1, -1])
    assert refit_predictions(lambda *_: np.zeros((1, 1), dtype=int), codes, seed=0) is None


def test_random_labels_give_chance() -> None:
    """Forty small tables whose labels are coins: the mean accuracy lies within two standard errors of a half."""
    schema = Schema((*(Numeric(f"x{k}", (0, 1)) for k in range(3)), Label("label", ("a", "b"))))
    owner = np.random.RandomState(0)
    y = owner.randint(2, size=300)
    X = np.clip(0.4 + 0.2 * y[:, None] + 0.1 * owner.normal(size=(300, 3)), 0, 1)
    release = CLASS_MOMENTS.release(X, y, schema, unit="record", epsilon=2.0, delta=1e-6, random_state=0)
    shares = []
    for draw in range(40):
        random = np.random.RandomState(draw)
        codes = np.full(30, -1)
        codes[:20] = random.permutation(np.repeat([0, 1], 10))
        evidence = (
            TransferClassifier([release], schema=schema, random_state=draw).fit(random.rand(30, 3), codes).evidence_
        )
        truth = np.array(evidence.truth)
        shares.append([(np.array(found) == truth).mean() for found in (evidence.target_only, evidence.adopted)])
    error = np.std(shares, axis=0) / np.sqrt(40)
    assert (np.abs(np.mean(shares, axis=0) - 0.5) < 2 * error).all()
