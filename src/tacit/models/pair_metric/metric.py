"""A metric learned from pairs that does not give away who is related to whom."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from tacit import checks
from tacit.arrays import FloatArray
from tacit.data.rows.pairs import Signs
from tacit.errors import InputError
from tacit.models.class_labels import fitted_rows
from tacit.models.estimator_input import full_labels, validate_data
from tacit.models.pair_metric.inputs import Pairs, dissimilar, from_classes, from_features, from_indices, kappa_of
from tacit.models.pair_metric.release import PairFacts, bound_widths, metric_release, pair_card, released_metric
from tacit.models.pair_metric.solvers import LOCAL, PairFigures, Solver, SolverSettings, solver_settings
from tacit.models.pair_metric.sums import SUM_MECHANISMS
from tacit.models.pair_metric.thresholds import best_threshold
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.scikit_learn import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from tacit.privacy.account import Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.releases.file import Release


@dataclass(eq=False, repr=False, kw_only=True)
class PairMetric(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator):
    """A Mahalanobis metric from pairs that are similar or dissimilar.

    Protected: one relationship and everything in the pairs that reveals it, at (epsilon, delta): the features and
    labels of κ pairs may be any others. Not protected: who was compared with whom, the number of pairs, and a whole
    person beyond the factor that the card states.

    Parameters
    ----------
    epsilon, ledger, random_state
        As in ``PrivateEstimator``; the ledger is that of the private pairs, of unit ``pair``.
    bounds : pair
        Public (low, high) of the features: numbers, or arrays with one number for each feature.
    delta : float, default 1e-6
        For ``mechanism="gaussian"``; the others have none.
    solver : {"diagonal", "sgd", "dpp", "dpp-s"}, DiagonalSettings, DescentSettings or PrintedSettings
        ``diagonal``: one release of feature differences, a weight for each feature. ``sgd``: private descent of the
        contrastive loss from the identity. The last two are [pairs] Alg. 1 as printed and need ``accounting="paper"``.
        A name stands for the default settings.
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

    bounds: tuple[Any, Any]
    delta: float = 1e-6
    solver: SolverSettings | str = "diagonal"
    mechanism: str = "gaussian"
    accounting: str = "sound"
    kappa: int | str = "second"
    transitive: bool = True
    topology: str | float = "chain"
    preprocessor: ArrayLike | None = None

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
        plan = Plan(self._budget(), tuple(solver.steps()), n_features, warning=solver.warning)
        account = self._open(plan, "pair metric")
        scaled, self.fell_back_ = solver.learn(account, differences, pairs.dissimilar, random_state=self.random_state)
        self.components_: FloatArray = scaled / bound_widths(self.bounds)
        self.kappa_, self.n_pairs_, self.n_features_in_ = kappa, n_pairs, n_features
        facts = PairFacts(kappa, pairs.graph, transitive=self.transitive, public=pairs.public)
        self.card_ = pair_card(account, facts, local=self.mechanism in LOCAL)
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return W x of each row [N, d']: Euclidean distances there are the metric's distances."""
        return fitted_rows(self, X) @ self.components_.T

    @property
    def _n_features_out(self) -> int:
        """The number of columns of `transform`, by which scikit-learn names them."""
        return len(self.components_)

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
        solver = solver_settings(self.solver, self.accounting)
        settings = {"solver": solver.name, "mechanism": self.mechanism, "n_pairs": self.n_pairs_}
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

    def _budget(self) -> Budget:
        """Return the promise; only Gaussian noise needs a delta."""
        if self.accounting == "sound":
            gaussian = self.mechanism == "gaussian"
        else:
            gaussian = getattr(solver_settings(self.solver, self.accounting), "gaussian", False)
        return Budget(self.epsilon, self.delta if gaussian else 0.0, unit=Unit.PAIR)

    def _solver(self, n_features: int, n_pairs: int, kappa: int) -> Solver:
        """Return the solver with its public settings, every one of them checked."""
        settings = solver_settings(self.solver, self.accounting)
        self._budget()
        if self.accounting == "paper" and self.ledger is not None:
            raise InputError(
                "ledger must be None with accounting='paper': more is spent than the printed algorithm states, and a "
                "ledger must not be told less. Use accounting='sound'."
            )
        if self.accounting == "sound":
            checks.one_of("mechanism", self.mechanism, (*SUM_MECHANISMS, "input"))
        return settings.planned(PairFigures(n_features, n_pairs, kappa, self.mechanism, self.epsilon, self.delta))

    def _pairs(self, X: ArrayLike, y: ArrayLike) -> Pairs:
        """Return the pairs of one of the three shapes."""
        if self.preprocessor is not None:
            return from_indices(np.asarray(X), y, self._table())
        if np.asarray(X).ndim == 3:
            return from_features(check_array(X, allow_nd=True, dtype=np.float64), y)
        rows, classes = validate_data(self, X, full_labels(self, y), dtype=np.float64)
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
