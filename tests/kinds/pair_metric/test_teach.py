import numpy as np
import pytest
from tests.kinds.two_hospitals import OWNER, PROMISE, STRANGER, owner_rows, receiver, receiver_rows

from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.pair_metric import KIND
from tacit.kinds.pair_metric.plan import (
    CATEGORY_SCALE,
    difference_radius,
    feature_scales,
    indicator_columns,
)
from tacit.models.pair_metric.release import metric_of_columns
from tacit.releases.file import Release


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(*owner_rows(), OWNER, **PROMISE)  # type: ignore[arg-type]


def test_two_categories_apart_count_as_one() -> None:
    scales = feature_scales(OWNER)
    assert scales.tolist() == [1.0, 1.0, CATEGORY_SCALE, CATEGORY_SCALE]
    assert indicator_columns(OWNER).tolist() == [False, False, True, True]
    assert np.isclose(np.linalg.norm(scales * [0, 0, 1, -1]), 1.0)


@pytest.mark.parametrize("norm", [1, 2])
def test_more_columns_allow_longer_differences(norm: int) -> None:
    fewer = Schema((OWNER.columns[0], OWNER.columns[3]))
    assert difference_radius(fewer, norm=norm) < difference_radius(OWNER, norm=norm)


def test_noise_is_laplace_without_a_delta_and_gaussian_with_one() -> None:
    names = [KIND.plan(OWNER, unit="pair", epsilon=1.0, delta=delta).steps[0].mechanism.name for delta in (0.0, 1e-6)]
    assert "laplace" in names[0]
    assert "gaussian" in names[1]


def test_distances_of_our_rows_are_those_of_the_same_people_in_the_owners_units(release: Release) -> None:
    metric = KIND.teach(release, receiver()).metric
    assert metric is not None
    X, _ = receiver_rows(20, seed=4)
    # The oracle: their columns, and no difference in the column that we lack.
    theirs = np.column_stack([X[:, 2] / 2, np.full(20, 0.5), X[:, 1], X[:, 0]])
    components, _ = metric_of_columns(release)

    def distances(points: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))

    assert np.allclose(distances(X @ metric.T), distances(theirs @ components.T))


def test_a_column_of_ours_alone_does_not_count(release: Release) -> None:
    metric = KIND.teach(release, receiver()).metric
    assert metric is not None
    assert not metric[:, 3].any()


def test_a_table_that_shares_nothing_is_refused(release: Release) -> None:
    with pytest.raises(InputError, match="share no column by name"):
        KIND.teach(release, receiver(STRANGER))
