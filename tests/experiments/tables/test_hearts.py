"""Cleveland releases, Hungary adopts: on invented patients."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.data.public.datasets import TableSet
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.tables import hearts

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def invented_centres(invented: Callable[..., TableSet], seed: int) -> dict[str, TableSet]:
    sizes = {"cleveland": 400, "hungarian": 160, "va": 20}
    return {name: invented("heart", size, seed=seed + place) for place, (name, size) in enumerate(sizes.items())}


@pytest.fixture
def centres(invented: Callable[..., TableSet]) -> dict[str, TableSet]:
    return invented_centres(invented, 0)


def test_a_larger_hospital_helps_one_with_few_labels(
    shrink: Callable[..., None], invented: Callable[..., TableSet], checked: Checked
) -> None:
    # Over several invented pairs of hospitals: in one of them ten labels happen to teach more than any release.
    areas: dict[str, list[float]] = {TARGET_ONLY: [], RELEASE_ALONE: [], ADOPTED: []}
    for seed in (0, 10, 20):
        pair = invented_centres(invented, seed)
        shrink(hearts, load_heart_centres=lambda pair=pair: pair, SEEDS=2, PER_CLASS=5, EPSILON=4.0)
        rows = checked(hearts.rows())
        assert [row.method for row in rows] == list(areas)
        assert {(row.setting, row.metric, row.runs) for row in rows} == {("record epsilon 4, 10 labels", "ROC AUC", 2)}
        for row in rows:
            areas[row.method].append(row.mean)
    assert np.mean(areas[ADOPTED]) > np.mean(areas[TARGET_ONLY]) + 0.02
    assert np.mean(areas[ADOPTED]) > np.mean(areas[RELEASE_ALONE])
    assert min(areas[RELEASE_ALONE]) > 0.7


# Of thirty such pairs eight lose, the worst .09, while .036 is won on average: in those ten labels happen to teach
# more alone than the release, ten labels cannot tell so, and the average follows the release to .01.
@pytest.mark.xfail(reason="on the first of these pairs adopting (.88) stays below ten lucky labels alone (.91)")
def test_no_single_pair_of_hospitals_loses_by_adopting(
    shrink: Callable[..., None], centres: dict[str, TableSet], checked: Checked
) -> None:
    shrink(hearts, load_heart_centres=lambda: centres, SEEDS=2, PER_CLASS=5, EPSILON=4.0)
    areas = {row.method: row.mean for row in checked(hearts.rows())}
    assert areas[ADOPTED] > areas[TARGET_ONLY]


def test_a_release_that_is_all_noise_is_not_followed(shrink: Callable[..., None], centres: dict[str, TableSet]) -> None:
    shrink(hearts, load_heart_centres=lambda: centres, SEEDS=2, EPSILON=1e-3)
    areas = {row.method: row.mean for row in hearts.rows()}
    assert areas[RELEASE_ALONE] < 0.75
    assert areas[ADOPTED] > areas[TARGET_ONLY] - 0.1


def test_patients_whose_labels_were_shown_are_not_judged(
    shrink: Callable[..., None], centres: dict[str, TableSet]
) -> None:
    judged: list[int] = []

    def recorded(truth: list[int], scores: list[float]) -> float:
        judged.append(len(truth))
        assert len(truth) == len(scores)
        return 0.5

    shrink(hearts, load_heart_centres=lambda: centres, SEEDS=1, PER_CLASS=5, roc_auc_score=recorded)
    list(hearts.rows())
    assert judged == [160 - 2 * 5] * 3
