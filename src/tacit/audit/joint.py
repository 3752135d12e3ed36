"""Audits of joint releases: what an aggregator and a coalition see of one party's rows, through the real masks."""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, Case, game_case
from tacit.audit.game import Game, Sampler
from tacit.privacy.accounting import calibrate, epsilon
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.mechanisms.base import from_grid
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.privacy.stream import NoiseStream
from tacit.situations.joint import masking

PARTIES, COLLUDING = 4, 1
# Many parties, each with a small share: what one of them sends says most about its rows if its masks fail.
MANY = 9
ROWS = 10


def cases(seed: int | None) -> list[Case]:
    """Return the games of joint noise and of the masked protocol, and of broken ones."""
    coalition = calibrated(PARTIES, PARTIES - COLLUDING)
    unaware = calibrated(PARTIES, PARTIES)
    return [
        game_case("joint gaussian, a coalition's view", coalition, seed, delta=DELTA),
        _case("joint release, the aggregator's view of a total", coalition, seed, colluding=0),
        _case("joint release, a coalition's view of a total", coalition, seed, colluding=COLLUDING),
        _case("joint release, the aggregator's view of two uploads", calibrated(MANY, MANY - 1), seed, uploads=True),
        _case("control: noise without the coalition's part", unaware, seed, colluding=PARTIES - 1, control=True),
        _case("control: masks reused", calibrated(MANY, MANY - 1), seed, uploads=True, reused=True, control=True),
        _case("control: a share of noise replayed", coalition, seed, colluding=COLLUDING, replayed=True, control=True),
    ]


def calibrated(parties: int, honest: int) -> JointGaussian:
    """Return the least joint noise that keeps the audit's claim against all but ``honest`` parties."""
    budget = Budget(EPSILON, DELTA, unit=Unit.RECORD)

    def at(sigma: float) -> JointGaussian:
        return JointGaussian(sigma, 1.0, parties=parties, honest=honest, rows=ROWS)

    return at(calibrate(lambda sigma: at(sigma).event, budget))


@dataclass(frozen=True)
class _View:
    """What is looked at: a total less the shares of a coalition, or two uploads of one party; and what is broken."""

    mechanism: JointGaussian
    colluding: int = 0
    uploads: bool = False
    reused: bool = False
    replayed: bool = False

    @property
    def claim(self) -> float:
        """Epsilon of the stated guarantee: the outsiders' one for an aggregator without a coalition."""
        outside = not self.colluding and not self.uploads
        return epsilon(self.mechanism.outside_event, delta=DELTA) if outside else EPSILON

    def statistics(self, value: float, count: int, stream: NoiseStream) -> FloatArray:
        """Return ``count`` draws of the view if the victim's sum is ``value``: each coordinate is a run of its own."""
        first = self._shares(np.full(count, value), stream)
        # A second query to which the victim's rows add nothing.
        second = self._shares(np.zeros(count), stream)
        if self.replayed:
            second = [
                own - self.mechanism.cells(np.full(count, value)) * (place == 0) for place, own in enumerate(first)
            ]
        if self.uploads:
            (one, *_), (other, *_) = (self._uploads(first, 0), self._uploads(second, 0 if self.reused else 1))
            return from_grid(masking.as_cells(one - other, (count,)), self.mechanism.step)
        totals = [self._total(shares) for shares in (first, second)]
        return from_grid(totals[0] - totals[1] if self.replayed else totals[0], self.mechanism.step)

    def _shares(self, values: FloatArray, stream: NoiseStream) -> list[GridCells]:
        own = [values, *(np.zeros_like(values) for _ in range(self.mechanism.parties - 1))]
        return [self.mechanism.share(self.mechanism.cells(each), stream) for each in own]

    def _total(self, shares: list[GridCells]) -> GridCells:
        """Return the total as the aggregator opens it, less what the coalition knows of it."""
        opened = masking.as_cells(
            masking.unmasked(self._uploads(shares, 0), map(_own_seed, range(len(shares))), []), (-1,)
        )
        known = sum(shares[len(shares) - self.colluding :], np.zeros_like(opened)) if self.colluding else 0
        return np.asarray(opened - known)

    def _uploads(self, shares: list[GridCells], query: int) -> list[masking.MaskWords]:
        """Return what the parties send for one query."""
        sent = []
        for party, cells in enumerate(shares):
            others = [other for other in range(len(shares)) if other != party]
            pairs = [(masking.sign_of(party, other), _pair_seed(party, other, query)) for other in others]
            sent.append(masking.masked(masking.as_words(cells), _own_seed(party + 100 * query), pairs))
        return sent


def _own_seed(number: int) -> bytes:
    """Return a seed of a party's own mask; any will do here, if no two are the same."""
    return b"own " + number.to_bytes(12, "little")


def _pair_seed(first: int, second: int, query: int) -> bytes:
    return masking.pair_seed(bytes(sorted([first, second])) * 16, query)


def _case(name: str, mechanism: JointGaussian, seed: int | None, *, control: bool = False, **view: bool | int) -> Case:
    attacker = _View(mechanism, **view)  # type: ignore[arg-type]  # its own fields by name
    stream = NoiseStream(seed)

    def sampler(value: float) -> Sampler:
        return lambda count: attacker.statistics(value, count, stream)

    game = Game(name, attacker.claim, DELTA, sampler(0.0), sampler(1.0))
    return Case(name, lambda: game.play(DRAWS), control)
