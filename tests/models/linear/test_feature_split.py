import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.linear.feature_split import FeatureSplit


def test_random_groups_hold_every_column_once_and_repeat_by_seed() -> None:
    split = FeatureSplit.random(13, 5, 3)
    assert sorted(place for group in split.positions for place in group) == list(range(13))
    assert {len(group) for group in split.positions} == {2, 3}
    assert split == FeatureSplit.random(13, 5, 3)
    assert split != FeatureSplit.random(13, 5, 4)
    assert sum(split.shares) == pytest.approx(1)


def test_the_most_important_columns_come_first_and_get_the_larger_share() -> None:
    split = FeatureSplit.by_importance([1, 8, 0, 4, 2, 1], 3)
    assert split.positions == ((1, 3), (0, 4), (2, 5))
    assert split.shares == pytest.approx((12 / 16, 3 / 16, 1 / 16))


def test_a_group_without_importance_is_paid_for_all_the_same() -> None:
    split = FeatureSplit.by_importance([1.0, 1.0, 0.0, 0.0], 2)
    assert split.shares[1] == pytest.approx(0.005 / 1.005)


def test_groups_of_a_schema_keep_categories_together() -> None:
    schema = Schema(
        (
            Numeric("age", (0, 1), group="who"),
            Categorical("kind", ("a", "b", "c"), group="what"),
            Numeric("dose", (0, 1)),
            Label("ill", ("no", "yes")),
        )
    )
    split = FeatureSplit.by_schema(schema)
    assert set(split.positions) == {(0,), (1, 2, 3), (4,)}
    assert dict(zip(split.positions, split.shares, strict=True))[1, 2, 3] == pytest.approx(3 / 5)


def test_public_weights_follow_the_inverse_variance_of_the_noise() -> None:
    split = FeatureSplit(((0, 1), (2,)), (0.25, 0.75))
    raw = np.array([0.25**2 / 2, 0.75**2])
    assert split.weights == pytest.approx(raw / raw.sum())


@pytest.mark.parametrize(
    ("positions", "shares"),
    [((), ()), (((0,), ()), (1, 1)), (((0, 1), (1,)), (1, 1)), (((0,),), (0,)), (((0,),), (1, 1)), (((-1,),), (1,))],
)
def test_malformed_splits_are_refused(positions: tuple[tuple[int, ...], ...], shares: tuple[float, ...]) -> None:
    with pytest.raises(InputError):
        FeatureSplit(positions, shares)


def test_more_groups_than_columns_and_columns_that_are_not_there_are_refused() -> None:
    with pytest.raises(InputError, match="n_groups"):
        FeatureSplit.random(3, 4)
    with pytest.raises(InputError, match="column 3"):
        FeatureSplit(((0, 3),), (1.0,)).require(3)
    with pytest.raises(InputError, match="importance"):
        FeatureSplit.by_importance([0.0, 0.0], 1)
