"""The law of no harm: releases that deserve no trust cost next to nothing, whatever they claim."""

from functools import cache

import numpy as np
import pytest

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.errors import InputError
from tacit.experiments.harm_runs import SETS, HarmCase, change, harm_case

LABELS = (20, 60)
MOST_MEAN_LOSS, MOST_CELL_LOSS = 0.005, 0.03


@cache
def case(draw: int, rare: bool) -> HarmCase:
    return harm_case("made up", draw, rare=rare)


@cache
def cell(names: tuple[str, ...], n_labels: int, rare: bool) -> float:
    """Return the mean change of the area by adopting over draws."""
    found = [change(case(draw, rare), names, n_labels) for draw in range(3)]
    return float(np.mean([0.0 if each is None else each["adopted"] - each["alone"] for each in found]))


@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("names", SETS, ids="+".join)
def test_no_kind_of_bad_release_costs_more_than_a_little(names: tuple[str, ...], rare: bool) -> None:
    for n_labels in LABELS:
        assert cell(names, n_labels, rare) >= -MOST_CELL_LOSS


def test_over_all_of_them_nothing_is_lost() -> None:
    changes = [cell(names, n_labels, rare) for names in SETS for n_labels in LABELS for rare in (False, True)]
    assert np.mean(changes) >= -MOST_MEAN_LOSS


def test_trees_do_not_open_a_door_to_harm() -> None:
    changes = [change(case(0, rare), names, 200) for names in (("wrong",), ("hostile",)) for rare in (False, True)]
    assert all(each is not None and each["adopted"] - each["alone"] > -MOST_CELL_LOSS for each in changes)


@pytest.mark.parametrize("name", ["noise", "shuffled"])
def test_without_labels_nothing_but_noise_is_refused(name: str) -> None:
    for draw in range(4):
        assert change(case(draw, rare=False), (name,), 0) is None


@pytest.mark.parametrize("name", ["noise", "shuffled", "hostile"])
def test_what_is_ignored_leaves_every_bit_of_learning_alone(name: str) -> None:
    given = case(0, rare=False)
    y = np.where(np.arange(len(given.y)) < 60, given.y, -1)
    settings = {"schema": given.schema, "evidence": False, "random_state": 0}
    adopted = AveragedTransfer(given.releases((name,)), **settings).fit(given.X, y)  # type: ignore[arg-type]
    alone = AveragedTransfer(**settings).fit(given.X, y)  # type: ignore[arg-type]
    assert adopted.evidence_.weights == (0.0,)
    assert adopted.predict_proba(given.X).tobytes() == alone.predict_proba(given.X).tobytes()


def test_the_law_can_be_broken() -> None:
    # A receiver without labels cannot know that labels were flipped: the same measure shows the harm.
    found = change(case(0, rare=False), ("flipped",), 0)
    assert found is not None
    assert found["adopted"] - found["alone"] < -MOST_CELL_LOSS
    with pytest.raises(InputError, match="no labels"):
        AveragedTransfer(schema=case(0, rare=False).schema).fit(case(0, rare=False).X, np.full(2000, -1))
