"""Discrete Gaussian noise that several parties draw together, each a share of it, on sums that they add up.

The sum of discrete Gaussians is not one, but very nearly: `share_slack` bounds the ratio of their probabilities.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError, SensitivityError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy import noise
from tacit.privacy.events import GaussianEvent
from tacit.privacy.mechanisms.additive import GAUSSIAN_BIAS, Gaussian
from tacit.privacy.mechanisms.base import from_grid, registered, to_grid
from tacit.privacy.stream import NoiseStream

GridCells = NDArray[np.int64]
# Totals are whole numbers below this, so that 64-bit words hold them with their sign.
LARGEST_TOTAL = 2**62
# Shares of noise further out than so many standard deviations have a probability below 10^-500.
TAIL = 50.0
# The standard deviation of a share spans at least so many grid steps.
LEAST_STEPS = 2.0**24
MOST_PARTIES = 10_000
MOST_ROWS = 2**40


@registered
@dataclass(frozen=True)
class JointGaussian(Gaussian):
    """Gaussian noise of standard deviation ``sigma`` in the total of all parties, each of which draws a share.

    What `event` states, and what `draw` gives, is the view of a coalition that knows the other parties' shares: the
    total with the noise of ``honest`` parties only.

    Inequality: one unit lies with one party. Its party's values move by at most D in 2-norm and land at most
    D/g + sqrt(d) grid steps g apart, and the total by as much. The shares of h honest parties, discrete Gaussians of
    s = sigma/(g sqrt(m)) steps, sum up to the probabilities of one discrete Gaussian of s sqrt(h) steps but for a
    factor within e^(+-tau), tau = 10 sum_{k<h} e^(-2 pi² s² k/(k+1)): [joint-gaussian]. Shares of further parties are
    post-processing. Together with `Gaussian`: a Gaussian event of sigma sqrt(h/m), sensitivity D + sqrt(d) g and bias
    d (288/(s² h) + tau).

    Parameters
    ----------
    sigma : float
        Of the noise in the total if all parties take part.
    sensitivity : float
        Largest 2-norm change by one row.
    coordinates : int
        How many coordinates one unit can move.
    parties : int
        m, of whom each draws noise of sigma / sqrt(m).
    honest : int
        h, how many of those who take part are at least not in the coalition.
    rows : int
        The most rows of one party, a public number: with it no total is larger than 2^62 grid steps.
    """

    parties: int = 1
    honest: int = 1
    rows: int = 2**24
    name = "joint gaussian"

    def __post_init__(self) -> None:
        super().__post_init__()
        parties = checks.whole("parties", self.parties)
        if checks.whole("honest", self.honest) > parties or parties > MOST_PARTIES:
            raise InputError(
                f"honest must be at most parties, and those {MOST_PARTIES:,}; got {self.honest}, {parties}."
            )
        if checks.whole("rows", self.rows) > MOST_ROWS:
            raise InputError(f"rows must be at most {MOST_ROWS:,}; got {self.rows:,}.")
        if self.share_steps < LEAST_STEPS:
            raise InputError(
                f"rows must be fewer for noise of {self.sigma:.3g} and {parties} parties: totals of {self.rows:,} rows "
                "of each would leave no room for exact whole numbers. Lower the largest number of rows of a party."
            )

    @classmethod
    def of(cls, one: Gaussian, *, parties: int, honest: int, rows: int) -> "JointGaussian":
        """Return noise as large as that of ``one`` if all ``parties`` draw their shares."""
        return cls(one.sigma, one.sensitivity, one.coordinates, parties, honest, rows)

    @property
    def step(self) -> float:
        """The grid step g: the finest power of two for which no total needs more than 62 bits."""
        reach = self.parties * self.rows * self.sensitivity + TAIL * self.sigma * math.sqrt(self.parties)
        return 2.0 ** math.ceil(math.log2(2 * reach / LARGEST_TOTAL))

    @property
    def share_steps(self) -> float:
        """The standard deviation of one party's share in grid steps, rounded up."""
        return math.nextafter(self.sigma / math.sqrt(self.parties) * (1 + 2.0**-50), math.inf) / self.step

    @property
    def largest_share(self) -> int:
        """The largest number of grid steps that a party may send: all its rows, and noise as far out as it comes."""
        return math.floor(self.rows * self.sensitivity / self.step) + 1 + math.ceil(TAIL * self.share_steps)

    @property
    def event(self) -> GaussianEvent:
        """What the total tells a coalition that knows the shares of all but ``honest`` parties."""
        honest_sigma = self.sigma * math.sqrt(self.honest / self.parties)
        slack = GAUSSIAN_BIAS / (self.share_steps**2 * self.honest) + share_slack(self.share_steps, self.honest)
        widened = self.sensitivity + math.sqrt(self.coordinates) * self.step
        return GaussianEvent(honest_sigma, widened, min(self.coordinates * slack, 0.5))

    @property
    def outside_event(self) -> GaussianEvent:
        """What the total tells everyone who knows no share, if all parties took part."""
        return type(self).of(self, parties=self.parties, honest=self.parties, rows=self.rows).event

    def cells(self, values: FloatArray | IntegerSum) -> GridCells:
        """Return one party's values in whole grid steps; raise SensitivityError if its rows cannot have them.

        Whole numbers whose quantum is at least the step are not rounded: parties' cells add up to those of all rows.
        """
        cells = to_grid(values, self.step)
        most = math.floor(self.rows * self.sensitivity / self.step) + 1
        if cells.size and max(abs(int(cells.max())), abs(int(cells.min()))) > most:
            raise SensitivityError(f"a sum is larger than {self.rows:,} rows could make it.")
        return cells.astype(np.int64)

    def share(self, cells: GridCells, stream: NoiseStream) -> GridCells:
        """Return ``cells`` with one party's share of the noise."""
        drawn = noise.discrete_gaussian(stream, cells.size, self.share_steps)
        noisy: GridCells = cells + drawn.reshape(cells.shape)
        return noisy

    def values(self, total: GridCells) -> FloatArray:
        """Return the values of a total of all parties; raise InputError if no rows could add up to it."""
        if total.size and int(np.abs(total).max()) > self.parties * self.largest_share:
            raise InputError("the total is larger than rows of all parties could make it: a party sent garbage.")
        return from_grid(total, self.step)

    def draw(self, values: FloatArray | IntegerSum, stream: NoiseStream) -> FloatArray:
        """Return what a coalition sees of ``values``: with the noise of the honest parties alone."""
        cells = self.cells(values)
        for _ in range(self.honest):
            cells = self.share(cells, stream)
        return from_grid(cells, self.step)


def share_slack(steps: float, parties: int) -> float:
    """Return tau, which bounds how far a sum of discrete Gaussians is from one: [joint-gaussian] theorem 1.

    tau = 10 sum_{k=1}^{m-1} e^(-2 pi² s² k/(k+1)) bounds the absolute logarithm of the ratio of the probabilities of
    the sum of m discrete Gaussians of s ``steps``, at least 1/2, and of one of s sqrt(m), even twice: the derivation
    stands in docs/federation.md. Rounded up, and never to 0.
    """
    if parties == 1:
        return 0.0
    exponents = [-2 * math.pi**2 * steps**2 * k / (k + 1) for k in range(1, min(parties, MOST_PARTIES))]
    return 10 * math.fsum(map(math.exp, exponents)) * (1 + 1e-9) or math.ulp(0.0)
