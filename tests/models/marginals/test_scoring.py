import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score
from tests.models.marginals.conftest import SCHEMA, people

from tacit.data.rows.encoding import encode
from tacit.models.column_scores import ColumnMatch
from tacit.models.marginals.model import MarginalModel
from tacit.models.marginals.scoring import CellScores, cell_scores, regression, stored_cell_scores

MATCH = ColumnMatch.of(SCHEMA.shared_with(SCHEMA))
TEST = encode(people(2000, seed=9), SCHEMA)


@pytest.fixture(scope="module")
def scores(model: MarginalModel) -> CellScores:
    return cell_scores(model, MATCH, range(6))


def probabilities(logs: np.ndarray) -> np.ndarray:
    shifted = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: np.ndarray = shifted / shifted.sum(axis=1, keepdims=True)
    return shares


def test_scores_tell_the_classes_apart_and_are_calibrated(scores: CellScores) -> None:
    p = probabilities(scores(TEST.X))
    assert roc_auc_score(TEST.y, p, multi_class="ovr") > 0.85
    prior = np.bincount(TEST.y) / len(TEST.y)
    assert log_loss(TEST.y, p) < 0.8 * log_loss(TEST.y, np.tile(prior, (len(TEST.y), 1)))
    for code in range(3):
        sure = p[:, code] > 0.7
        assert (TEST.y[sure] == code).mean() == pytest.approx(p[sure, code].mean(), abs=0.08)


def test_scores_equal_a_loop_over_cells(scores: CellScores, model: MarginalModel) -> None:
    codes = model.layout.row_codes(TEST.X[:20])
    found = scores(TEST.X[:20])
    starts = np.concatenate([[0], np.cumsum(scores.sizes)])
    for row in range(20):
        expected = scores.offsets.copy()
        for j in range(6):
            ranges = model.measurement.columns[j].ranges
            cell = next(k for k, (low, high) in enumerate(ranges) if low <= codes[row, j] < high)
            expected += scores.weights[starts[j] + cell]
        assert np.allclose(found[row], expected)


def test_a_category_as_a_label_is_scored(model: MarginalModel) -> None:
    target = model.layout.names.index("grade")
    used = [j for j in range(6) if j != target]
    found = cell_scores(model, MATCH, used, target)(TEST.X)
    grade = model.layout.row_codes(TEST.X)[:, target]
    assert (found.argmax(axis=1) == grade).mean() > 0.7  # points give it away


def test_unknown_cells_count_as_the_mean_of_their_column(scores: CellScores) -> None:
    X = TEST.X[:5].copy()
    places = SCHEMA.positions["grade"]
    X[:, places.start : places.stop] = 0.0
    known = scores(TEST.X[:5])
    unknown = scores(X)
    cells = np.argmax(TEST.X[:5, places.start : places.stop], axis=1)
    start = scores.sizes[:4].sum()
    assert np.allclose(known - unknown, scores.weights[start + cells] - scores.means[4])


def test_scores_survive_storage(scores: CellScores) -> None:
    again = stored_cell_scores(*scores.to_parts())
    assert np.array_equal(again(TEST.X[:50]), scores(TEST.X[:50]))


def test_a_regression_without_two_classes_scores_the_one() -> None:
    W, b = regression([np.zeros(10, dtype=np.intp)], [2], np.ones(10, dtype=np.int64), 3, 1.0)
    assert not W.any()
    assert b.argmax() == 1


def test_two_classes_have_opposite_weights() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    cells = np.where(rng.random(500) < 0.8, y, 1 - y)
    W, _ = regression([cells.astype(np.intp)], [2], y, 2, 10.0)
    assert np.allclose(W[:, 0], -W[:, 1])
    odds = np.log((cells[y == 1] == 1).mean() / (cells[y == 0] == 1).mean())
    assert W[1, 1] * 2 - W[0, 1] * 2 == pytest.approx(odds * 2, rel=0.1)
