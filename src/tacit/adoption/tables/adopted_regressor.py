"""The receiver's engine for a numeric target: any number of known values from zero, and any releases."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from tacit.adoption.average.average import Average
from tacit.adoption.average.member_inputs import Setting
from tacit.adoption.average.representation import represent
from tacit.adoption.average.target_member import TargetMember
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.adoption.evidence.figures import Figure
from tacit.adoption.evidence.target_evidence import TargetEvidence, TargetReleaseFigures
from tacit.adoption.evidence.target_figures import (
    TargetFigures,
    squared_error_difference,
    stretch,
    target_figures,
)
from tacit.adoption.sources.source import LEAST_TRUST, MOST_TRUST, Source
from tacit.adoption.tables.target_learned import (
    HeldOutTargets,
    TargetLearned,
    TargetRows,
    held_out_targets,
    learn_target,
    moments,
)
from tacit.arrays import FLOATS, FloatArray, Rows
from tacit.errors import InputError
from tacit.models.estimator_input import validate_data
from tacit.models.parallel import one_blas_thread
from tacit.models.scikit_learn import BaseEstimator, RegressorMixin

REFERENCE_ROWS = 2000
# Rows at once: what is computed of them stays in a core's cache, and its memory is used again, not given back.
BLOCK = 512
# Fewer known values give no held-out figures.
LEAST_VALUES = 10
# Without values, releases of less prior probability than this are refused.
LEAST_RELEASE_TRUST = 0.1
# Standard deviation of the prior of a release's weight about 1, without noise, and variance that noise adds to it over
# rows times mu; of a release that does not say how many, and at most. Values in the target's own unit, which the check
# of the owner calibrated, need less room than log-odds, whose scale drifts between tables. With .1 for all, known
# values cost releases of 3000 rows or more .001 of R², and gain .001 less with smaller ones.
WEIGHT_DRIFT, WEIGHT_NOISE = 0.04, 4.0
WEIGHT_SD, MOST_WEIGHT_SD = 0.1, 0.3
# Prior probability that a release holds, at best: more than that of classes, since one of nothing is calibrated to
# predictions that hardly differ. With it, the weights and the intercepts, R² over four tables other than those reported
# is .176 and .192 with 20 and 50 values instead of .164 and .187.
MOST_TARGET_TRUST = 0.95


class AdoptedRegressor(RegressorMixin, BaseEstimator):
    """Learn a numeric target from any number of known values, other rows and the releases of others.

    As `AdoptedClassifier`, with normal noise of unknown size: evidence is exact, predictions have intervals that cover
    nine of ten values.

    The receiver's rows are not protected: a fitted model holds some of them.

    Parameters
    ----------
    sources : sequence of Source
        What releases say of rows: the target's mean [N, 1].
    bounds : pair of float or None
        Public bounds of the target; predictions stay within.
    evidence : bool, default True
        Whether to learn again without each part of the values, to show what adopting did and to stretch intervals.
    random_state : int or None
        Seed of folds and trees; no privacy depends on it.

    Attributes
    ----------
    learned_ : TargetLearned
    releases_average_ : Average
        Of the releases without any known value.
    stretch_ : float
        Predicted standard deviations that an interval reaches either way.
    evidence_ : TargetEvidence

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> few = np.where(np.arange(len(y)) < 60, y, np.nan)
    >>> bool(AdoptedRegressor(evidence=False, random_state=0).fit(X, few).score(X[60:], y[60:]) > 0.35)
    True
    """

    def __init__(
        self,
        sources: Sequence[Source] = (),
        *,
        bounds: tuple[float, float] | None = None,
        evidence: bool = True,
        random_state: int | None = None,
    ) -> None:
        self.sources = sources
        self.bounds = bounds
        self.evidence = evidence
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from encoded rows ``X`` [N, p] and targets ``y`` [N], NaN where unknown."""
        with one_blas_thread():
            return self._fit(X, y)

    def _fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        rows = np.asarray(validate_data(self, X, dtype=FLOATS))
        targets = _targets(y, len(rows))
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        places = check_random_state(seed).permutation(np.flatnonzero(~np.isnan(targets)))
        self.representation_ = represent(rows)
        reference = rows[:: max(1, -(-len(rows) // REFERENCE_ROWS))]
        self._set_units(targets[places], reference)
        self._set_surroundings(reference)
        target_rows = self._rows(rows[places], targets[places])
        if len(places) == 0:
            self._check_releases()
        self.learned_ = self._learn(target_rows, seed)
        self.releases_average_ = self._learn(target_rows.take(np.empty(0, dtype=np.intp)), seed).average
        held_out = None
        if self.evidence and len(places) >= LEAST_VALUES:
            held_out = held_out_targets(target_rows, self.setting_, self.trusts_, size=self.size_, seed=seed)
        self.stretch_ = self._stretch(held_out, target_rows.targets)
        self.evidence_ = self._evidence(held_out, target_rows, len(rows) - len(places))
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the target's mean [N]."""
        check_is_fitted(self)
        return self._bounded(self._moments(X, self.learned_.average)[0] * self.unit_ + self.centre_)

    def predict_interval(self, X: ArrayLike) -> FloatArray:
        """Return the ends [N, 2] of intervals that are to cover nine of ten values."""
        check_is_fitted(self)
        mean, variance = self._moments(X, self.learned_.average)
        reach = self.stretch_ * np.sqrt(variance)
        return self._bounded(np.stack([mean - reach, mean + reach], axis=1) * self.unit_ + self.centre_)

    def alone_predict(self, X: ArrayLike) -> FloatArray:
        """Return the target's mean [N] by the known values without any release."""
        check_is_fitted(self)
        return self._bounded(self._moments(X, self.learned_.average.alone)[0] * self.unit_ + self.centre_)

    def releases_predict(self, X: ArrayLike) -> FloatArray:
        """Return the target's mean [N] by the releases without any known value."""
        check_is_fitted(self)
        return self._bounded(self._moments(X, self.releases_average_)[0] * self.unit_ + self.centre_)

    def figures(self, X: ArrayLike, targets: FloatArray) -> tuple[TargetFigures, ...]:
        """Return how well each way to learn predicts ``targets`` [L] of rows that were not learned."""
        check_is_fitted(self)
        constant = np.stack([np.zeros(len(targets)), np.ones(len(targets))])
        predictions = {
            "constant": constant,
            "alone": self._moments(X, self.learned_.average.alone),
            "releases": self._moments(X, self.releases_average_),
            "adopted": self._moments(X, self.learned_.average),
        }
        folds, values = np.zeros((1, len(targets)), dtype=np.intp), (targets - self.centre_) / self.unit_
        for each in predictions.values():
            each[0] = (self._bounded(each[0] * self.unit_ + self.centre_) - self.centre_) / self.unit_
        units = {"unit": self.unit_, "centre": self.centre_, "reach": self.stretch_}
        return tuple(
            target_figures(name, each[:, None, :], constant[:, None, :], values, folds, **units)
            for name, each in predictions.items()
        )

    def _bounded(self, values: FloatArray) -> FloatArray:
        return values if self.bounds is None else np.clip(values, *self.bounds)

    def _moments(self, X: ArrayLike, average: Average[TargetMember] | WeightedMembers[TargetMember]) -> FloatArray:
        rows = np.asarray(validate_data(self, X, dtype=FLOATS, reset=False))
        unknown = np.full(BLOCK, np.nan)
        blocks = [rows[first : first + BLOCK] for first in range(0, len(rows), BLOCK)]
        target_rows = (self._rows(each, unknown[: len(each)]) for each in blocks)
        inputs = (self.learned_.inputs(each, trees_read=average.reads_trees) for each in target_rows)
        with one_blas_thread():
            return np.concatenate([moments(average, each) for each in inputs], axis=1)

    def _rows(self, rows: Rows, targets: FloatArray) -> TargetRows:
        return TargetRows(rows, self.representation_(rows), self._scores(rows), (targets - self.centre_) / self.unit_)

    def _raw_scores(self, rows: Rows) -> list[FloatArray]:
        if not len(rows):
            return [np.empty((0, 1)) for _ in self.sources]
        scored = [(each.name, each.scores) for each in self.sources if each.scores is not None]
        return [clean_targets(scores(rows), len(rows), self.bounds, name=name) for name, scores in scored]

    def _scores(self, rows: Rows) -> tuple[FloatArray, ...]:
        """Return what releases say in standard units; far beyond the known values they say no more than "large"."""
        return tuple(np.clip((each - self.centre_) / self.unit_, -20, 20) for each in self._raw_scores(rows))

    def _set_units(self, known: FloatArray, reference: Rows) -> None:
        """Choose the unit and origin in which targets are learned: those of known values, or of what releases say."""
        values = known
        if len(known) < 2 or not np.ptp(known):
            values = np.concatenate([known, *(each.ravel() for each in self._raw_scores(reference))])
        self.centre_ = float(values.mean()) if len(values) else 0.0
        self.unit_ = (float(values.std()) if len(values) else 0.0) or 1.0

    def _set_surroundings(self, reference: Rows) -> None:
        rows = self._rows(reference, np.full(len(reference), np.nan))
        self.setting_ = Setting(
            n_classes=1,
            precisions=np.array([each.reliability.precision for each in self.sources]),
            mean_scores=np.array([each.mean(axis=0) for each in rows.scores]).reshape(-1, 1),
            weight_sds=np.array([weight_sd(each.reliability.rows_times_mu) for each in self.sources]),
        )
        self.trusts_ = tuple(
            target_trust(each.reliability.trust) if np.ptp(scores) > 0 else LEAST_TRUST
            for each, scores in zip(self.sources, rows.scores, strict=True)
        )
        self.size_ = float(np.vecdot(rows.Z, rows.Z).mean()) or 1.0

    def _check_releases(self) -> None:
        pairs = zip(self.sources, self.trusts_, strict=True)
        if any(min(trust, source.reliability.clear_trust) >= LEAST_RELEASE_TRUST for source, trust in pairs):
            return
        why = "no release says more of your rows than chance" if self.sources else "there is no release"
        raise InputError(f"y holds no known value, and {why}: give some values, or another release.")

    def _learn(self, known: TargetRows, seed: int) -> TargetLearned:
        return learn_target(known, self.setting_, self.trusts_, size=self.size_, seed=seed, noise=self._stated_noise())

    def _stated_noise(self) -> float | None:
        """Return the noise variance that releases state, in standard units; None if none does."""
        stated = [each.residual for each in self.sources if each.residual is not None]
        return float(np.mean(stated) / self.unit_) ** 2 if stated else None

    def _stretch(self, held_out: HeldOutTargets | None, targets: FloatArray) -> float:
        if held_out is None:
            return stretch(np.ones((2, 1, 0)), np.empty(0))
        return stretch(held_out.adopted, targets)

    def _evidence(self, held_out: HeldOutTargets | None, known: TargetRows, n_unknown: int) -> TargetEvidence:
        average, targets = self.learned_.average, known.targets
        gains: list[Figure | None] = [None] * len(self.sources)
        methods: tuple[TargetFigures, ...] = ()
        difference = None
        if held_out is not None:
            without = held_out.without or (held_out.alone,) * len(self.sources)
            gains = [squared_error_difference(each, held_out.adopted, targets) for each in without]
            difference = squared_error_difference(held_out.adopted, held_out.alone, targets)
            methods = self._all_figures(held_out, known)
        releases = tuple(
            TargetReleaseFigures(source.name, trust, float(used), gain, source.note)
            for source, trust, used, gain in zip(self.sources, self.trusts_, average.used, gains, strict=True)
        )
        return TargetEvidence(len(targets), n_unknown, methods, difference, releases)

    def _all_figures(self, held_out: HeldOutTargets, known: TargetRows) -> tuple[TargetFigures, ...]:
        named = [("constant", held_out.constant), ("alone", held_out.alone)]
        if self.sources:
            said = moments(self.releases_average_, self.learned_.inputs(known))[:, None, :]
            named.append(("releases", np.repeat(said, len(held_out.folds), axis=1)))
        named.append(("adopted", held_out.adopted))
        return tuple(
            target_figures(
                name, each, held_out.constant, known.targets, held_out.folds, unit=self.unit_, centre=self.centre_
            )
            for name, each in named
        )


def target_trust(trust: float) -> float:
    """Return the prior probability that a release of a number holds, from that of one of classes with its check."""
    return LEAST_TRUST + (MOST_TARGET_TRUST - LEAST_TRUST) * (trust - LEAST_TRUST) / (MOST_TRUST - LEAST_TRUST)


def weight_sd(rows_times_mu: float | None) -> float:
    """Return the prior standard deviation of the weight of a release whose owner has so many rows times mu."""
    if rows_times_mu is None:
        return WEIGHT_SD
    return min(MOST_WEIGHT_SD, float(np.hypot(WEIGHT_DRIFT, np.sqrt(WEIGHT_NOISE / max(rows_times_mu, 1.0)))))


def clean_targets(
    raw: FloatArray, n_rows: int, bounds: tuple[float, float] | None, *, name: str = "source"
) -> FloatArray:
    """Return what a release says of the target [N, 1], finite and within bounds; refuse another shape."""
    raw = np.asarray(raw, dtype=np.float64)
    if raw.shape != (n_rows, 1):
        raise InputError(f"the scores of {name} must have shape {(n_rows, 1)}; got {raw.shape}.")
    usable = np.isfinite(raw)
    middle = float(np.median(raw[usable])) if usable.any() else 0.0
    values = np.where(usable, raw, middle)
    return np.asarray(values if bounds is None else np.clip(values, *bounds))


def _targets(y: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    if y is None:
        raise InputError("AdoptedRegressor requires y to be passed, but the target y is None.")
    try:
        values = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"y must be numeric, NaN where unknown; got {type(y).__name__}.") from problem
    if values.shape != (n_rows,):
        raise InputError(f"y must hold one value for each of the {n_rows} rows; got shape {values.shape}.")
    if np.isinf(values).any():
        raise InputError("y must hold finite numbers, or NaN where unknown; got infinity.")
    return values
