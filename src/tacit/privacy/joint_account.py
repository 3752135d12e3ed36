"""An account whose answers are totals over several parties: each adds its share of the noise, an exchange adds them up.

A kind of release whose queries are sums over rows runs as it is at every party, with such an account in place of its
own: the answers are the same for all, and so is everything that follows from them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy.account import Account, Plan, plan_event
from tacit.privacy.accounting import calibrate, epsilon
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.events import Event, SequentialEvent
from tacit.privacy.mechanisms.additive import Gaussian
from tacit.privacy.mechanisms.base import Mechanism
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.privacy.stream import NoiseStream

AnyJointPlan = TypeVar("AnyJointPlan", bound=Plan)
# Returns the total over all parties of what each of them gives: its own noisy cells.
Exchange = Callable[[JointGaussian, GridCells], GridCells]
TOGETHER = "; a {unit} lies with one of {parties} parties, of whom at least {honest} add noise that no coalition knows"
# Nobody can tell: parties compare no identifiers.
APART = "; a person with rows at two parties counts as two persons"


class JointAccount(Account):
    """One party's access to the totals of a joint plan, which it has charged to its own ledger before.

    Parameters
    ----------
    plan : Plan
        Made by `joint_plan`.
    exchange : callable
        Takes a mechanism and the party's noisy cells, and returns the total over all parties.
    random_state : int or None
        None for secure noise.
    """

    def __init__(self, plan: Plan, exchange: Exchange, *, random_state: int | None = None) -> None:
        super().__init__(plan.steps, budget=plan.budget, stream=NoiseStream(random_state), claim=plan.claim)
        self._exchange = exchange
        self._joint = {_single(step.mechanism): step.mechanism for step in plan.steps}

    def _use(self, mechanism: Mechanism, times: int) -> None:
        super()._use(self._planned(mechanism), times)

    def _noisy(self, mechanism: Mechanism, values: FloatArray | IntegerSum) -> FloatArray:
        joint = self._planned(mechanism)
        cells = joint.cells(values)
        total = self._exchange(joint, joint.share(cells, self._stream))
        if total.shape != cells.shape or total.dtype != np.int64:
            raise InputError("a total must have the shape of what each party gave.")
        return joint.values(total)

    def _planned(self, mechanism: Mechanism) -> JointGaussian:
        """Return the joint form of a mechanism, by which the kind's own code still calls it."""
        joint = mechanism if isinstance(mechanism, JointGaussian) else self._joint.get(_single(mechanism))
        if not isinstance(joint, JointGaussian):
            raise InputError(f"{mechanism!r} is not of the joint plan: nothing was drawn.")
        return joint


def joint_plan(
    plan_for: Callable[[float], AnyJointPlan], promise: Budget, *, parties: int, honest: int, rows: int
) -> AnyJointPlan:
    """Return the plan with the least noise that keeps ``promise`` against a coalition of all but ``honest`` parties.

    ``plan_for(epsilon)`` is the kind's own plan, of which only the level of the noise is used: its mechanisms have the
    noise that all parties together add, so that what it decides by its noise is right for the total.
    """

    def at(level: float) -> AnyJointPlan:
        return _for_parties(plan_for(promise.epsilon / level), parties=parties, honest=honest, rows=rows)

    def event(level: float) -> Event:
        plan = at(level)
        return plan_event(plan.steps, plan.budget)

    plan = at(calibrate(event, promise, start=(parties / honest) ** 0.5))
    changes: dict[str, Any] = {"budget": replace(plan.budget, epsilon=promise.epsilon)}
    return replace(plan, **changes)


def outside_epsilon(plan: Plan) -> float:
    """Return what the totals of a joint plan cost towards everyone who knows no party's share of the noise."""
    events = []
    for step in plan.steps:
        mechanism = step.mechanism
        if not isinstance(mechanism, JointGaussian):
            raise InputError("the plan must be a joint one.")
        whole = replace(step, mechanism=replace(mechanism, honest=mechanism.parties))
        events.append(whole.event)
    return epsilon(SequentialEvent(tuple(events)), delta=plan.budget.delta)


def _for_parties(plan: AnyJointPlan, *, parties: int, honest: int, rows: int) -> AnyJointPlan:
    steps = []
    for step in plan.steps:
        if not isinstance(step.mechanism, Gaussian) or isinstance(step.mechanism, JointGaussian):
            raise InputError(
                f"a joint release draws Gaussian noise on sums over rows; this kind draws {step.mechanism.name!r}. "
                "Release it at each party by itself."
            )
        joint = JointGaussian.of(step.mechanism, parties=parties, honest=honest, rows=rows)
        because = step.because + TOGETHER.format(unit=plan.budget.unit, parties=parties, honest=honest)
        because += APART if plan.budget.unit == Unit.PERSON else ""
        steps.append(replace(step, mechanism=joint, because=because))
    changes: dict[str, Any] = {"steps": tuple(steps)}
    return replace(plan, **changes)


def _single(mechanism: Mechanism) -> Gaussian | None:
    """Return the Gaussian noise of one hand that is as large; None for other noise."""
    if not isinstance(mechanism, Gaussian):
        return None
    return Gaussian(mechanism.sigma, mechanism.sensitivity, mechanism.coordinates)
