"""The view of noisy class means, in the encoding of their bounds."""

import math

import numpy as np
import pytest

from tacit.audit.attacks.kinds.class_means import row_norm_of, target
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.class_moments.features import sums_mechanism
from tacit.models.class_moments.nearest_mean import PrivateNearestMean

SCHEMA = Schema((Numeric("age", (0, 100)), Categorical("kind", ("a", "b")), Label("ill", ("no", "yes"))))
ROWS = np.array([[0.5, 1, 0], [0.25, 0, 1], [0.75, 1, 0], [1.0, 0, 1]])
NAMES = ["no", "no", "yes", "yes"]


def test_means_of_a_table_in_its_own_units_are_placed_by_their_bounds() -> None:
    raw = ROWS * [100, 1, 1]
    model = PrivateNearestMean(100.0, bounds=([0, 0, 0], [200, 1, 1]), classes=["no", "yes"], random_state=0)
    attacked = target(model.fit(raw, NAMES).release(), SCHEMA, None)
    np.testing.assert_allclose(attacked.view.embed(ROWS), raw / [200, 1, 1])
    again = attacked.simulate(ROWS, np.array([0, 0, 1, 1]), 0)
    np.testing.assert_allclose(again.rows, attacked.view.rows)


def test_means_of_encoded_rows_are_where_they_are() -> None:
    model = PrivateNearestMean(100.0, bounds=(0, 1), classes=["no", "yes"], random_state=0)
    attacked = target(model.fit(ROWS, NAMES).release(), SCHEMA, None)
    assert attacked.view.embed(ROWS) is ROWS
    assert attacked.view.labels.tolist() == [0, 1]


@pytest.mark.parametrize("norm", [0.3, 1.0, math.sqrt(2), 1.9999, 2.0, 28.0])
def test_the_row_norm_comes_back_from_the_sensitivity(norm: float) -> None:
    mechanism = sums_mechanism(1.0, 1e-6, row_norm=norm, n_features=3)
    assert row_norm_of(mechanism.sensitivity) == pytest.approx(norm, rel=1e-9)


def test_a_sensitivity_that_no_row_norm_gives_is_refused() -> None:
    with pytest.raises(InputError, match="no row norm belongs to a sensitivity of"):
        row_norm_of(math.sqrt(4.6))  # norms below 2 give less, those from 2 on give sqrt(5) at least


def test_classes_that_the_schema_lacks_are_refused() -> None:
    model = PrivateNearestMean(1.0, bounds=(0, 1), classes=["no", "yes"], random_state=0).fit(ROWS, NAMES)
    renamed = Schema((*SCHEMA.features, Label("ill", ("well", "ill"))))
    with pytest.raises(InputError, match="it lacks 'no'"):
        target(model.release(), renamed, None)
