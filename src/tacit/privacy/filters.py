"""When a ledger stops, although every charge may be chosen after seeing all answers before it: privacy filters.

Adding up privacy-loss distributions and stopping at the budget holds for a plan that is fixed in advance. It does not
hold if the next charge may depend on earlier answers: the analyst spends the rest where it pays most, and the total
exceeds (epsilon, delta) [natural-filter]. A filter is a stopping rule that holds for every such analyst. Known ones:

- epsilons add up to at most epsilon, without delta [filters];
- squared Gaussian parameters mu² add up to at most the mu² that fits (epsilon, delta) [gdp-filter]; a release that is
  mu-GDP by a bound, such as one of pure epsilon, counts with that mu;
- Rényi divergences of one order, fixed in advance, add up to at most what converts to (epsilon, delta) [renyi-filter].

A ledger goes on while *any* of its filters does. Let filter j alone be (epsilon, delta_j)-private, J(t) the first
filter that a whole transcript t keeps within its cap, and T_j the transcript cut off, with a mark, where filter j would
stop. Costs only grow, so a transcript with J(t) = j is never cut off by j. For every set S of transcripts

    P(T in S) = sum_j P(T_j in S, J(T_j) = j)  <=  sum_j [e^epsilon P'(T_j in S, J(T_j) = j) + delta_j]
              = e^epsilon P'(T in S) + sum_j delta_j,

so the ledger is (epsilon, sum of delta_j)-private. The shares of delta are fixed when it is made. One share is kept for
the deltas that releases bring along: an (epsilon, delta) release is, with probability 1 - delta, one of pure epsilon
[composition], and the probabilities of the exceptions add up whatever the analyst does [adaptive]. Charges count when
they are made, so that releases whose draws interleave, like the answers of a desk, are covered too.

The first charge is chosen before anything was seen: a plan fixed in advance. It may take the whole budget by the
tightest accounting; if no filter covers it, nothing more is charged.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tacit.arrays import FloatArray
from tacit.errors import UnknownEventError
from tacit.numerics.normal import inverse_log_cdf
from tacit.privacy import events
from tacit.privacy.accounting import ROUNDING, Leaf, gaussian_delta, gaussian_epsilon
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.events import Event

# Parts of delta: for deltas that releases bring along, for the Gaussian filter, for all Rényi filters together.
SHARES = (0.25, 0.5, 0.25)
# Entry-level releases bring a delta along, the mass of their atom at zero, and no Gaussians.
ENTRY_SHARES = (0.75, 0.125, 0.125)
# One Rényi order for each: the part of epsilon that pure charges take where this order is the best one.
PURE_PARTS = (0.0, 0.5, 0.75, 0.9)
# Room for the bias of discrete Gaussians, of at most epsilon and at most this: 10^-19 for each of their coordinates.
MOST_BIAS = 1e-6
# Places in a vector of costs; Rényi orders lie between the Gaussian and the mass.
PURE, GAUSSIAN, RENYI, MASS, BIAS = 0, 1, slice(2, -2), -2, -1

Orders = tuple[float, ...]


@dataclass(frozen=True)
class Filters:
    """The filters of a ledger with ``budget``; costs are vectors, added up charge by charge.

    A vector holds epsilon, mu², the Rényi divergence at each order, the delta that came along, and the bias of noise.
    """

    budget: Budget

    @property
    def shares(self) -> tuple[float, float, float]:
        """The parts of delta: for masses, for the Gaussian filter, for all Rényi filters."""
        return ENTRY_SHARES if self.budget.unit is Unit.ENTRY else SHARES

    @property
    def orders(self) -> Orders:
        """The Rényi orders: none without delta.

        Gaussian noise of divergence a v/2 at order a has its least epsilon near a - 1 = 2 log(1/delta)/epsilon; epsilon
        is here what pure charges leave of it.
        """
        if self.budget.delta == 0:
            return ()
        slope = -2 * math.log(self._renyi_delta) / self.budget.epsilon
        return tuple(1 + slope / (1 - part) for part in PURE_PARTS)

    @property
    def caps(self) -> FloatArray:
        """What may be added up: of each filter, of masses and of biases."""
        return _caps(self)

    def computed_caps(self) -> FloatArray:
        """Return ``caps``, computed anew."""
        most_bias = MOST_BIAS * min(self.budget.epsilon, 1.0)
        rest = self.budget.epsilon - 2 * most_bias
        caps = [self.budget.epsilon * (1 + ROUNDING), -math.inf]
        if self.budget.delta > 0:
            # Noise within a factor e^bias of the ideal one costs 2 bias and a factor on delta, as in accounting.
            shrunk = math.exp(-most_bias)
            caps[GAUSSIAN] = _largest_mu(rest, self.shares[1] * self.budget.delta * shrunk) ** 2
            caps += [rest - renyi_offset(order, self._renyi_delta * shrunk) for order in self.orders]
        return np.array([*caps, self.shares[0] * self.budget.delta * (1 + ROUNDING), most_bias])

    def nothing(self) -> FloatArray:
        """Return the costs of no charge."""
        return np.zeros(len(self.orders) + 4)

    def cost(self, event: Event) -> FloatArray:
        """Return what ``event`` adds; of parts the most that any of them adds, in each place."""
        return _cost(event, self.orders)

    def hold(self, total: FloatArray) -> bool:
        """Whether some filter is within its cap, and masses and biases are."""
        if total[MASS] > self.caps[MASS]:
            return False
        within = total[:MASS] <= self.caps[:MASS]
        # A bias comes with Gaussians alone, which the filter of pure epsilons never holds.
        return bool(within[PURE] or (total[BIAS] <= self.caps[BIAS] and within.any()))

    def epsilon(self, total: FloatArray) -> float:
        """Return the least epsilon whose filters would hold ``total`` at the budget's delta; infinite if none does."""
        if total[MASS] > self.caps[MASS]:
            return math.inf
        bounds = [float(total[PURE])]
        if self.budget.delta > 0 and total[BIAS] <= self.caps[BIAS]:
            bias, shrunk = float(total[BIAS]), math.exp(-float(total[BIAS]))
            mu, share = math.sqrt(total[GAUSSIAN]), self.shares[1] * self.budget.delta
            bounds.append((gaussian_epsilon(1 / mu, share * shrunk) if mu else 0.0) + 2 * bias)
            offsets = [renyi_offset(order, self._renyi_delta * shrunk) for order in self.orders]
            bounds += [float(spent) + offset + 2 * bias for spent, offset in zip(total[RENYI], offsets, strict=True)]
        return min(bounds)

    @property
    def _renyi_delta(self) -> float:
        return self.budget.delta * self.shares[2] / len(PURE_PARTS)


