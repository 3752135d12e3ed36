"""The mixture of independent columns: a loop's shares without noise, one class's with much."""

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, measured, people

from tacit.data.rows.encoding import encode
from tacit.models.marginals.independent import independent_mixture
from tacit.models.marginals.model import fitted_model
from tacit.models.marginals.tables import CoarseCounts

COUNTS = np.array([[30.0, 10.0, 5.0, 15.0, 20.0], [10.0, 50.0, 30.0, 20.0, 10.0]])
OFFSETS = np.array([0, 2, 5])


def mixture_with(variance: float) -> np.ndarray:
    coarse = CoarseCounts(COUNTS, np.full(5, variance), np.array([40.0, 60.0]))
    mixture = independent_mixture(coarse, OFFSETS)
    assert mixture.weights == pytest.approx(np.diag([0.4, 0.6]))
    return mixture.shares


def test_without_noise_each_class_has_its_own_shares() -> None:
    expected = [[30 / 40, 10 / 40, 5 / 40, 15 / 40, 20 / 40], [10 / 60, 50 / 60, 30 / 60, 20 / 60, 10 / 60]]
    assert mixture_with(1e-9) == pytest.approx(np.array(expected), abs=1e-5)


def test_what_noise_explains_is_no_difference_between_classes() -> None:
    common = [0.4, 0.6, 0.35, 0.35, 0.3]
    assert mixture_with(1e6) == pytest.approx(np.array([common, common]), abs=1e-5)


def test_rows_of_few_private_ones_are_drawn_and_tell_classes_apart() -> None:
    rows = encode(people(150), SCHEMA)
    measurement = measured(rows.X, rows.y, SCHEMA, epsilon=1.0)
    assert measurement.pairs == ()
    places, classes = fitted_model(measurement, random_state=0).places(400, random_state=0)
    age = places[:, 0]
    assert age[classes == 1].mean() > age[classes == 0].mean()
