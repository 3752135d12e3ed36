import numpy as np
import pytest

from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Categorical, Label, Numeric, Target
from tacit.data.schemas.schema import Schema
from tacit.errors import SchemaError
from tacit.workflows.stand_in_figures import Simulation, alike_neighbours, commonest, explained, measure_of
from tacit.workflows.what_if import what_if

CLASSES = Schema(
    (Numeric("a", (0, 1)), Numeric("b", (0, 1)), Categorical("c", ("x", "y")), Label("ill", ("no", "yes")))
)
NUMBERS = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Target("dose", (0, 10))))
NEITHER = Schema((Numeric("a", (0, 1)),))


def classes(n_rows: int) -> Encoded:
    """Return rows of which the first column alone tells the class."""
    draw = np.random.default_rng(0)
    y = draw.integers(0, 2, n_rows)
    a = np.clip(0.3 + 0.4 * y + draw.normal(0, 0.08, n_rows), 0, 1)
    codes = np.eye(2)[draw.integers(0, 2, n_rows)]
    return Encoded(np.column_stack([a, draw.random(n_rows), codes]), y, CLASSES.encoded_names, CLASSES.classes)


def numbers(n_rows: int) -> Encoded:
    X = np.random.default_rng(1).random((n_rows, 2))
    return Encoded(X, np.full(n_rows, -1), NUMBERS.encoded_names, (), targets=10 * X[:, 0])


def test_a_table_is_measured_by_what_would_be_handed_out() -> None:
    assert measure_of(CLASSES, None).name == "accuracy"
    assert measure_of(CLASSES, "marginals").name == "accuracy"
    assert measure_of(CLASSES, "pairs").name == "neighbours"
    assert measure_of(CLASSES, None, fabricated=True).name == "trained"
    assert measure_of(NUMBERS, None).name == "explained"
    for settings in ({}, {"fabricated": True}):
        with pytest.raises(SchemaError, match="label"):
            measure_of(NEITHER, None, **settings)
    with pytest.raises(SchemaError, match="label"):
        measure_of(NUMBERS, "additive", fabricated=True)


def test_the_commonest_class_of_the_held_out_rows_is_the_baseline() -> None:
    rows = classes(100)
    receiver = rows.where(np.arange(100) < 10)
    simulation = Simulation(rows, receiver, CLASSES, 1e-6, None)
    assert commonest(simulation) == max(receiver.y.mean(), 1 - receiver.y.mean())


def test_explained_variance_is_that_of_its_definition() -> None:
    truth = np.array([1.0, 2.0, 3.0])
    assert explained(truth, truth) == 1
    assert explained(truth, np.full(3, 2.0)) == 0
    assert explained(truth, truth[::-1]) == 1 - 8 / 2
    assert explained(np.ones(3), np.zeros(3)) == 0


def test_neighbours_are_the_nearest_other_rows() -> None:
    X = np.array([[0.0], [0.1], [1.0], [1.3], [0.5]])
    codes = np.array([0, 0, 1, 1, 1])
    apart = np.abs(X - X.T) + np.diag(np.full(5, np.inf))
    assert alike_neighbours(X, codes) == (codes[apart.argmin(axis=1)] == codes).mean() == 0.8
    # Rows that coincide are each other's neighbours, not their own.
    assert alike_neighbours(np.zeros((2, 1)), np.array([0, 1])) == 0


def test_a_distance_buys_more_alike_neighbours_where_columns_differ_in_worth() -> None:
    draw = np.random.default_rng(2)
    rows = classes(2000)
    many = Schema((*CLASSES.features, *(Numeric(f"n{place}", (0, 1)) for place in range(8)), CLASSES.columns[-1]))
    wide = Encoded(np.column_stack([rows.X, draw.random((2000, 8))]), rows.y, many.encoded_names, many.classes)
    simulated = what_if(wide, many, epsilons=(0.01, 8.0), method="pairs", draws=2)
    weak, strong = simulated.epsilons
    assert strong.mean > simulated.baseline + 0.05
    assert strong.mean > weak.mean
    assert simulated.display().axis == "share of rows"


def test_fabricated_rows_teach_a_model_that_is_right_about_real_ones() -> None:
    simulated = what_if(classes(1500), CLASSES, epsilons=(0.05, 8.0), fabricated=True, draws=1)
    weak, strong = simulated.epsilons
    assert strong.mean > 0.95 > simulated.baseline
    assert strong.mean >= weak.mean or weak.refused


def test_a_numeric_target_is_explained_without_a_known_value() -> None:
    simulated = what_if(numbers(2000), NUMBERS, epsilons=(0.02, 8.0), draws=2)
    weak, strong = simulated.epsilons
    assert (simulated.measure.name, simulated.baseline, strong.refused) == ("explained", 0.0, 0)
    assert strong.mean > 0.9
    assert weak.refused or weak.mean < strong.mean
