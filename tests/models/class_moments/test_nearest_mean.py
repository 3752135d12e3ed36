import math
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from tacit import Budget
from tacit.errors import BudgetExceededError, InputError
from tacit.models.bounded_rows import clip_rows
from tacit.models.class_moments.features import class_sums, count_weight, sums_mechanism
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.privacy.ledger import Ledger


def test_class_sums_equal_a_loop() -> None:
    rng = np.random.default_rng(0)
    X, codes = rng.random((50, 3)), rng.integers(0, 4, 50)
    sums, counts = class_sums(X, codes, 5)
    for c in range(5):
        assert np.allclose(sums[c], X[codes == c].sum(axis=0))
        assert counts[c] == (codes == c).sum()


def test_one_row_moves_the_query_by_no_more_than_declared_even_after_rounding() -> None:
    """Sums of clipped rows are exact in doubles, so the declared sensitivity holds to the last bit."""
    rng = np.random.default_rng(1)
    row_norm, p = 1.7, 9
    mechanism = sums_mechanism(1.0, 1e-6, row_norm=row_norm, n_features=p)
    for _ in range(200):
        rows = clip_rows(rng.random((rng.integers(1, 400), p)) * 10.0 ** rng.integers(-3, 3), row_norm)
        codes = rng.integers(0, 2, len(rows))
        full, fewer = class_sums(rows, codes, 2), class_sums(rows[:-1], codes[:-1], 2)
        weight = count_weight(row_norm)
        queries = [np.column_stack([sums, weight * counts]) for sums, counts in (full, fewer)]
        assert mechanism.distance(*queries) <= mechanism.sensitivity


def test_it_learns_digits_at_a_modest_budget() -> None:
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = PrivateNearestMean(2.0, bounds=(0, 16), row_norm=4.0, classes=range(10), random_state=0)
    assert model.fit(X_train, y_train).score(X_test, y_test) > 0.8


def test_more_noise_makes_it_worse() -> None:
    X, y = load_digits(return_X_y=True)
    scores = [
        np.mean([PrivateNearestMean(e, bounds=(0, 16), random_state=s).fit(X, y).score(X, y) for s in range(5)])
        for e in (0.05, 5.0)
    ]
    assert scores[0] < scores[1] - 0.2


def test_a_refused_charge_leaves_no_model_behind(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "t.ledger", Budget(1.2, 1e-6, unit="record"))
    X, y = load_digits(return_X_y=True)
    PrivateNearestMean(1.0, bounds=(0, 16), ledger=ledger).fit(X, y)
    second = PrivateNearestMean(1.0, bounds=(0, 16), ledger=ledger)
    with pytest.raises(BudgetExceededError):
        second.fit(X, y)
    assert not hasattr(second, "means_")
    assert len(ledger.lines()) == 1


@pytest.mark.parametrize("bounds", [(1, 0), (0, np.inf), (0,), "ab", ([0, 0], [1, 1])])
def test_bounds_that_are_none_are_refused(bounds: object) -> None:
    X, y = load_digits(return_X_y=True)
    with pytest.raises(InputError, match="bounds"):
        PrivateNearestMean(1.0, bounds=bounds).fit(X, y)  # type: ignore[arg-type]


def test_labels_outside_the_declared_classes_are_refused() -> None:
    with pytest.raises(InputError, match="classes"):
        PrivateNearestMean(1.0, bounds=(0, 1), classes=["a", "b"]).fit([[0.0], [1.0]], ["a", "c"])


def test_the_release_holds_noisy_means_and_nothing_else() -> None:
    X, y = load_digits(return_X_y=True)
    release = PrivateNearestMean(1.0, bounds=(0, 16)).fit(X, y).release()
    assert set(release.arrays) == {"means", "counts"}
    assert release.card.holds
    assert release.card.epsilon == 1.0


@pytest.mark.skipif("TACIT_DATA" not in os.environ, reason="TACIT_DATA is not set: MNIST is not at hand")
def test_mnist_at_record_epsilon_a_tenth() -> None:
    """Class sums at record epsilon 0.1 give a nearest-mean classifier of about 80 %."""
    with np.load(Path(os.environ["TACIT_DATA"]) / "mnist.npz") as file:
        X, y, X_test, y_test = (file[name] for name in ("x_train", "y_train", "x_test", "y_test"))
    rows, test = X.reshape(len(X), -1), X_test.reshape(len(X_test), -1)
    model = PrivateNearestMean(0.1, bounds=(0, 255), delta=1e-5, row_norm=10.0, classes=range(10), random_state=0)
    assert model.fit(rows, y).score(test, y_test) > 0.79
    assert math.isclose(model.card_.epsilon, 0.1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_minus_squared_distances_up_to_what_all_classes_share(n_classes: int) -> None:
    X, y = load_digits(n_class=n_classes, return_X_y=True)
    model = PrivateNearestMean(5.0, bounds=(0, 16), random_state=0).fit(X, y)
    distances = ((X[:, None] / 16 - model.means_) ** 2).sum(axis=2)
    assert np.array_equal(model.predict(X), distances.argmin(axis=1))
    decided = model.decision_function(X)
    if n_classes == 2:
        assert decided == pytest.approx(distances[:, 0] - distances[:, 1])
    else:
        assert decided[:, 1] - decided[:, 0] == pytest.approx(distances[:, 0] - distances[:, 1])


@pytest.mark.parametrize("row_norm", [0.3, 1.0, 7.9])
def test_a_count_weighs_a_power_of_two_between_a_quarter_and_half_of_a_row(row_norm: float) -> None:
    weight = count_weight(row_norm)
    assert row_norm / 4 < weight <= row_norm / 2
    assert np.log2(weight) == round(np.log2(weight))
