"""The ways to learn a metric from pairs, with their settings: a diagonal, a descent, and the printed algorithms."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from numpy.typing import ArrayLike

from tacit import checks
from tacit.errors import InputError
from tacit.models.pair_metric.descent import MetricDescent
from tacit.models.pair_metric.diagonal import Diagonal
from tacit.models.pair_metric.input_noise import InputNoise
from tacit.models.pair_metric.printed import PrintedDescent
from tacit.models.pair_metric.sums import SUM_MECHANISMS, checked_radius, feature_factors, indicator_mask

Solver = Diagonal | InputNoise | MetricDescent | PrintedDescent
# Which solvers each way of accounting has.
SOLVERS = {"sound": ("diagonal", "sgd"), "paper": ("dpp", "dpp-s")}
LOCAL = ("duchi", "input")


def _n_components(n_components: int | None, n_features: int) -> int:
    if n_components is None:
        return n_features
    if n_components > n_features:
        raise InputError(f"n_components must be at most the number of features, {n_features}; got {n_components}.")
    return n_components


def _require_positive(settings: object, names: Sequence[str]) -> None:
    for name in names:
        if getattr(settings, name) is not None:
            checks.positive(name, getattr(settings, name))


def _require_whole(settings: object, names: Sequence[str]) -> None:
    for name in names:
        if getattr(settings, name) is not None:
            checks.whole(name, getattr(settings, name))


@dataclass(frozen=True)
class PairFigures:
    """The public numbers that a solver is calibrated for, and its noise."""

    n_features: int
    n_pairs: int
    kappa: int
    mechanism: str
    epsilon: float
    delta: float


@dataclass(frozen=True, eq=False)
class DiagonalSettings:
    """One release of how different features are, and a weight for each feature.

    Parameters
    ----------
    radius : float or None
        Public bound on how different the features of two rows scaled to [0, 1] are, in the mechanism's norm; longer
        vectors are shortened. None: √p/2 in 2-norm, p/4 in 1-norm.
    feature_scale : array [p] or None
        Public factors by which the magnitudes of each feature enter the sums, and ``radius`` bounds their products: a
        feature in which pairs hardly ever differ needs a larger one to exceed the noise. It changes what the noise
        hides, not what is learned without noise. None: 1.
    indicators : array of bool [p] or None
        Which features are 0 or 1, such as one-hot columns: a public fact. Two numbers are different if they differ by
        0.15 of their bounds or more, two indicators if they differ. None: all are numbers.
    """

    radius: float | None = None
    feature_scale: ArrayLike | None = None
    indicators: ArrayLike | None = None

    def __post_init__(self) -> None:
        _require_positive(self, ("radius",))

    @property
    def name(self) -> str:
        """The solver's name."""
        return "diagonal"

    def planned(self, figures: PairFigures) -> Diagonal | InputNoise:
        """Return the solver of pairs with ``figures``."""
        p, kappa, mechanism, epsilon = figures.n_features, figures.kappa, figures.mechanism, figures.epsilon
        radius = checked_radius(self.radius, mechanism, p)
        indicators = indicator_mask(self.indicators, p)
        if mechanism == "input":
            return InputNoise(p, kappa, epsilon, radius, indicators)
        factors = feature_factors(self.feature_scale, p)
        return Diagonal(p, kappa, mechanism, epsilon, figures.delta, radius, factors, indicators)


