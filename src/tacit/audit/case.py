"""One audit to run, and the claims and numbers of draws that most audits use."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.audit.game import furthest_pair, mechanism_game
from tacit.audit.replay import replay
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import Mechanism

# Rows and their class codes.
LabelledTable = tuple[FloatArray, NDArray[Any]]
EPSILON = 1.0
DELTA = 1e-3
DRAWS = 40_000
# A game on whole fits needs as many fits; a larger claim shows more with fewer of them.
FIT_DRAWS = 3_000
FIT_EPSILON = 4.0


@dataclass(frozen=True)
class Case:
    """One audit to run; a control is broken on purpose and must not pass."""

    name: str
    run: Callable[[], AuditResult]
    control: bool = False


# Returns the audits of one family; a seed repeats them.
ListCases = Callable[[int | None], list[Case]]


def game_case(
    name: str, mechanism: Mechanism, seed: int | None, *, delta: float = 0.0, draws: int = DRAWS, control: bool = False
) -> Case:
    """Return the distinguishing game of a mechanism on its furthest neighbours."""
    game = mechanism_game(mechanism, *furthest_pair(mechanism), epsilon=EPSILON, delta=delta, name=name, seed=seed)
    return Case(name, lambda: game.play(draws), control)


def replay_result(run: Callable[[Any], dict[str, object]], data: Any, neighbour: Any, *, rows: int = 1) -> AuditResult:
    """Run on two neighbours with equal noise, and return how much of each declared sensitivity was used.

    ``rows`` is how many rows of one person differ between the neighbours.
    """
    outcome = replay(run, data, neighbour, rows=rows)
    # A replay is no statistic: the bound is the share of the declared sensitivity that the neighbour used.
    return AuditResult("replay", EPSILON, EPSILON * outcome.largest_share, 1.0, outcome.queries, outcome.passed)


def replay_fits(make_model: Callable[[], Any], data: tuple[Any, ...], neighbour: tuple[Any, ...]) -> AuditResult:
    """Return the replay of fitting ``make_model()`` to each of two tables and releasing it."""
    return replay_result(lambda table: dict(make_model().fit(*table).release().arrays), data, neighbour)
