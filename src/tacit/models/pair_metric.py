"""A metric learned from pairs that does not give away who is related to whom."""

from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from tacit import checks
from tacit.checks import FloatArray
from tacit.data.pairs import Signs
from tacit.errors import InputError
from tacit.models.pair_descent import Descent
from tacit.models.pair_diagonal import Diagonal
from tacit.models.pair_input_noise import InputNoise
from tacit.models.pair_inputs import Pairs, dissimilar, from_classes, from_features, from_indices, kappa_of
from tacit.models.pair_printed import PrintedDescent
from tacit.models.pair_release import PairFacts, metric_release, pair_card, released_metric, widths
from tacit.models.pair_sums import SUM_MECHANISMS, checked_radius, feature_scales, indicator_mask
from tacit.models.pair_thresholds import best_threshold
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import Ledger
from tacit.release.file import Release

Solver = Diagonal | InputNoise | Descent | PrintedDescent
SOLVERS = {"sound": ("diagonal", "sgd"), "paper": ("dpp", "dpp-s")}
LOCAL = ("duchi", "input")
PRINTED_BATCH = 50  # [pairs] section 3.6.2


class PairMetric(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A Mahalanobis metric from pairs that are similar or dissimilar.

    Protected: one relationship and everything in the pairs that reveals it, at (epsilon, delta): the features and
    labels of κ pairs may be any others. Not protected: who was compared with whom, the number of pairs, and a whole
    person beyond the factor that the card states.

    Parameters
    ----------
    epsilon : float
        Privacy loss of one fit.
    bounds : pair
        Public (low, high) of the features: numbers, or arrays with one number for each feature.
    delta : float, default 1e-6
        For ``mechanism="gaussian"``; the others have none.
    solver : {"diagonal", "sgd", "dpp", "dpp-s"}
        ``diagonal``: one release of feature differences, a weight for each feature. ``sgd``: private descent of the
        contrastive loss from the identity. The last two are [pairs] Alg. 1 as printed and need ``accounting="paper"``.
    mechanism : {"gaussian", "laplace", "staircase", "duchi", "input"}
        ``duchi`` and ``input`` randomise each pair before it is collected, and are for ``solver="diagonal"``.
    accounting : {"sound", "paper"}
        ``"paper"`` reproduces the printed algorithms, whose guarantee does not hold; their cards say so.
    kappa : int or {"second", "prime", "degree"}, default "second"
        In how many pairs one relationship may show: a number that the owner vouches for, or a bound on the public
        graph of pairs; ``"degree"`` protects a whole person (Node DP).
    transitive : bool, default True
        Whether a relationship passes on, as "has the same illness" does and "is a friend" does not.
    topology : {"chain", "matching"}, int or float
        Which rows are compared when rows with classes are given: a whole number bounds how often one row occurs, a
        float gives pairs a row.
    preprocessor : array [N, p] or None
        Rows that index pairs refer to.
    radius : float or None
        Public bound on the difference of two rows scaled to [0, 1], for ``diagonal`` on how different their features
        are, in the mechanism's norm; longer ones are shortened. None: √p/2 in 2-norm, p/4 in 1-norm.
    feature_scale : array [p] or None
        Public factors by which the magnitudes of each feature enter the sums of ``diagonal``, and ``radius`` bounds
        their products: a feature in which pairs hardly ever differ needs a larger one to be heard through the noise.
        It changes what the noise hides, not what is learned without noise. None: 1.
    indicators : array of bool [p] or None
        Which features are 0 or 1, such as one-hot columns: a public fact. To ``diagonal`` two numbers are different
        if they differ by 0.15 of their bounds or more, two indicators if they differ. None: all are numbers.
    n_components : int or None
        Rows of the transformation, for all solvers but ``diagonal``; None: as many as features.
    margin, clip, passes, batch_size, rate
        Of ``sgd``: how far dissimilar pairs are pushed in units of ``radius``, the norm of one pair's gradient, how
        often each pair is seen, in batches of how many (None: all), and the first step's size. The printed solvers
        take ``clip``, ``passes`` and ``batch_size`` too.
    ledger : Ledger, path or None
        The account of the private pairs, of unit ``pair``.
    random_state : int or None
        None for secure noise; an int repeats itself and is marked as not private.

    Attributes
    ----------
    components_ : array [d', p]
        The transformation W, in the units of the features.
    kappa_ : int
    fell_back_ : bool
        Whether the noise drowned the signal and the metric is the plain one of the scaled features.
    card_ : Card
    threshold_ : float
        After `calibrate_threshold`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> metric = PairMetric(8.0, bounds=(0, 8), random_state=0).fit(X, y)
    >>> metric.transform(X).shape, metric.kappa_
    ((150, 4), 1)
    """

    def __init__(
        self,
        epsilon: float,
        *,
        bounds: tuple[Any, Any],
        delta: float = 1e-6,
        solver: str = "diagonal",
        mechanism: str = "gaussian",
        accounting: str = "sound",
        kappa: int | str = "second",
        transitive: bool = True,
        topology: str | float = "chain",
        preprocessor: ArrayLike | None = None,
        radius: float | None = None,
        feature_scale: ArrayLike | None = None,
        indicators: ArrayLike | None = None,
        n_components: int | None = None,
        margin: float = 1.0,
        clip: float = 0.5,
        passes: int = 10,
        batch_size: int | None = None,
        rate: float = 1.0,
        ledger: Ledger | str | PathLike[str] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.delta = delta
        self.solver = solver
        self.mechanism = mechanism
        self.accounting = accounting
        self.kappa = kappa
        self.transitive = transitive
        self.topology = topology
        self.preprocessor = preprocessor
        self.radius = radius
        self.feature_scale = feature_scale
        self.indicators = indicators
        self.n_components = n_components
        self.margin = margin
        self.clip = clip
        self.passes = passes
        self.batch_size = batch_size
        self.rate = rate
        self.ledger = ledger
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def plan(self, n_features: int, n_pairs: int, kappa: int) -> list[Step]:
        """Return the queries that a fit on such pairs will make; nothing is charged."""
        return self._solver(n_features, n_pairs, kappa).steps()

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Charge the ledger, then learn from pairs.

        ``X`` is [K, 2, p] with labels ``y`` 1 (similar) and -1; or index pairs [K, 2] into ``preprocessor`` with the
        same labels; or, without a preprocessor, rows [N, p] with their classes, of which pairs are made.
        """
        pairs = self._pairs(X, y)
        differences = pairs.differences(self.bounds)
        n_pairs, n_features = differences.shape
        kappa = kappa_of(self.kappa, pairs.graph, transitive=self.transitive)
        solver = self._solver(n_features, n_pairs, kappa)
        account = Account.open(
            solver.steps(),
            budget=Budget(self.epsilon, self._delta(), unit=Unit.PAIR),
            ledger=self.ledger,
            random_state=self.random_state,
            purpose="pair metric",
            warning=solver.warning,
        )
        scaled, self.fell_back_ = solver.learn(account, differences, pairs.dissimilar, random_state=self.random_state)
        self.components_: FloatArray = scaled / widths(self.bounds)
        self.kappa_, self.n_pairs_, self.n_features_in_ = kappa, n_pairs, n_features
        facts = PairFacts(kappa, pairs.graph, transitive=self.transitive, public=pairs.public)
        self.card_ = pair_card(account, facts, local=self.mechanism in LOCAL)
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return W x of each row [N, d']: Euclidean distances there are the metric's distances."""
        check_is_fitted(self)
        rows: FloatArray = validate_data(self, X, reset=False, dtype=np.float64)
        return rows @ self.components_.T

    def get_mahalanobis_matrix(self) -> FloatArray:
        """Return M = Wᵀ W [p, p]."""
        check_is_fitted(self)
        return self.components_.T @ self.components_

    def pair_distance(self, pairs: ArrayLike) -> FloatArray:
        """Return the distance of each pair [K]: features [K, 2, p], or indices into ``preprocessor``."""
        check_is_fitted(self)
        first, second = self._ends(pairs)
        distances: FloatArray = np.linalg.norm((first - second) @ self.components_.T, axis=1)
        return distances

    def calibrate_threshold(self, pairs: ArrayLike, y: ArrayLike) -> Self:
        """Set ``threshold_``, the distance up to which pairs count as similar, to the most accurate on these pairs.

        It reads them without noise: give pairs of your own or public ones, never the owner's private pairs.
        """
        distances = self.pair_distance(pairs)
        self.threshold_ = best_threshold(distances, dissimilar(y, len(distances)))
        return self

    def predict_pairs(self, pairs: ArrayLike) -> Signs:
        """Return 1 for each pair within the threshold and -1 for the others."""
        check_is_fitted(self, "threshold_", msg="call calibrate_threshold before predict_pairs.")
        return np.where(self.pair_distance(pairs) <= self.threshold_, 1, -1)

    def release(self) -> Release:
        """Return the file to hand out: the transformation and the card."""
        check_is_fitted(self)
        settings = {"solver": self.solver, "mechanism": self.mechanism, "n_pairs": self.n_pairs_}
        return metric_release(
            self.components_,
            self.card_,
            bounds=self.bounds,
            kappa=self.kappa_,
            transitive=self.transitive,
            fell_back=self.fell_back_,
            settings=settings,
        )

    @classmethod
    def from_release(cls, release: Release) -> Self:
        """Return the metric of a release, ready to transform; it was fitted by the owner and spends nothing."""
        components, settings = released_metric(release)
        model = cls(release.card.epsilon, bounds=(settings["low"], settings["high"]), delta=release.card.delta)
        model.components_, model.card_ = components, release.card
        model.kappa_, model.fell_back_, model.n_pairs_ = settings["kappa"], settings["fell_back"], settings["n_pairs"]
        model.n_features_in_ = components.shape[1]
        return model

    def _delta(self) -> float:
        """Return the delta that the mechanism has: only Gaussian noise needs one."""
        return self.delta if self.mechanism == "gaussian" and self.accounting == "sound" else 0.0

    def _solver(self, n_features: int, n_pairs: int, kappa: int) -> Solver:
        """Return the solver with its public settings, every one of them checked."""
        accounting = checks.one_of("accounting", self.accounting, tuple(SOLVERS))
        solver = checks.one_of("solver", self.solver, SOLVERS[accounting])
        Budget(self.epsilon, self._delta(), unit=Unit.PAIR)
        if accounting == "paper":
            return self._printed(n_features, n_pairs, kappa)
        mechanism = checks.one_of("mechanism", self.mechanism, (*SUM_MECHANISMS, "input"))
        if solver == "diagonal":
            radius = checked_radius(self.radius, mechanism, n_features)
            indicators = indicator_mask(self.indicators, n_features)
            if mechanism == "input":
                return InputNoise(n_features, kappa, self.epsilon, radius, indicators)
            scale = feature_scales(self.feature_scale, n_features)
            return Diagonal(n_features, kappa, mechanism, self.epsilon, self.delta, radius, scale, indicators)
        if mechanism in LOCAL:
            raise InputError(f"mechanism must be one of {SUM_MECHANISMS[:3]} for solver='sgd'; got {mechanism!r}.")
        return self._descent(n_features, n_pairs, kappa)

    def _descent(self, n_features: int, n_pairs: int, kappa: int) -> Descent:
        size = n_pairs if self.batch_size is None else min(checks.whole("batch_size", self.batch_size), n_pairs)
        return Descent(
            n_pairs,
            n_features,
            self._components(n_features),
            kappa,
            self.mechanism,
            self.epsilon,
            self.delta,
            radius=checked_radius(self.radius, "gaussian", n_features),
            margin=checks.positive("margin", self.margin),
            clip=checks.positive("clip", self.clip),
            passes=checks.whole("passes", self.passes),
            batches=-(-n_pairs // size),
            rate=checks.positive("rate", self.rate),
        )

    def _printed(self, n_features: int, n_pairs: int, kappa: int) -> PrintedDescent:
        if self.ledger is not None:
            raise InputError(
                "ledger must be None with accounting='paper': more is spent than the printed algorithm states, and a "
                "ledger must not be told less. Use accounting='sound'."
            )
        size = PRINTED_BATCH if self.batch_size is None else checks.whole("batch_size", self.batch_size)
        return PrintedDescent(
            n_pairs,
            n_features,
            self._components(n_features),
            kappa,
            self.epsilon,
            radius=checked_radius(self.radius, "laplace", n_features),
            clip=checks.positive("clip", self.clip),
            passes=checks.whole("passes", self.passes),
            batch_size=min(size, n_pairs),
            reduced=self.solver == "dpp-s",
        )

    def _components(self, n_features: int) -> int:
        wanted = n_features if self.n_components is None else checks.whole("n_components", self.n_components)
        if wanted > n_features:
            raise InputError(f"n_components must be at most the number of features, {n_features}; got {wanted}.")
        return wanted

    def _pairs(self, X: ArrayLike, y: ArrayLike) -> Pairs:
        """Return the pairs of one of the three shapes."""
        if self.preprocessor is not None:
            return from_indices(np.asarray(X), y, self._table())
        if np.asarray(X).ndim == 3:
            return from_features(check_array(X, allow_nd=True, dtype=np.float64), y)
        rows, classes = validate_data(self, X, y, dtype=np.float64)
        return from_classes(rows, np.asarray(classes), self.topology, self.random_state)

    def _ends(self, pairs: ArrayLike) -> tuple[FloatArray, FloatArray]:
        if np.asarray(pairs).ndim == 3:
            features = check_array(pairs, allow_nd=True, dtype=np.float64)
            return features[:, 0], features[:, 1]
        if self.preprocessor is None:
            raise InputError(f"pairs must be features [K, 2, p] without a preprocessor; got {np.ndim(pairs)} axes.")
        edges = np.asarray(pairs)
        table = self._table()
        return table[edges[:, 0]], table[edges[:, 1]]

    def _table(self) -> FloatArray:
        table: FloatArray = check_array(self.preprocessor, dtype=np.float64, input_name="preprocessor")
        return table
