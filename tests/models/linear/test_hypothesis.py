"""Released weights in a receiver's columns."""

from dataclasses import replace

import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis import (
    UNLIKE,
    LinearHypothesis,
    PriorWeights,
    combined_prior,
    no_prior,
    place_by_schema,
    place_columns,
    trust,
)
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.regularization import VARIANCE

OWNER = Schema((Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes"))))
OURS = Schema(
    (
        Categorical("sex", ("m", "f")),
        Numeric("pulse", (0, 200)),
        Numeric("age", (0, 50)),
        Label("ill", ("yes", "no", "unknown")),
    )
)
HALVES = FeatureSplit(((0, 1), (2,)), (2.0, 1.0))


def test_weights_count_by_the_share_of_their_length_that_is_no_noise() -> None:
    share, left = trust(2.0, 10, 1.0)
    assert share == pytest.approx(3 / 4)
    about = (1 + (UNLIKE * 2) ** 2) / 10
    assert left == pytest.approx(min(3 / 4 * about / VARIANCE + 1 / 4, 1))
    assert trust(0.2, 10, 0.05)[1] == pytest.approx(0.9375 * (0.0025 + (UNLIKE * 0.2) ** 2) / 10 / VARIANCE + 0.0625)


@pytest.mark.parametrize("noise", [1.0, 1.5, np.inf])
@pytest.mark.parametrize("length", [0.0, 1.0])
def test_weights_that_are_noise_or_nothing_leave_all_open(length: float, noise: float) -> None:
    assert trust(length, 3, noise) == (0.0, 1.0)


def test_less_noise_is_trusted_more() -> None:
    shares, lefts = zip(*(trust(0.5, 8, noise) for noise in np.linspace(0.01, 0.49, 20)), strict=True)
    assert (np.diff(shares) < 0).all()
    assert (np.diff(lefts) >= 0).all()
    assert 0 < lefts[0] < 0.5
    assert lefts[-1] == 1


def test_the_length_of_several_problems_is_the_root_of_the_mean_square() -> None:
    prior = PriorWeights(HALVES, np.array([[3.0, 4.0, 1.0], [0.0, 5.0, 7.0]]), np.array([1.0, np.inf]))
    assert prior.length(0) == pytest.approx(5.0)
    assert prior.length(1) == pytest.approx(5.0)
    assert prior.trust(0) == trust(5.0, 2, 1.0)
    assert prior.trust(1) == (0.0, 1.0)


def test_weights_are_placed_by_the_names_of_columns_and_classes() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(200), np.eye(2)[rng.integers(0, 2, 200)]])
    handed = FeatureSplitClassifier(5.0, schema=OWNER, random_state=0).fit(X, (X[:, 0] > 0.5).astype(int)).release()
    age, female, male = handed.arrays["weights"][0]
    placed = place_by_schema(handed, OURS)
    # Half the range: one unit of ours is half of theirs.
    assert placed.weights[0] == pytest.approx([male, female, 0, age / 2])
    assert placed.weights[1] == pytest.approx([-male, -female, 0, -age / 2])
    assert set(placed.weights) == {0, 1}
    assert placed.split.positions == ((0, 1, 3), (2,))
    assert placed.split.shares == pytest.approx((3 / 4, 1 / 4))
    assert placed.noise[1] == np.inf
    strange = Schema((Numeric("height", (0, 1)), Label("ill", ("no", "yes"))))
    with pytest.raises(InputError, match="in common"):
        place_by_schema(handed, strange)


def hypothesis(*weights: list[float], noise: tuple[float, float] = (0.3, 0.4)) -> LinearHypothesis:
    return LinearHypothesis(HALVES, dict(enumerate(np.array(row) for row in weights)), np.array(noise))


def test_columns_in_our_order_need_no_names() -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    release = PrivateLogisticRegression(5.0, random_state=0).fit(X, y).release()
    placed = place_columns(release)
    assert placed.note == "3 columns"
    for code in range(3):
        assert np.array_equal(placed.weights[code], release.arrays["weights"][code])
    two = place_columns(PrivateLogisticRegression(5.0, random_state=0).fit(X, y > 0).release())
    assert np.array_equal(two.weights[False], -two.weights[True])


def test_a_release_without_a_schema_or_with_other_columns_is_refused() -> None:
    X, y = np.random.default_rng(0).random((60, 3)), np.arange(60) % 2
    bare = PrivateLogisticRegression(5.0, random_state=0).fit(X, y).release()
    with pytest.raises(InputError, match="must carry a schema"):
        place_by_schema(bare, OURS)
    with pytest.raises(InputError, match="disagree about the number of columns"):
        place_by_schema(replace(bare, schema=OURS.to_dict()), OURS)


def test_one_problem_of_two_classes_is_half_the_difference() -> None:
    prior = combined_prior([hypothesis([1.0, 0.0, 2.0], [3.0, 4.0, 0.0])], [0, 1], 3)
    assert prior.weights.tolist() == [[1.0, 2.0, -1.0]]
    assert prior.noise.tolist() == pytest.approx([0.3, 0.4])
    many = combined_prior([hypothesis([1.0, 0.0, 2.0], [3.0, 4.0, 0.0])], [0, 1, 7], 3)
    assert many.weights.tolist() == [[1.0, 0.0, 2.0], [3.0, 4.0, 0.0], [0.0, 0.0, 0.0]]


def test_the_mean_of_several_has_the_noise_of_a_mean() -> None:
    first, second = hypothesis([2.0, 0, 0], [0, 2.0, 0]), hypothesis([0, 0, 4.0], [0, 0, 0], noise=(0.1, 0.2))
    prior = combined_prior([first, second], [0, 1, 2], 3)
    assert prior.weights.tolist() == [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    assert prior.noise == pytest.approx(np.sqrt([0.3**2 + 0.1**2, 0.4**2 + 0.2**2]) / 2)


def test_groups_of_another_split_have_its_largest_noise() -> None:
    whole = LinearHypothesis(FeatureSplit.whole(3), {0: np.ones(3)}, np.array([0.5]))
    prior = combined_prior([hypothesis([1.0, 0, 0]), whole], [0, 1, 2], 3)
    assert prior.split == HALVES
    assert prior.noise == pytest.approx(np.sqrt([0.3**2 + 0.5**2, 0.4**2 + 0.5**2]) / 2)


def test_weights_of_other_columns_or_classes_are_refused() -> None:
    with pytest.raises(InputError, match="X must have the 3 columns"):
        combined_prior([hypothesis([1.0, 0, 0], [0, 0, 1.0])], [0, 1], 4)
    with pytest.raises(InputError, match="must know one of the classes"):
        combined_prior([hypothesis([1.0, 0, 0])], ["a", "b"], 3)
    with pytest.raises(InputError, match="columns below 2"):
        combined_prior([hypothesis([1.0, 0, 0])], [0, 1], 2)


def test_no_prior_is_zero_with_infinite_noise() -> None:
    prior = no_prior(HALVES, 3, 4)
    assert prior.weights.shape == (4, 3)
    assert not prior.weights.any()
    assert np.isinf(prior.noise).all()
    with pytest.raises(InputError, match="columns below 2"):
        no_prior(HALVES, 2, 2)
