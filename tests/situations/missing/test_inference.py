"""Inferred cells: the evidence against counting, what is held out, and where the answers stand."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.arrays import IntArray
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.situations.missing import inference, learners
from tacit.situations.missing.inference import FOLDS, InferredColumn, _stratified_parts, infer_column
from tacit.situations.missing.learners import LEARNERS, LogitFunction, learn

KINDS = ("plum", "pear", "fig", "quince")
SCHEMA = Schema(
    (Numeric("sweet", (0, 1)), Numeric("round", (0, 1)), Categorical("kind", KINDS), Label("sold", ("no", "yes")))
)


def orchard(n: int = 120, *, seed: int = 0, known: float = 0.6) -> tuple[pl.DataFrame, IntArray]:
    """Fruits of three of four kinds around their own centres, the kind known of some; and the true kinds."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    X = np.clip(np.array([[0.2, 0.2], [0.8, 0.3], [0.5, 0.8]])[codes] + 0.12 * rng.normal(size=(n, 2)), 0, 1)
    names = [KINDS[code] if rng.random() < known else None for code in codes]
    table = pl.DataFrame({"sweet": X[:, 0], "round": X[:, 1], "kind": pl.Series(names, dtype=pl.String)})
    return table.with_columns(sold=pl.lit("no")), codes


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_fills_the_blanks_and_says_how_well(learner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "STEPS", 100)  # enough for so easy a table
    table, truth = orchard()
    found = infer_column(table, SCHEMA, "kind", learner=learner)
    assert found.categories == KINDS[:3]
    assert_array_equal(found.missing, table["kind"].is_null().to_numpy())
    right = np.mean(found.probabilities.argmax(axis=1) == truth[found.missing])
    assert right > 0.9
    assert found.evidence.accuracy == pytest.approx(right, abs=0.1)
    assert found.evidence.commonest < 0.45
    assert found.evidence.errors[1] < 0.15
    assert_allclose(found.probabilities.sum(axis=1), 1.0)


def test_answers_stand_in_their_rows_and_leave_known_and_unsure_cells_empty() -> None:
    table, _ = orchard()
    found = infer_column(table, SCHEMA, "kind", learner="logistic")
    answers, confidence = found.columns(abstain_below=0.9)
    assert (answers.name, confidence.name) == ("kind_inferred", "kind_confidence")
    places = np.flatnonzero(found.missing).tolist()
    for row in range(table.height):
        if row not in places:
            assert answers[row] is None
            assert confidence[row] is None
            continue
        shares = found.probabilities[places.index(row)]
        assert confidence[row] == pytest.approx(shares.max(), abs=1e-6)
        assert answers[row] == (KINDS[shares.argmax()] if shares.max() >= 0.9 else None)
    assert 0 < answers.null_count() - int((~found.missing).sum()) < len(places)


def test_the_same_seed_gives_the_same_answers() -> None:
    table, _ = orchard(60)
    first, second = (infer_column(table, SCHEMA, "kind", learner="boosted", random_state=3) for _ in range(2))
    assert_array_equal(first.probabilities, second.probabilities)


def test_no_cell_is_seen_by_the_learner_that_infers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner that remembers the cells it was shown is right about those, and about no other."""
    table, _ = orchard(60, known=0.7)
    table = table.with_columns(sweet=pl.Series(np.arange(60) / 60))  # a name for each row

    def memory(name: str, X: IntArray, y: IntArray, *, n_classes: int, **_: object) -> LogitFunction:
        shown = dict(zip(X[:, 0], y, strict=True))
        return lambda rows: np.array([10.0 * np.eye(n_classes + 1)[shown[row[0]]][:n_classes] for row in rows])

    monkeypatch.setattr(inference, "learn", memory)
    found = infer_column(table, SCHEMA, "kind", learner="logistic")
    assert_array_equal(found.evidence.raw, np.full_like(found.evidence.raw, 1 / 3))


def test_every_kind_is_dealt_evenly() -> None:
    y = np.repeat([0, 1, 2, 3], [50, 13, 5, 2])
    parts = _stratified_parts(y, 0)
    for code, count in enumerate(np.bincount(y)):
        dealt = np.bincount(parts[y == code], minlength=FOLDS)
        assert dealt.max() - dealt.min() <= 1, (code, count)
    assert_array_equal(np.sort(_stratified_parts(np.array([0, 0, 1, 1]), 0)), [0, 1, 2, 3])


def test_a_kind_known_of_one_row_is_held_out_without_trouble() -> None:
    table, _ = orchard(60)
    known = table.with_row_index().filter(pl.col("kind").is_not_null())["index"].to_list()
    kinds = table["kind"].to_list()
    kinds[known[0]] = "quince"
    found = infer_column(table.with_columns(kind=pl.Series(kinds)), SCHEMA, "kind", learner="logistic")
    assert found.categories == KINDS
    assert np.isfinite(found.evidence.calibrated).all()


def test_a_code_that_was_not_seen_is_as_unlikely_as_the_least_likely() -> None:
    X, y = np.array([[0.0], [0.1], [0.9], [1.0]]), np.array([0, 0, 2, 2])
    learned = learn("logistic", X, y, rules=SCHEMA, n_classes=3, seed=0)(X)
    assert_allclose(learned[:, 1], learned.min(axis=1))
    assert_array_equal(learned.argmax(axis=1), [0, 0, 2, 2])


def test_wrong_settings_are_refused() -> None:
    table, _ = orchard(30)
    with pytest.raises(InputError, match="learner must be one of 'sharpened'"):
        infer_column(table, SCHEMA, "kind", learner="oracle")
    found = infer_column(table, SCHEMA, "kind", learner="logistic")
    assert isinstance(found, InferredColumn)
    with pytest.raises(InputError, match="abstain_below must be in"):
        found.answers(abstain_below=2)
