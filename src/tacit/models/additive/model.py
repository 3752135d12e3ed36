"""Finished additive models: curves with their noise, and what they say of rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tacit.arrays import FloatArray
from tacit.models.additive.class_check import ClassCheck
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.number_check import NumberCheck
from tacit.models.additive.pairs import PairCurve
from tacit.models.additive.rows import RowLayout
from tacit.records import record

FitFacts = dict[str, Any]
RowLevels = NDArray[np.integer[Any]]  # levels of rows [N, q], -1 where nothing is known


@record
class AdditiveCurves:
    """One curve for each column: what each of its levels adds to a row's scores; tables of some pairs of columns."""

    levels: tuple[ColumnLevels, ...]
    values: FloatArray
    """[L, K]: of all columns' levels side by side, for each of K scores."""
    deviations: FloatArray
    """[L, K]: standard deviation of the noise in them."""
    intercept: FloatArray
    """[K]"""
    shares: FloatArray
    """[L]: noisy shares of each column's levels: where its curve matters."""
    pairs: tuple[PairCurve, ...] = ()
    """What pairs of columns add beside their curves."""

    @property
    def layout(self) -> RowLayout:
        """Where each column's levels stand."""
        return RowLayout(self.levels)

    def scores(self, codes: RowLevels) -> tuple[FloatArray, FloatArray]:
        """Return scores [N, K] of rows with level ``codes`` [N, q], and the variance of the noise in them.

        A code of -1 stands for what the curve does not know: it adds 0, the mean of the curve over the owner's rows.
        """
        n_scores = len(self.intercept)
        table = np.hstack([self.values, self.deviations**2])
        sums = np.zeros((len(codes), 2 * n_scores))
        for place, part in enumerate(self.layout.parts()):
            sums += np.vstack([table[part], np.zeros((1, 2 * n_scores))])[codes[:, place]]
        for pair in self.pairs:
            sums += np.hstack(pair.scores(codes))
        return sums[:, :n_scores] + self.intercept, sums[:, n_scores:]

    def energies(self) -> FloatArray:
        """Return the variance of each column's curve under the noisy shares [q], summed over the scores."""
        return self.layout.energies(self.values, self.shares)


@record
class ClassScores:
    """What a release says of rows: log-odds of each class against the rest [N, C] and their standard deviations."""

    log_odds: FloatArray
    deviations: FloatArray


@record
class Predictions:
    """What a release says of a numeric target: its mean [N] and its variance [N] around it."""

    mean: FloatArray
    variance: FloatArray


@record
class AdditiveClassifier:
    """An additive classifier as it is handed out."""

    curves: AdditiveCurves
    check: ClassCheck
    classes: tuple[str, ...]
    facts: FitFacts
    """Public settings of the fit: rows, steps, noise."""

    @property
    def size(self) -> float:
        """Noisy number of rows times mu: how much signal stands against the noise."""
        return float(self.facts["n_rows"] * self.facts["mu"])

    def scores(self, codes: RowLevels) -> ClassScores:
        """Return calibrated log-odds of rows with level ``codes`` [N, q]."""
        logits, variances = self._logits(codes)
        if len(self.classes) == 2:
            return ClassScores(np.hstack([-logits, logits]), np.sqrt(np.hstack([variances, variances])))
        rest = np.stack([logsumexp(np.delete(logits, k, axis=1), axis=1) for k in range(logits.shape[1])], axis=1)
        return ClassScores(logits - rest, np.sqrt(variances))

    def log_probabilities(self, codes: RowLevels) -> FloatArray:
        """Return the logarithm of calibrated class probabilities [N, C]; differences of two columns are log-odds."""
        logits, _ = self._logits(codes)
        if len(self.classes) == 2:
            logits = np.hstack([np.zeros_like(logits), logits])
        logs: FloatArray = logits - logsumexp(logits, axis=1, keepdims=True)
        return logs

    def probabilities(self, codes: RowLevels) -> FloatArray:
        """Return calibrated class probabilities [N, C]."""
        return np.exp(self.log_probabilities(codes))

    def _logits(self, codes: RowLevels) -> tuple[FloatArray, FloatArray]:
        scores, variances = self.curves.scores(codes)
        check, last = self.check, len(self.check.offsets)
        covariance = check.covariance
        cross = covariance[np.arange(last), -1]
        uncertain = np.diag(covariance)[:last] + 2 * scores * cross + scores**2 * covariance[-1, -1]
        return check.scale * scores + check.offsets, check.scale**2 * variances + np.maximum(uncertain, 0.0)


@record
class AdditiveRegression:
    """An additive regression as it is handed out; it works in spreads of the target around its centre."""

    curves: AdditiveCurves
    check: NumberCheck
    centre: float
    spread: float
    """Of the target, noisy."""
    bounds: tuple[float, float]
    """Of the target, public."""
    facts: FitFacts
    """Public settings of the fit: rows, steps, noise."""

    @property
    def size(self) -> float:
        """Noisy number of rows times mu: how much signal stands against the noise."""
        return float(self.facts["n_rows"] * self.facts["mu"])

    def predict(self, codes: RowLevels) -> Predictions:
        """Return predictions of rows with level ``codes`` [N, q], within the public bounds."""
        scores, variances = (part[:, 0] for part in self.curves.scores(codes))
        check, covariance = self.check, self.check.covariance
        mean = self.centre + self.spread * (check.scale * scores + check.offset)
        uncertain = covariance[0, 0] + 2 * scores * covariance[0, 1] + scores**2 * covariance[1, 1]
        variance = check.residual_variance + check.scale**2 * variances + np.maximum(uncertain, 0.0)
        return Predictions(np.clip(mean, *self.bounds), self.spread**2 * variance)
