import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.models.marginals.conftest import SCHEMA, measured, people

from tacit.data.rows.encoding import encode
from tacit.data.schemas.conditions import parse_condition
from tacit.errors import InputError
from tacit.models.marginals.asking import answer, range_name
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.model import MarginalModel, fitted_model

NO_MIXTURE = Mixture(np.ones((1, 3)) / 3, np.ones((1, 1), dtype=np.float32))


def test_counts_of_a_column_are_near_the_true_ones(model: MarginalModel) -> None:
    found = answer(model, "grade x outcome")
    real = people(6000)
    inside = []
    for a, grade in enumerate(found.cells[0]):
        for b, outcome in enumerate(found.cells[1]):
            true = real.filter((pl.col("grade") == grade) & (pl.col("outcome") == outcome)).height
            assert found.half_width is not None
            inside.append(abs(found.counts[a, b] - true) <= found.half_width)
    assert np.mean(inside) > 0.85


def test_the_label_may_come_first_and_order_does_not_matter(model: MarginalModel) -> None:
    first, second = answer(model, "grade x outcome"), answer(model, "outcome x grade")
    assert np.array_equal(first.counts, second.counts.T)
    assert second.cells[0] == ("well", "ill", "worse")
    swapped, straight = answer(model, "grade x work"), answer(model, "work x grade")
    assert np.array_equal(swapped.counts, straight.counts.T)


def test_pairs_have_the_noise_of_all_classes(model: MarginalModel) -> None:
    with_label, without = answer(model, "grade x work x outcome"), answer(model, "grade x work")
    assert with_label.half_width is not None
    assert without.half_width == pytest.approx(with_label.half_width * np.sqrt(3))
    assert np.allclose(with_label.counts.sum(axis=2), without.counts)


def test_three_columns_are_estimated_without_an_interval(model: MarginalModel) -> None:
    found = answer(model, "grade x work x points")
    assert found.half_width is None
    assert found.counts.sum() == pytest.approx(6000, rel=0.02)
    assert found.counts.shape == tuple(len(cells) for cells in found.cells)


@pytest.mark.parametrize(
    ("question", "least", "most"),
    # Counts of one column are known from trees too, which an interval leaves out: it holds more often.
    [("grade x outcome", 0.93, 0.99), ("grade", 0.95, 1.0), ("grade x points", 0.93, 0.97)],
)
def test_intervals_hold_the_true_count_95_times_of_100(question: str, least: float, most: float) -> None:
    # Over draws of the noise: a count's interval does not know the table.
    real, names = people(1500), question.split(" x ")
    rows = encode(real, SCHEMA)
    held = []
    for seed in range(40):
        # The fit does not matter to counts.
        model = MarginalModel(measured(rows.X, rows.y, SCHEMA, epsilon=1.0, seed=seed), NO_MIXTURE)
        found = answer(model, question)
        for place in itertools.product(*(range(len(cells)) for cells in found.cells)):
            texts = [found.cells[axis][index].split(" or ") for axis, index in enumerate(place)]
            true = real.filter(*(cell_is(name, each) for name, each in zip(names, texts, strict=True))).height
            held.append(abs(found.counts[place] - true) <= (found.half_width or 0))
    assert least <= np.mean(held) <= most


def cell_is(name: str, texts: list[str]) -> pl.Expr:
    """Return whether a cell is one of the texts, or a number in the range that a text names."""
    if SCHEMA.positions.get(name) is None or name != "points":
        return pl.col(name).is_in(texts)
    low, _, high = texts[0].partition(" to ")
    return pl.col(name).is_between(float(low), float(high or low))


def test_conditions_restrict_what_is_counted(model: MarginalModel) -> None:
    real = people(6000).filter(pl.col("age").is_between(30, 45), pl.col("outcome") == "ill")
    where = [parse_condition(text, SCHEMA.columns) for text in ("age = 30-45", "outcome = ill")]
    found = answer(model, "grade x outcome", where)
    assert found.half_width is None
    assert found.counts.sum() == pytest.approx(real.height, rel=0.1)
    assert found.counts[:, 0].sum() == found.counts[:, 2].sum() == 0
    whole = answer(model, "grade", [parse_condition("age = 17-90", SCHEMA.columns)])
    assert whole.counts.sum() == pytest.approx(6000, rel=0.02)


