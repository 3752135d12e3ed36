import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.two_class_problems import (
    centred,
    class_probabilities,
    classes_query,
    n_problems,
    query_of,
    row_factors,
    schema_bounds,
    signs_of,
    unit_rows,
)

TABLE = np.random.default_rng(0).normal(size=(7, 3))
CODES = np.arange(7) % 2


def test_rows_are_scaled_by_themselves_alone() -> None:
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1e-300, 0.0], [1e-154, 1e-155], [1e150, 1e150], [1e300, 0.0]])
    assert (np.linalg.norm(unit_rows(X), axis=1) <= 1).all()
    assert np.linalg.norm(unit_rows(X[:1])) == pytest.approx(1)
    assert np.array_equal(unit_rows(X[:1]), unit_rows(X)[:1])
    assert unit_rows(X[:1], row_norm=10.0) == pytest.approx(X[:1] / 10)
    assert np.linalg.norm(unit_rows(X[:1], row_norm=2.0)) == pytest.approx(1)
    assert not unit_rows(X)[1].any()


def test_the_query_equals_a_loop() -> None:
    X, codes = TABLE, CODES
    prior = np.array([1.0, -2.0, 0.5])
    query = query_of(X, row_factors(X) * signs_of(codes, 2)[0], prior, 9)
    for row, code, row_of_query in zip(X, codes, query[:7], strict=True):
        z = (1 if code == 1 else -1) * row / np.linalg.norm(row)
        assert row_of_query == pytest.approx([*z, z @ prior])
    assert not query[7:].any()


def test_the_query_of_all_classes_equals_a_loop() -> None:
    X, codes = TABLE, CODES
    prior = np.array([[1.0, -2.0, 0.5], [0.0, 1.0, 0.0], [3.0, 0.0, 0.1]])
    query = classes_query(X, row_factors(X), codes, prior, 9)
    for row, code, row_of_query in zip(X, codes, query[:7], strict=True):
        z = row / np.linalg.norm(row)
        assert row_of_query == pytest.approx([*z, code, *(prior @ z)])
    assert not query[7:].any()


def test_each_class_is_separated_from_the_rest() -> None:
    assert np.array_equal(signs_of(np.array([0, 1, 2]), 3), 2 * np.eye(3) - 1)
    assert np.array_equal(signs_of(np.array([0, 1]), 2), [[-1, 1]])


def test_probabilities_are_shares_of_margins() -> None:
    assert class_probabilities(np.array([[0.0], [100.0]])) == pytest.approx(np.array([[0.5, 0.5], [0, 1]]))
    assert class_probabilities(np.array([[0.0, 0.0, -800.0]])).sum() == pytest.approx(1)


def test_bounds_of_a_schema_centre_numbers_categories_and_flags() -> None:
    columns = (Numeric("a", (0, 9), missing="flag"), Categorical("b", tuple("xyz")), Label("l", ("0", "1")))
    rows = np.array([[0.0, 0, 1, 0, 0], [1.0, 1, 0, 0, 1]])
    expected = [[-1, 0, 2 / 3, -1 / 3, -1 / 3], [1, 1, -1 / 3, -1 / 3, 2 / 3]]
    assert centred(rows, schema_bounds(Schema(columns))) == pytest.approx(np.array(expected))


def test_bounds_bring_features_to_minus_one_and_one() -> None:
    X = np.array([[0.0, 10.0], [4.0, 30.0], [9.0, 20.0]])
    assert centred(X, ([0, 10], [4, 30])) == pytest.approx(np.array([[-1, -1], [1, 1], [1, 0]]))
    assert centred(X, None) is X


def test_a_public_norm_shortens_and_never_lengthens() -> None:
    factors = row_factors(TABLE, 0.5)
    lengths = np.linalg.norm(TABLE, axis=1)
    assert factors == pytest.approx(1 / np.maximum(lengths, 0.5))
    with pytest.raises(InputError, match="row_norm"):
        row_factors(TABLE, -1.0)


def test_two_classes_are_one_problem_and_more_are_one_each() -> None:
    assert [n_problems(count) for count in (2, 3, 10)] == [1, 3, 10]
