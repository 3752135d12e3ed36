"""The toy example of pair metrics: two long strips, one above the other."""

from collections.abc import Callable, Iterable

import numpy as np

from tacit.experiments import pair_runs
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pairs_strips

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_the_diagonal_metric_finds_the_direction_across(shrink: Callable[..., None], checked: Checked) -> None:
    shrink(pairs_strips, SEEDS=3, PRINTED_SEEDS=3, TESTED=300)
    shrink(pairs_strips, EPSILONS=(0.05, 8.0))
    shrink(pair_runs, ask_peer=lambda *_: None)
    rows = checked(pairs_strips.rows())
    means = {(row.setting, row.method): row.mean for row in rows}
    plain = means["no budget", "Euclidean"]
    assert means["no budget", "no privacy, diagonal"] > plain + 0.05
    assert means["pair epsilon 8", "tacit, diagonal"] > plain + 0.05
    assert means["pair epsilon 0.05", "tacit, diagonal"] < means["pair epsilon 8", "tacit, diagonal"]
    assert {row.runs for row in rows[:-1]} == {3}
    facts = means["no budget", pair_runs.SAME_FACTS]
    above = [row for row in rows[:-1] if row.setting != "no budget" and row.mean > facts]
    assert (rows[-1].metric, rows[-1].mean) == ("rows of 18", len(above))


def test_people_to_learn_from_are_none_of_those_tested() -> None:
    split = pairs_strips._split(0)
    # Other people, not the same drawn with another width: no place along the strips occurs twice.
    along, tested = ({place for place in X[:, 0].tolist() if 0 < place < 1} for X in (split.X, split.X_test))
    assert not along & tested
    assert not np.array_equal(split.X, pairs_strips._split(1).X)
