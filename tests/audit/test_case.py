"""What most audits share: games of mechanisms, and replays of fits."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from tacit.audit.case import EPSILON, Case, game_case, replay_fits, replay_result
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import Laplace

TABLE = np.array([[0.1, 0.2], [0.3, 0.4]]), np.array([0, 1])
NEIGHBOUR = np.array([[0.1, 0.2], [0.3, 0.4], [1.0, 1.0]]), np.array([0, 1, 1])


class Leaky(PrivateNearestMean):
    """Hands out its largest value beside what passed through the mechanism."""

    def fit(self, X: Any, y: Any, *, persons: Any = None, sample_weight: Any = None) -> "Leaky":
        super().fit(X, y, persons=persons)
        self.largest_ = np.asarray(X).max()
        return self

    def release(self) -> Any:
        return SimpleNamespace(arrays={**super().release().arrays, "largest": self.largest_})


def test_a_game_is_named_and_played_as_often_as_said() -> None:
    case = game_case("laplace", Laplace.for_epsilon(EPSILON, sensitivity=1.0), 0, draws=100)
    result = case.run()
    assert (case.name, case.control, result.what, result.draws, result.claimed) == (
        "laplace",
        False,
        "laplace",
        100,
        EPSILON,
    )


def test_a_case_runs_when_it_is_asked_and_not_before() -> None:
    runs: list[int] = []

    def run() -> AuditResult:
        runs.append(1)
        return AuditResult("", 1.0, 0.0, 1.0, 1, passed=True)

    case = Case("later", run)
    assert runs == []
    case.run()
    assert runs == [1]


def released(sensitivity: float) -> Callable[[np.ndarray], dict[str, object]]:
    def run(rows: np.ndarray) -> dict[str, object]:
        mechanism = Laplace.for_epsilon(1.0, sensitivity=sensitivity, coordinates=2)
        step = Step(mechanism, "sum", "rows lie in [0, 1]²")
        account = Account.open([step], budget=Budget(1.0, unit="record"), random_state=0)
        return {"sum": account.release(mechanism, rows.sum(axis=0))}

    return run


def test_the_bound_of_a_replay_is_the_share_of_the_sensitivity_that_was_used() -> None:
    half = replay_result(released(4.0), TABLE[0], NEIGHBOUR[0])
    assert half.passed
    assert half.lower_bound == EPSILON / 2
    assert half.draws == 1
    too_much = replay_result(released(1.0), TABLE[0], NEIGHBOUR[0])
    assert not too_much.passed
    assert too_much.lower_bound == 2 * EPSILON


def test_a_fit_is_replayed_by_what_it_releases() -> None:
    def model(seed: int | None) -> PrivateNearestMean:
        return PrivateNearestMean(1.0, bounds=(0, 1), delta=1e-3, classes=[0, 1], random_state=seed)

    for seed in (0, None):
        result = replay_fits(lambda seed=seed: model(seed), TABLE, NEIGHBOUR)  # type: ignore[misc]
        assert result.passed
        assert 0.9 < result.lower_bound <= 1.0


def test_a_fit_that_hands_out_what_passed_no_mechanism_is_caught() -> None:
    settings: dict[str, Any] = {"bounds": (0, 1), "delta": 1e-3, "classes": [0, 1], "random_state": 0}
    assert replay_fits(lambda: PrivateNearestMean(1.0, **settings), TABLE, NEIGHBOUR).passed
    assert not replay_fits(lambda: Leaky(1.0, **settings), TABLE, NEIGHBOUR).passed
