"""Pair metrics on invented people; the printed algorithm runs on the same draws as the others."""

from collections.abc import Callable, Iterable

from tacit.data.public.datasets import TableSet
from tacit.experiments import pair_runs
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pairs_adult

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_sound_and_printed_methods_run_for_every_seed(
    shrink: Callable[..., None], invented: Callable[..., TableSet], checked: Checked
) -> None:
    adult = invented("adult", 260, seed=1, signal=0.25)
    limits: list[int | None] = []

    def balanced_split(data: TableSet, seed: int, *, tested: int | None) -> pair_runs.BalancedSplit:
        limits.append(tested)
        return pair_runs.balanced_split(data, seed, tested=tested)

    shrink(pairs_adult, load_adult=lambda: adult, SEEDS=2, TESTED=30, balanced_split=balanced_split)
    shrink(pairs_adult, EPSILONS=(4.0,))
    shrink(pair_runs, ask_peer=lambda *_: None)
    rows = checked(pairs_adult.rows())
    runs = {row.setting: row.runs for row in rows}
    assert runs == {"no budget": 2, "pair epsilon 4": 2, "pair epsilon 4 as stated": 2}
    assert limits == [30, 30]
    means = {row.method: row.mean for row in rows}
    assert means["Euclidean"] > 0.6
    assert means["tacit, diagonal"] > 0.6
    # Thirty rows are tested: figures are thirtieths, or sixtieths as means of two.
    assert all(abs(60 * row.mean - round(60 * row.mean)) < 1e-6 for row in rows)
