"""Figures of held-out class probabilities with 95 % intervals: accuracy, area, log-loss, calibration."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from tacit import checks
from tacit.arrays import Codes, FloatArray
from tacit.errors import InputError
from tacit.records import record

CONFIDENCE = 0.95
# Pairs of rows of both classes below which no area is stated.
LEAST_PAIRS = 10
LEAST_PROBABILITY = 1e-6
N_BINS = 5


@dataclass(frozen=True)
class Figure:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """Return JSON-ready data."""
        return {"value": self.value, "low": self.low, "high": self.high}

    @classmethod
    def from_dict(cls, content: Mapping[str, float]) -> "Figure":
        """Return the figure that ``to_dict`` wrote."""
        return cls(float(content["value"]), float(content["low"]), float(content["high"]))


def wilson_interval(count: int, total: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the interval of shares that ``count`` of ``total`` rows do not contradict.

    (count + z²/2 ± z sqrt(count (total − count)/total + z²/4)) / (total + z²), z the normal quantile of
    (1 + confidence)/2 [wilson]. It stays inside [0, 1] and is honest for small numbers; of no rows it is [0, 1].
    """
    if not 0 <= count <= total:
        raise InputError(f"count must be between 0 and total, {total}; got {count}.")
    if total == 0:
        return 0.0, 1.0
    z = float(norm.ppf((1 + checks.fraction("confidence", confidence)) / 2))
    centre = (count + z**2 / 2) / (total + z**2)
    half = z * float(np.sqrt(count * (total - count) / total + z**2 / 4)) / (total + z**2)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def optional_figure(content: Mapping[str, float] | None) -> Figure | None:
    """Return the figure that ``to_dict`` wrote, or None."""
    return None if content is None else Figure.from_dict(content)


@record
class HeldOut:
    """Class probabilities of labelled rows by models that did not see their labels, perhaps several times over."""

    probabilities: FloatArray
    """[T, L, C]: T times, each with other folds."""
    folds: Codes
    """[T, L]: rows of one fold were predicted by one model; only their scores can be compared."""

    def log_losses(self, codes: Codes) -> FloatArray:
        """Return -log p(true class) of each row, averaged over the times [L]."""
        true = self.probabilities[:, np.arange(len(codes)), codes]
        return np.asarray(-np.log(np.maximum(true, LEAST_PROBABILITY)).mean(axis=0))

    def predicted(self) -> tuple[int, ...]:
        """Return the class of each row of largest mean probability over the times."""
        return tuple(self.probabilities.mean(axis=0).argmax(axis=1).tolist())

    def hits(self, codes: Codes) -> FloatArray:
        """Return how often each row was given its class [L]; classes that tie share."""
        best = self.probabilities == self.probabilities.max(axis=2, keepdims=True)
        shares = best / best.sum(axis=2, keepdims=True)
        return np.asarray(shares[:, np.arange(len(codes)), codes].mean(axis=0))


def accuracy(held_out: HeldOut, codes: Codes) -> Figure:
    """Return the share of rows given their class, with Wilson's interval [wilson]."""
    right = float(held_out.hits(codes).sum())
    low, high = wilson_interval(round(right), len(codes))
    return Figure(right / len(codes), min(low, right / len(codes)), max(high, right / len(codes)))


def log_loss(held_out: HeldOut, codes: Codes) -> Figure:
    """Return the mean log-loss with Student's interval, which does not go below 0."""
    figure = mean_figure(held_out.log_losses(codes))
    return replace(figure, low=max(figure.low, 0.0))


def log_loss_difference(first: HeldOut, second: HeldOut, codes: Codes) -> Figure:
    """Return the mean of first minus second, row by row: below 0 the first is better."""
    return mean_figure(first.log_losses(codes) - second.log_losses(codes))


def mean_figure(values: FloatArray) -> Figure:
    """Return the mean with Student's interval; one value alone says nothing of its spread."""
    if len(values) < 2:
        raise InputError(f"a mean with an interval needs at least two values; got {len(values)}.")
    mean = float(values.mean())
    half = float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return Figure(mean, mean - half, mean + half)


def area(held_out: HeldOut, codes: Codes) -> Figure | None:
    """Return the area under the ROC curve over pairs of rows of the same fold; None with too few pairs.

    Rows of different folds were scored by different models: mixing them biases the area below chance. Of several
    classes it is the mean over classes, each against the rest. The interval is from leaving out one row at a time.
    """
    n_classes = held_out.probabilities.shape[2]
    places = [1] if n_classes == 2 else range(n_classes)
    counted = [_pair_counts(held_out, codes == place, place) for place in places]
    counted = [(wins, pairs) for wins, pairs in counted if pairs.sum() >= 2 * LEAST_PAIRS]
    if not counted:
        return None
    whole = float(np.mean([wins.sum() / pairs.sum() for wins, pairs in counted]))
    # Each pair is counted with both of its rows: without row i, its pairs go twice.
    parts = [(wins.sum() - 2 * wins) / np.maximum(pairs.sum() - 2 * pairs, 1e-12) for wins, pairs in counted]
    left_out = np.mean(parts, axis=0)
    n = len(left_out)
    error = float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * error
    return Figure(whole, max(whole - half, 0.0), min(whole + half, 1.0))


@dataclass(frozen=True)
class CalibrationBin:
    """Rows of similar predicted probability: their mean prediction and how often it came true."""

    predicted: float
    observed: Figure
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {"predicted": self.predicted, "observed": self.observed.to_dict(), "rows": self.n_rows}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "CalibrationBin":
        """Return the bin that ``to_dict`` wrote."""
        return cls(float(content["predicted"]), Figure.from_dict(content["observed"]), int(content["rows"]))


def calibration(held_out: HeldOut, codes: Codes) -> tuple[CalibrationBin, ...]:
    """Return bins of nearly equal numbers of predictions of every class, by predicted probability."""
    n_classes = held_out.probabilities.shape[2]
    classes = [1] if n_classes == 2 else list(range(n_classes))
    predicted = held_out.probabilities[:, :, classes].mean(axis=0).ravel()
    came_true = (codes[:, None] == np.array(classes)).astype(np.float64).ravel()
    order = np.argsort(predicted, kind="stable")
    parts = [part for part in np.array_split(order, N_BINS) if len(part)]
    return tuple(_bin(predicted[part], came_true[part]) for part in parts)


def _bin(predicted: FloatArray, came_true: FloatArray) -> CalibrationBin:
    count, total = int(came_true.sum()), len(came_true)
    return CalibrationBin(float(predicted.mean()), Figure(count / total, *wilson_interval(count, total)), total)


def _pair_counts(held_out: HeldOut, positive: NDArray[np.bool_], place: int) -> tuple[FloatArray, FloatArray]:
    """Return for each row its pairs won (ties half), and its pairs, with rows of the other side in the same fold."""
    wins, pairs = np.zeros(len(positive)), np.zeros(len(positive))
    for scores, folds in zip(held_out.probabilities[:, :, place], held_out.folds, strict=True):
        for fold in np.unique(folds):
            ours = np.flatnonzero((folds == fold) & positive)
            theirs = np.flatnonzero((folds == fold) & ~positive)
            difference = scores[ours][:, None] - scores[theirs][None, :]
            won = (difference > 0) + 0.5 * (difference == 0)
            wins[ours] += won.sum(axis=1)
            wins[theirs] += won.sum(axis=0)
            pairs[ours] += len(theirs)
            pairs[theirs] += len(ours)
    return wins, pairs
