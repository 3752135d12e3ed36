"""Office-Caltech on invented counts: each domain adopts from each other one."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace

import numpy as np
import pytest

from tacit.data.public.datasets import Domain, OfficeCaltech
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.tables import membership_office
from tacit.experiments.tables.membership_office import BEST, MMDT, PUBLISHED, SVM, SVM_SHARES

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
COUNTS = 40
METHODS = [SVM, SVM_SHARES, TARGET_ONLY, RELEASE_ALONE, ADOPTED, MMDT]


def office(spread: float = 0.4) -> OfficeCaltech:
    rng = np.random.default_rng(0)
    typical = rng.gamma(0.5, 4.0, (10, COUNTS))

    def domain(n_rows: int) -> Domain:
        y = np.arange(n_rows) % 10
        counts = rng.poisson(typical[y] * rng.lognormal(0, spread, (n_rows, COUNTS)))
        return Domain(np.minimum(counts, 120).astype(np.float32), y)

    return OfficeCaltech({"amazon": domain(220), "dslr": domain(120)}, tuple("abcdefghij"))


def test_each_pair_of_domains_is_measured_beside_linear_machines(shrink: Callable[..., None], checked: Checked) -> None:
    shrink(membership_office, load_office_caltech=office, N_COUNTS=COUNTS, SEEDS=2, EPSILON=100.0)
    rows = checked(membership_office.rows())
    settings = ["amazon to dslr, entry epsilon 100", "dslr to amazon, entry epsilon 100"]
    rows, counts = rows[:-6], rows[-6:]
    assert [(row.setting, row.method) for row in rows] == [(s, method) for s in settings for method in METHODS]
    assert {row.runs for row in rows} == {2}
    assert [(row.setting, row.metric, row.method) for row in counts] == [
        ("2 pairs of domains", BEST, m) for m in METHODS
    ]
    assert 2 <= sum(row.mean for row in counts) <= 12
    means = {(row.setting, row.method): row.mean for row in rows}
    for setting in settings:
        highest = max(METHODS, key=lambda method, where=setting: means[where, method])  # type: ignore[misc]
        assert next(row.mean for row in counts if row.method == highest) >= 1
        assert means[setting, SVM] > 0.5  # ten classes: a guess is right in 0.1
        assert means[setting, ADOPTED] >= means[setting, TARGET_ONLY] - 0.05
        # The owner's rows without noise and the labels together teach more than the labels.
        assert means[setting, MMDT] > means[setting, SVM] - 0.05
    published = {(row.setting, row.method): row.paper for row in rows if row.paper is not None}
    assert published == {
        (settings[0], MMDT): PUBLISHED["amazon", "dslr"],
        (settings[1], MMDT): PUBLISHED["dslr", "amazon"],
    }
    # Nearly no noise: twenty rows of each class of the owner teach more than three labels.
    assert means[settings[0], RELEASE_ALONE] > 0.9


def test_methods_that_are_equally_good_are_both_counted_as_best(shrink: Callable[..., None]) -> None:
    shrink(membership_office, load_office_caltech=office, N_COUNTS=COUNTS, SEEDS=1, _release=lambda *_: None)
    shrink(membership_office, _run=lambda *_: {TARGET_ONLY: 0.5, ADOPTED: 0.5}, _peer=lambda *_: 0.25)
    counts = {row.method: row.mean for row in membership_office.rows() if row.metric == BEST}
    assert counts == {TARGET_ONLY: 2.0, ADOPTED: 2.0, MMDT: 0.0}


def test_only_the_labelled_rows_of_the_owner_are_released(shrink: Callable[..., None]) -> None:
    shrink(membership_office, N_COUNTS=COUNTS)
    counts: list[int] = []

    def recorded(X: np.ndarray, y: np.ndarray, *_: object, **__: object) -> None:
        counts.extend(np.bincount(y).tolist())
        assert (y >= 0).all()
        assert X.max() <= 1
        raise StopIteration

    shrink(membership_office, CLASS_MOMENTS=SimpleNamespace(release=recorded), load_office_caltech=office)
    with pytest.raises(RuntimeError):  # a generator turns StopIteration into it
        list(membership_office.rows())
    assert counts == [membership_office.SOURCE_ROWS["amazon"]] * 10
