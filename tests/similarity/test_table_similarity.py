import numpy as np
import pytest

from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.coded_columns import Date
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.similarity.table_similarity import correlations, distance, marginals

SCHEMA = Schema((Numeric("dose", (0, 20), missing="flag"), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes"))))


def encoded(doses: list[float], missing: list[int], male: list[int], ill: list[int]) -> Encoded:
    X = np.column_stack([doses, missing, 1 - np.array(male), male]).astype(float)
    return Encoded(X, np.array(ill), SCHEMA.encoded_names, SCHEMA.classes)


def test_marginals_count_values_and_missing_ones() -> None:
    rows = encoded([0.0, 0.05, 1.0, 0.5], [0, 0, 0, 1], [1, 1, 1, 0], [0, 0, 1, -1])
    dose, sex, ill = marginals(rows, SCHEMA)
    assert dose.values[0] == "0 to 2"
    assert dose.values[-1] == "missing"
    np.testing.assert_allclose(dose.shares, [0.5, *[0] * 8, 0.25, 0.25])
    np.testing.assert_allclose(sex.shares, [0.25, 0.75])
    np.testing.assert_allclose(ill.shares, [2 / 3, 1 / 3])
    assert sum(dose.shares) == pytest.approx(1.0)


def test_rows_without_labels_have_no_marginal_of_the_label() -> None:
    assert len(marginals(encoded([0.5], [0], [1], [-1]), SCHEMA)) == 2


def test_distance_is_the_share_of_cells_to_change() -> None:
    first = marginals(encoded([0.1] * 4, [0] * 4, [1, 1, 1, 0], [0] * 4), SCHEMA)[1]
    second = marginals(encoded([0.1] * 4, [0] * 4, [1, 0, 0, 0], [0] * 4), SCHEMA)[1]
    assert distance(first, second) == pytest.approx(0.5)
    assert distance(first, first) == 0


def test_correlations_are_numpys_where_columns_vary() -> None:
    X = np.random.default_rng(0).random((50, 3))
    np.testing.assert_allclose(correlations(X), np.corrcoef(X.T), atol=1e-12)
    flat = np.column_stack([X[:, 0], np.full(50, 0.3)])
    np.testing.assert_allclose(correlations(flat), np.eye(2))


def test_ranges_of_dates_are_written_as_dates() -> None:
    schema = Schema((Date("day", ("2019-01-01", "2019-01-11")),))
    (marginal,) = marginals(Encoded(np.array([[0.0], [1.0]]), np.array([-1, -1]), schema.encoded_names, ()), schema)
    assert marginal.values[0] == "2019-01-01 to 2019-01-02"
    assert marginal.values[-1] == "2019-01-10 to 2019-01-11"
