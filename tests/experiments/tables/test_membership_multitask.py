"""Several owners at once, on few digits."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.tables import membership_multitask
from tacit.experiments.tables.membership_multitask import ALL, ONE

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> None:
    shrink(membership_multitask, load_mnist=lambda: digits(8, 900, 400), SEEDS=1, OWNED=300, EPSILONS=(20.0,))
    shrink(membership_multitask, RECEIVED=200, PER_CLASS=3, TESTED=200)


def test_one_owner_and_all_are_adopted_by_the_same_receiver(checked: Checked) -> None:
    rows = checked(membership_multitask.rows())
    methods = [TARGET_ONLY, PUBLIC_VIEW, RELEASE_ALONE, ADOPTED]
    settings = [f"record epsilon 20, {owners}" for owners in (ONE, ALL)]
    assert [(row.setting, row.method) for row in rows] == [(s, method) for s in settings for method in methods]
    means = {(row.setting, row.method): row.mean for row in rows}
    assert means[settings[0], TARGET_ONLY] == means[settings[1], TARGET_ONLY]
    for setting in settings:
        assert means[setting, ADOPTED] >= means[setting, TARGET_ONLY] - 0.05


def test_of_several_releases_alone_the_mean_is_shown_and_none_is_picked_by_its_test_rows() -> None:
    truth = np.array([0, 1, 1, 1])
    sources = [lambda X, code=code: np.eye(2)[np.full(len(X), code)] for code in (0, 1)]
    assert membership_multitask.mean_accuracy(sources, truth, truth) == (0.25 + 0.75) / 2


def test_every_owner_has_rows_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[list[int]] = []

    def recorded(images: ImageSet, part: Iterable[int], epsilon: float, seed: int) -> str:
        parts.append([int(place) for place in part])
        return f"{seed}"

    monkeypatch.setattr(membership_multitask, "_release", recorded)
    monkeypatch.setattr(membership_multitask, "measure", lambda releases, *_: {"releases": len(releases)})
    run = membership_multitask._run(membership_multitask.load_mnist(), 1.0, 0)  # type: ignore[attr-defined]  # patched
    assert run == {ONE: {"releases": 1}, ALL: {"releases": 3}}
    places = [place for part in parts for place in part]
    assert len(places) == len(set(places)) == 900
