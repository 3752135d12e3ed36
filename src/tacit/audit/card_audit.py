"""The reviewer's audit of a card: recompute its epsilon, and play the game on every mechanism it names."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from tacit.audit.game import Game, furthest_rows, mechanism_game
from tacit.privacy import accounting
from tacit.privacy.card import Card
from tacit.privacy.card_content import AuditResult, Part
from tacit.privacy.mechanisms import (
    AgainstRest,
    Duchi,
    Exponential,
    Mechanism,
    NormGamma,
    ObjectivePerturbation,
    StackedPerturbation,
    Staircase,
    TunedPerturbation,
    from_settings,
)

DRAWS = 20_000
# Of an audit that every release gets: all of it together, the least that shows anything, and how sure it is.
SECONDS, FEWEST_DRAWS, QUICK_CONFIDENCE = 3.0, 500, 1 - 1e-6
QUICK_DRAWS = 8_000
# Relative room for an epsilon that was printed and read again.
ROUNDING = 1e-9
COMPARED = 1e-3


@dataclass(frozen=True)
class CardAudit:
    """The audit of a card."""

    claimed: float
    recomputed: float
    """The epsilon on the card, and what its events cost together."""
    results: tuple[AuditResult, ...]
    """One game for each part of the release."""
    understated: tuple[str, ...] = ()
    """The parts of which the mechanism on the card costs more than the event on the card."""

    @property
    def adds_up(self) -> bool:
        """Whether the events on the card cost no more than the card says."""
        return self.recomputed <= self.claimed * (1 + ROUNDING)

    @property
    def passed(self) -> bool:
        """Whether nothing contradicts the card."""
        return self.adds_up and not self.understated and all(result.passed for result in self.results)


def audit_card(
    card: Card,
    *,
    draws: int = DRAWS,
    seed: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> CardAudit:
    """Return the audit of ``card``: what its events cost together, and a lower bound on epsilon for each part.

    The game is played with the mechanism as the card describes it, on the neighbours that it hides least: all
    rows of one person, where the card is per person. ``progress`` is told before each game.
    """
    recomputed = accounting.epsilon(card.event, delta=card.delta)
    games = [_game(part, card.delta, seed) for part in card.parts]
    understated = tuple(part.what for part in card.parts if not _covers(part, card.delta))
    results = []
    for place, game in enumerate(games, start=1):
        progress(f"game {place} of {len(games)}: {card.parts[place - 1].what}, {draws:,} draws a side")
        results.append(game.play(draws))
    return CardAudit(card.epsilon, recomputed, tuple(results), understated)


def _covers(part: Part, delta: float) -> bool:
    """Whether the part's event costs at least what one draw of its mechanism costs: a plan charges one draw or more."""
    one_draw = accounting.at_group(from_settings(part.mechanism).event, part.rows)
    # Compared at the card's delta, and at one at which Gaussian noise and atoms both have a finite epsilon.
    return all(
        accounting.epsilon(one_draw, delta=each) <= accounting.epsilon(part.event, delta=each) * (1 + ROUNDING)
        for each in {delta, max(delta, COMPARED)}
    )


def quick_audit(card: Card, *, seed: int | None = None) -> tuple[AuditResult, ...]:
    """Return the games of those parts of ``card`` that cost seconds, with fewer draws than a reviewer's audit.

    How many is decided by the kind of mechanism, not by a clock, so that a seed repeats them. Their bounds hold with
    99.9999 % confidence: of a million sound releases one says that its card is contradicted.
    """
    results = []
    for part in card.parts:
        seconds = SECONDS / len(card.parts)
        draws = min(QUICK_DRAWS, int(seconds / _seconds_a_draw(from_settings(part.mechanism))))
        if draws >= FEWEST_DRAWS:
            results.append(_game(part, card.delta, seed).play(draws, confidence=QUICK_CONFIDENCE))
    return tuple(results)


def _seconds_a_draw(mechanism: Mechanism) -> float:
    """Return about how long one draw on each side takes; infinity for mechanisms that are never quick."""
    match mechanism:
        case StackedPerturbation() | TunedPerturbation():
            return math.inf
        case ObjectivePerturbation():
            return 1.5e-3
        case AgainstRest():
            return 4e-4 * mechanism.problems
        case Staircase() | NormGamma() | Duchi():
            return 2e-6 * mechanism.dimension
        case Exponential():
            return 1e-4
    return 2e-5


def _game(part: Part, delta: float, seed: int | None) -> Game:
    """Return the game of one draw; its claim is what the part's event on the card grants to one draw."""
    mechanism = from_settings(part.mechanism)
    claimed = accounting.epsilon(part.event, delta=delta)
    return mechanism_game(
        mechanism,
        *furthest_rows(mechanism, part.rows),
        epsilon=claimed if math.isfinite(claimed) else 0.0,
        delta=delta,
        name=part.what,
        seed=seed,
        rows=part.rows,
    )
