"""An analyst who chooses each charge after seeing the answers before does not get past a ledger's budget."""

import math
from functools import cache
from pathlib import Path

import pytest

from tacit import Budget, Ledger
from tacit.errors import BudgetExceededError
from tacit.privacy.events import ApproximateEvent

EPSILON, DELTA, SMALL, LARGE = 1.0, 0.02, 0.1, 0.45


def frontier(folder: Path) -> dict[int, int]:
    """Return how many small charges a ledger still takes after each number of large ones."""
    found = {}
    for large in range(4):
        ledger = Ledger.create(folder / f"{large}.ledger", Budget(EPSILON, DELTA, unit="record"))
        try:
            for _ in range(large):
                ledger.charge(ApproximateEvent(LARGE), unit="record", purpose="large")
            found[large] = 0
            while True:
                ledger.charge(ApproximateEvent(SMALL), unit="record", purpose="small")
                found[large] += 1
        except BudgetExceededError:
            continue
    return found


def test_randomised_responses_chosen_on_the_way_stay_within_delta(tmp_path: Path) -> None:
    """By composed distributions the ledger stops too late: the best choice between 0.1 and 0.45 reaches 0.0274."""
    most = frontier(tmp_path)
    assert most[0] >= 10
    p, q = (1 / (1 + math.exp(-each)) for each in (SMALL, LARGE))

    @cache
    def value(i: int, j: int, k: int, m: int) -> float:
        """The excess that the best analyst expects after i small and j large answers whose signs add up to k and m."""
        best = max(0.0, 1 - math.exp(EPSILON - k * SMALL - m * LARGE))
        if i < most.get(j, -1):
            best = max(best, p * value(i + 1, j, k + 1, m) + (1 - p) * value(i + 1, j, k - 1, m))
        if i <= most.get(j + 1, -1):
            best = max(best, q * value(i, j + 1, k, m + 1) + (1 - q) * value(i, j + 1, k, m - 1))
        return best

    assert value(0, 0, 0, 0) <= DELTA * (1 + 1e-9) or pytest.fail(f"delta {value(0, 0, 0, 0):.4f} at epsilon 1")
