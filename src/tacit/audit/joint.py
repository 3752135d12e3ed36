"""Audits of joint releases: what an aggregator and a coalition learn of one row from the real protocol.

Each attack is played against the parties and the aggregator as they are, and against a twin in which one function is
replaced, by the same coalition and under the same claim: the first must pass, the second be caught.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit import case
from tacit.audit.case import DRAWS, Case, game_case
from tacit.audit.game import Game, Sampler
from tacit.audit.joint_protocol import DELTA, EPSILON, VICTIM, RunTerms, Transcript, transcript
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.card_content import AuditResult
from tacit.privacy.joint_account import outside_epsilon
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.privacy.stream import NoiseStream
from tacit.situations.joint import masking
from tacit.situations.joint.journal import AnswerBook
from tacit.situations.joint.messages import Message
from tacit.situations.joint.plan import JointPlan
from tacit.situations.joint.refusals import JoinRefusedError

ROWS = 10
# Replaces one function of the protocol while it is entered.
Twin = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class Attack:
    """A plan, and the number to which an adversary reduces each coordinate of what it has after a run."""

    terms: RunTerms
    statistic: Callable[[Transcript], GridCells]
    coalition: bool = True
    """Whether as many parties as the plan withstands help the aggregator."""
    dropped: bool = False
    """Whether as many honest parties as a total may be without drop out before it."""
    again: bool = False
    """Whether it asks everything again, without the victim."""

    @property
    def claim(self) -> float:
        """Epsilon of the stated guarantee: the outsiders' one for an aggregator without a coalition."""
        return EPSILON if self.coalition else outside_epsilon(self.terms.signed()[0].plan.release_plan)

    def draws(self, count: int, *, extra_row: bool, stream: NoiseStream | None) -> FloatArray:
        """Return ``count`` draws of the statistic from one run, in which the victim has one row more or not."""
        helpers = self.terms.colluding if self.coalition else 0
        silent = range(VICTIM + 1, VICTIM + 1 + self.terms.absent) if self.dropped else ()
        said = transcript(
            self.terms, count, extra_row=extra_row, coalition=helpers, stream=stream, silent=silent, again=self.again
        )
        return self.statistic(said).astype(np.float64)


def played(attack: Attack, seed: int | None, twin: Twin = nullcontext, *, draws: int = DRAWS) -> AuditResult:
    """Return the result of the distinguishing game of an attack on the protocol, or on a ``twin`` of it."""
    stream = None if seed is None else NoiseStream(seed)

    def sampler(extra_row: bool) -> Sampler:
        return lambda count: attack.draws(count, extra_row=extra_row, stream=stream)

    claim = attack.claim
    with twin():
        return Game("joint release", claim, DELTA, sampler(False), sampler(True)).play(draws)


def victims_share(said: Transcript) -> GridCells:
    """Return a total with the victim less one without it: its share. Without a second total, the first one."""
    with_victim, without = said.tap.total(0), said.second.total(0)
    return said.total() if with_victim is None or without is None else with_victim - without


# Half of the parties collude: noise for all of them instead of the others is too small by a factor of sqrt(2).
COALITION = Attack(RunTerms("moments", parties=4, colluding=2, queries=(0,)), Transcript.total)
AGGREGATOR = Attack(COALITION.terms, Transcript.total, coalition=False)
# Two of four are gone, one colludes: what is left is the victim's own noise.
DROPPED = Attack(RunTerms("moments", parties=4, colluding=1, queries=(0,), absent=2), Transcript.total, dropped=True)
# Many parties, each with a small share: what one of them sends says most about its rows if its masks fail.
TWO_UPLOADS = Attack(
    RunTerms("fabricated", parties=9, colluding=1, queries=(0, 1)),
    lambda said: said.upload_of(VICTIM, 0) - said.upload_of(VICTIM, 1),
)
# A total may be without one party: what it is with that party and without differs by its share.
TWO_LISTS = Attack(RunTerms("moments", parties=5, colluding=1, queries=(0,), absent=1), victims_share, again=True)
# All others collude: what hides the victim is its own noise, in two queries of one step.
TWO_TOTALS = Attack(
    RunTerms("additive", parties=3, colluding=2, queries=(1, 1)), lambda said: said.total(0) - said.total(1)
)


def unaware_noise() -> AbstractContextManager[object]:
    """Calibrate the noise as if no party of a total colluded."""
    return patch.object(JointPlan, "honest", property(lambda plan: plan.minimum))


def noise_of_all() -> AbstractContextManager[object]:
    """Calibrate the noise as if no party could drop out."""
    return patch.object(JointPlan, "honest", property(lambda plan: len(plan.parties) - plan.colluding))


def reused_masks() -> AbstractContextManager[object]:
    """Give each pair of parties one seed for all queries."""
    fresh = masking.pair_seed
    return patch.object(masking, "pair_seed", lambda pair, _: fresh(pair, 0))


def replayed_shares() -> AbstractContextManager[object]:
    """Let parties answer a question that they answered before with another content: from the shares they have sent."""
    strict = AnswerBook.answer_to

    def lenient(book: AnswerBook, question: Message, request: bytes) -> bytes | None:
        try:
            return strict(book, question, request)
        except JoinRefusedError:
            return None

    return patch.object(AnswerBook, "answer_to", lenient)


def replayed_noise() -> AbstractContextManager[object]:
    """Let each party add the noise of its first answer to all."""
    fresh, drawn = JointGaussian.share, dict[int, tuple[NoiseStream, GridCells]]()

    def stale(mechanism: JointGaussian, cells: GridCells, stream: NoiseStream) -> GridCells:
        # A party's account has one stream for all its answers; held here, no later one gets its identity.
        _, noise = drawn.setdefault(id(stream), (stream, fresh(mechanism, np.zeros_like(cells), stream)))
        return np.asarray(cells + noise)

    return patch.object(JointGaussian, "share", stale)


SOUND = {
    "the aggregator's view": AGGREGATOR,
    "a coalition's view": COALITION,
    "a coalition's view after others dropped out": DROPPED,
    "a coalition's view of two uploads": TWO_UPLOADS,
    "two lists of who is in a total": TWO_LISTS,
    "a coalition's view of two totals": TWO_TOTALS,
}
TWINS = {
    "noise without the coalition's part": (COALITION, unaware_noise),
    "noise that counts on those who drop out": (DROPPED, noise_of_all),
    "masks reused": (TWO_UPLOADS, reused_masks),
    "a party's share replayed": (TWO_LISTS, replayed_shares),
    "a share's noise replayed": (TWO_TOTALS, replayed_noise),
}


def cases(seed: int | None) -> list[Case]:
    """Return the games of joint noise and of the real protocol, and of twins with one function replaced."""

    def against(attack: Attack, twin: Twin = nullcontext) -> Callable[[], AuditResult]:
        return lambda: played(attack, seed, twin)

    return [
        game_case("joint gaussian, a coalition's view", calibrated(4, 3), seed, delta=case.DELTA),
        *(Case(f"joint release, {name}", against(attack)) for name, attack in SOUND.items()),
        *(Case(f"control: {name}", against(*pair), control=True) for name, pair in TWINS.items()),
    ]


def calibrated(parties: int, honest: int) -> JointGaussian:
    """Return the least joint noise that keeps the audit's claim against all but ``honest`` parties."""
    budget = Budget(case.EPSILON, case.DELTA, unit=Unit.RECORD)

    def at(sigma: float) -> JointGaussian:
        return JointGaussian(sigma, 1.0, parties=parties, honest=honest, rows=ROWS)

    return at(calibrate(lambda sigma: at(sigma).event, budget))