def test_the_label_alone_is_counted(model: MarginalModel) -> None:
    found = answer(model, "outcome")
    assert found.counts.sum() == pytest.approx(6000, rel=0.02)


def test_missing_cells_and_ranges_have_names(model: MarginalModel) -> None:
    assert answer(model, "dose").cells[0][-1] == "missing"
    assert answer(model, "work").cells[0] == ("farm", "office", "none", "missing")
    assert range_name(model.layout.columns[0], 0, 3) == "17 to 19"
    assert range_name(model.layout.columns[0], 5, 6) == "22"


def test_lines_state_cells_counts_and_intervals(model: MarginalModel) -> None:
    found = answer(model, "work x outcome")
    lines = list(found.lines())
    assert len(lines) == 12
    assert lines[0].cells == ("farm", "well")
    assert lines[0].noisy == found.counts[0, 0]
    for line in lines:
        assert line.interval is not None
        assert 0 <= line.interval[0] <= line.rows <= line.interval[1]
        assert not line.ruled_out


def test_what_is_shown_is_never_below_0_and_adds_up_to_the_same_in_every_question() -> None:
    rows = encode(people(700), SCHEMA)
    model = MarginalModel(measured(rows.X, rows.y, SCHEMA, epsilon=0.5), NO_MIXTURE)
    pair, swapped = answer(model, "grade x work x outcome"), answer(model, "work x grade")
    assert pair.counts.min() < 0  # the noise is large: otherwise nothing is tested
    assert pair.consistent.min() >= 0
    np.testing.assert_allclose(pair.consistent.sum(axis=2).T, swapped.consistent, atol=1e-6)
    totals = answer(model, "outcome").consistent
    for question in ("grade x outcome", "age x outcome", "grade x work x outcome"):
        found = answer(model, question).consistent
        assert found.min() >= 0
        np.testing.assert_allclose(found.reshape(-1, 3).sum(axis=0), totals, rtol=1e-6)
    # Of single columns fine cells are counted, of pairs coarse ones.
    work = np.bincount(model.measurement.columns[3].groups, weights=answer(model, "work").consistent)
    np.testing.assert_allclose(swapped.consistent.sum(axis=1), work, atol=1e-4)


def test_cells_that_a_constraint_rules_out_hold_no_rows() -> None:
    stated = replace(SCHEMA, constraints=("work = farm implies grade = a|b", "grade = h implies outcome = worse"))
    rows = encode(people(1500), SCHEMA)  # rows that break them: the noise is not why counts are 0
    model = fitted_model(measured(rows.X, rows.y, stated, epsilon=8.0), random_state=0)
    pair = answer(model, "work x grade")
    farm, later = pair.cells[0].index("farm"), [not set(cell.split(" or ")) & {"a", "b"} for cell in pair.cells[1]]
    assert any(later)
    assert pair.ruled_out[farm].tolist() == later
    assert pair.ruled_out.sum() == sum(later)
    assert pair.counts[farm][later].sum() > 10
    assert pair.consistent[farm][later].sum() == 0
    assert all(line.interval == (0, 0) and line.rows == 0 for line in pair.lines() if line.ruled_out)
    classes = answer(model, "outcome x grade")
    assert classes.ruled_out[:, -1].tolist() == [True, True, False]
    assert classes.consistent[:2, -1].sum() == 0
    given = answer(model, "grade", [parse_condition("work = farm", SCHEMA.columns)])
    assert given.ruled_out.tolist() == later
    assert given.consistent[later].sum() == 0
    assert given.consistent.sum() == pytest.approx(given.counts.sum())


@pytest.mark.parametrize("question", ["height", "", "grade x ", "grade x grade"])
def test_questions_about_other_things_are_refused(model: MarginalModel, question: str) -> None:
    with pytest.raises(InputError, match=r"column|name"):
        answer(model, question)