# Not a cached property: up to Python 3.11 that holds a lock, for which a child that is forked meanwhile would wait
# without end.
@lru_cache(maxsize=256)
def _caps(filters: Filters) -> FloatArray:
    caps = filters.computed_caps()
    caps.flags.writeable = False
    return caps


def renyi_offset(order: float, delta: float) -> float:
    """Return epsilon minus the Rényi divergence of ``order`` that gives it at ``delta``: [discrete] proposition 12.

    epsilon = divergence + log((a - 1)/a) - (log delta + log a)/(a - 1), a the order.
    """
    return math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1)


def pure_mu(epsilon: float) -> float:
    """Return mu for which every release of pure ``epsilon`` is mu-GDP: Phi(mu/2) = e^epsilon/(1 + e^epsilon).

    Its trade-off function is at least that of randomised response: two straight lines that meet where both errors are
    1/(1 + e^epsilon). The Gaussian one is convex and passes through the same three points, hence lies below [gdp].
    """
    return -2 * inverse_log_cdf(-float(np.logaddexp(0.0, epsilon)))


def laplace_mu(epsilon: float) -> float:
    """Return mu for which Laplace noise of ratio ``epsilon`` is mu-GDP: Phi(-mu/2) = e^(-epsilon/2)/2.

    Between its straight ends the trade-off function is b = e^-epsilon/4a. For errors a = Phi(-x) and b = Phi(x - mu)
    of a Gaussian, log a + log b is concave in x and largest in the middle, x = mu/2, where both curves meet. At the
    ends the Gaussian curve is convex and the other a straight line above it.
    """
    return -2 * inverse_log_cdf(-math.log(2) - epsilon / 2)