@dataclass(frozen=True)
class DescentSettings:
    """Private descent of the contrastive loss from the identity.

    Parameters
    ----------
    radius : float or None
        Public bound on the 2-norm of the difference of two rows scaled to [0, 1]; None: √p/2.
    n_components : int or None
        Rows of the transformation; None: as many as features.
    margin : float, default 1.0
        How far dissimilar pairs are pushed apart, in units of ``radius``.
    clip : float, default 0.5
        The largest norm of one pair's gradient.
    passes : int, default 10
        How often each pair is read.
    batch_size : int or None
        Pairs of one step; None: all.
    rate : float, default 1.0
        Size of the first step.
    """

    radius: float | None = None
    n_components: int | None = None
    margin: float = 1.0
    clip: float = 0.5
    passes: int = 10
    batch_size: int | None = None
    rate: float = 1.0

    def __post_init__(self) -> None:
        _require_positive(self, ("radius", "margin", "clip", "rate"))
        _require_whole(self, ("n_components", "passes", "batch_size"))

    @property
    def name(self) -> str:
        """The solver's name."""
        return "sgd"

    def planned(self, figures: PairFigures) -> MetricDescent:
        """Return the solver of pairs with ``figures``."""
        if figures.mechanism in LOCAL:
            raise InputError(
                f"mechanism must be one of {SUM_MECHANISMS[:3]} for solver='sgd'; got {figures.mechanism!r}."
            )
        n_pairs, p = figures.n_pairs, figures.n_features
        size = n_pairs if self.batch_size is None else min(self.batch_size, n_pairs)
        return MetricDescent(
            n_components=_n_components(self.n_components, p),
            **asdict(figures),
            radius=checked_radius(self.radius, "gaussian", p),
            margin=self.margin,
            clip=self.clip,
            passes=self.passes,
            batches=-(-n_pairs // size),
            rate=self.rate,
        )


@dataclass(frozen=True)
class PrintedSettings:
    """[pairs] Alg. 1 as printed, whose guarantee does not hold.

    Parameters
    ----------
    reduced : bool
        Whether the noise is scaled by the batch's own maximum: DPP-S.
    gaussian : bool
        Whether norms are 2-norms and noise is Gaussian with the metric's delta: [pairs] appendix A.3, Corollary 2.
    radius : float or None
        Public bound on the 1-norm, or 2-norm, of the difference of two rows scaled to [0, 1]; None: p/4, or √p/2.
    n_components, clip, passes
        As in ``DescentSettings``.
    batch_size : int, default 50
        [pairs] section 3.6.2.
    """

    reduced: bool = False
    radius: float | None = None
    n_components: int | None = None
    clip: float = 0.5
    passes: int = 10
    batch_size: int = 50
    gaussian: bool = False

    def __post_init__(self) -> None:
        _require_positive(self, ("radius", "clip"))
        _require_whole(self, ("n_components", "passes", "batch_size"))

    @property
    def name(self) -> str:
        """The solver's name."""
        return "dpp-s" if self.reduced else "dpp"

    def planned(self, figures: PairFigures) -> PrintedDescent:
        """Return the solver of pairs with ``figures``."""
        n_pairs, p = figures.n_pairs, figures.n_features
        return PrintedDescent(
            n_pairs=n_pairs,
            n_features=p,
            n_components=_n_components(self.n_components, p),
            kappa=figures.kappa,
            epsilon=figures.epsilon,
            radius=checked_radius(self.radius, "gaussian" if self.gaussian else "laplace", p),
            clip=self.clip,
            passes=self.passes,
            batch_size=min(self.batch_size, n_pairs),
            reduced=self.reduced,
            delta=checks.fraction("delta", figures.delta) if self.gaussian else 0.0,
        )


SolverSettings = DiagonalSettings | DescentSettings | PrintedSettings
DEFAULTS: dict[str, SolverSettings] = {
    settings.name: settings
    for settings in (DiagonalSettings(), DescentSettings(), PrintedSettings(), PrintedSettings(reduced=True))
}


def solver_settings(solver: SolverSettings | str, accounting: str) -> SolverSettings:
    """Return the settings of ``solver``, the default ones of a name; one that ``accounting`` lacks is refused."""
    names = SOLVERS[checks.one_of("accounting", accounting, tuple(SOLVERS))]
    if isinstance(solver, SolverSettings):
        checks.one_of("solver", solver.name, names)
        return solver
    return DEFAULTS[checks.one_of("solver", solver, names)]
