"""Comparisons against slow counting."""

import math

import numpy as np
import pytest

from tacit.adoption.evidence.comparison import Share, compare
from tacit.adoption.evidence.figures import wilson_interval
from tacit.errors import InputError


def not_contradicted(share: float, count: int, total: int) -> bool:
    """Whether the score test at 95 % does not reject ``share``."""
    return abs(count - total * share) <= 1.959963984540054 * math.sqrt(total * share * (1 - share))


@pytest.mark.parametrize(("count", "total"), [(0, 7), (7, 7), (3, 10), (93, 100), (1, 1000)])
def test_the_interval_holds_the_shares_that_the_score_test_accepts(count: int, total: int) -> None:
    low, high = wilson_interval(count, total)
    accepted = [share for share in np.linspace(0, 1, 100_001) if not_contradicted(share, count, total)]
    assert low == pytest.approx(accepted[0], abs=2e-5)
    assert high == pytest.approx(accepted[-1], abs=2e-5)


def test_of_no_rows_every_share_is_possible() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert Share(0, 0).value == 0.0


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(InputError, match="count must be between 0 and total, 3; got 4"):
        wilson_interval(4, 3)


def test_a_comparison_counts_what_a_loop_counts() -> None:
    generator = np.random.default_rng(0)
    truth, only, both = generator.integers(0, 3, (3, 60))
    found = compare(truth, target_only=only, adopted=both, classes=("a", "b", "c", "never"))
    rows = list(zip(truth.tolist(), only.tolist(), both.tolist(), strict=True))
    assert found.helped == sum(b == t != o for t, o, b in rows)
    assert found.harmed == sum(o == t != b for t, o, b in rows)
    assert found.target_only == Share(sum(o == t for t, o, _ in rows), 60)
    assert found.points == pytest.approx(100 * (sum(b == t for t, _, b in rows) - sum(o == t for t, o, _ in rows)) / 60)
    for true in range(4):
        for predicted in range(4):
            assert found.confusion[true, predicted] == sum(t == true and b == predicted for t, _, b in rows)
            assert found.confusion_only[true, predicted] == sum(t == true and o == predicted for t, o, _ in rows)
    changes = list(found.by_class())
    assert [change.name for change in changes] == ["a", "b", "c"]
    assert sum(change.helped for change in changes) == found.helped
    assert sum(change.harmed for change in changes) == found.harmed
    assert changes[1].adopted == Share(sum(t == 1 == b for t, _, b in rows), sum(t == 1 for t, *_ in rows))


def test_the_chance_is_the_exact_sign_test() -> None:
    truth = np.zeros(12, int)
    only, both = np.zeros(12, int), np.zeros(12, int)
    only[:8], both[8:10] = 1, 1
    tail = sum(math.comb(10, k) for k in (0, 1, 2)) / 2**10
    assert compare(truth, target_only=only, adopted=both, classes=("a", "b")).chance == pytest.approx(2 * tail)
    assert compare(truth, target_only=only, adopted=only, classes=("a", "b")).chance == 1.0


def test_codes_without_a_class_and_unequal_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="adopted must be a list of class codes from 0 to 1"):
        compare([0, 1], target_only=[0, 1], adopted=[0, 2], classes=("a", "b"))
    with pytest.raises(InputError, match="as long as each other"):
        compare([0, 1], target_only=[0, 1], adopted=[0], classes=("a", "b"))


def test_what_a_view_alone_reaches_is_counted_where_there_is_one() -> None:
    truth = [0, 1, 1, 0]
    found = compare(truth, target_only=truth, adopted=truth, classes=("a", "b"), view_only=[0, 1, 0, 1])
    assert found.view_only == Share(2, 4)
    assert compare(truth, target_only=truth, adopted=truth, classes=("a", "b")).view_only is None
    with pytest.raises(InputError, match="view_only"):
        compare(truth, target_only=truth, adopted=truth, classes=("a", "b"), view_only=[0, 1])