def pure_divergence(epsilon: float, order: float) -> float:
    """Return the largest Rényi divergence of ``order`` under pure ``epsilon``, that of randomised response.

    log(cosh((a - 1/2) epsilon)/cosh(epsilon/2))/(a - 1), a the order.
    """
    half = _log_cosh((order - 0.5) * epsilon) - _log_cosh(0.5 * epsilon)
    return half / (order - 1) + _slack(epsilon, order)


def laplace_divergence(epsilon: float, order: float) -> float:
    """Return the Rényi divergence of ``order`` of Laplace noise of ratio ``epsilon``.

    log(a/(2a - 1) e^((a - 1) epsilon) + (a - 1)/(2a - 1) e^(-a epsilon))/(a - 1), a the order [renyi].
    """
    ahead = math.log(order / (2 * order - 1)) + (order - 1) * epsilon
    behind = math.log((order - 1) / (2 * order - 1)) - order * epsilon
    return max(float(np.logaddexp(ahead, behind)), 0.0) / (order - 1) + _slack(epsilon, order)


def _log_cosh(x: float) -> float:
    # Two forms, so that neither overflows and small values keep their digits.
    if abs(x) < 1:
        return math.log1p(2 * math.sinh(x / 2) ** 2)
    return abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2)


def _slack(epsilon: float, order: float) -> float:
    """Return what the rounding of a logarithm of size (order - 1) epsilon can take away."""
    return 8 * np.finfo(float).eps * (1 / (order - 1) + epsilon)


def _cost(event: Event, orders: Orders) -> FloatArray:
    match event:
        case events.LaplaceEvent() | events.GaussianEvent() | events.ApproximateEvent():
            return _leaf_cost(event, orders)
        case events.RepeatedEvent():
            return event.count * _cost(event.event, orders)
        case events.SequentialEvent() | events.ParallelEvent():
            total = np.zeros(len(orders) + 4)
            for each in event.events:
                cost = _cost(each, orders)
                # One unit lies in one part; the largest cost in each place covers them all.
                total = total + cost if isinstance(event, events.SequentialEvent) else np.maximum(total, cost)
            return total
    raise UnknownEventError(f"no filter for an event of type {type(event).__name__}.")


@lru_cache(maxsize=4096)
def _leaf_cost(leaf: Leaf, orders: Orders) -> FloatArray:
    match leaf:
        case events.GaussianEvent():
            squared = (leaf.sensitivity / leaf.sigma) ** 2
            cost = [math.inf, squared, *(order * squared / 2 for order in orders), 0.0, leaf.bias]
        case events.LaplaceEvent():
            ratio = leaf.sensitivity / leaf.scale
            cost = [ratio, laplace_mu(ratio) ** 2, *(laplace_divergence(ratio, order) for order in orders), 0.0, 0.0]
        case events.ApproximateEvent():
            pure = [pure_divergence(leaf.epsilon, order) for order in orders]
            cost = [leaf.epsilon, pure_mu(leaf.epsilon) ** 2, *pure, leaf.delta, 0.0]
    costs = np.array(cost)
    costs.flags.writeable = False  # shared by all who ask
    return costs


def _largest_mu(epsilon: float, delta: float) -> float:
    """Return the largest mu, rounded down, with which Gaussian noise keeps (``epsilon``, ``delta``)."""
    if epsilon <= 0 or delta <= 0:
        return 0.0
    low, high = 0.0, 1.0
    while gaussian_delta(1 / high, epsilon) <= delta:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(1 / middle, epsilon) <= delta else (low, middle)
    return low  # the safe side: delta holds here
