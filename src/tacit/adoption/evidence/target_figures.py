"""Figures of held-out numeric predictions with 95 % intervals: R squared, absolute error, coverage."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm, t

from tacit.adoption.evidence.figures import CONFIDENCE, N_BINS, CalibrationBin, Figure, mean_figure, wilson_interval
from tacit.arrays import Codes, FloatArray

# The part of values that predicted intervals are to cover.
COVERAGE = 0.9
# Known values from which intervals are stretched to cover what they should.
LEAST_VALUES = 20


@dataclass(frozen=True)
class TargetFigures:
    """How well one way to learn predicts held-out values."""

    name: str
    """"constant", "alone", "releases" or "adopted"."""
    r_squared: Figure
    """1 - sum of squared errors over that of the mean of the other values."""
    absolute_error: Figure
    """In the target's own unit."""
    coverage: Figure
    """Share of values inside their interval, stretched by the other folds' values."""
    calibration: tuple[CalibrationBin, ...] = ()
    """From the smallest to the largest predictions: their mean, and that of the values, in the target's own unit."""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "name": self.name,
            "r_squared": self.r_squared.to_dict(),
            "absolute_error": self.absolute_error.to_dict(),
            "coverage": self.coverage.to_dict(),
            "calibration": [each.to_dict() for each in self.calibration],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "TargetFigures":
        """Return the figures that ``to_dict`` wrote."""
        return cls(
            name=str(content["name"]),
            r_squared=Figure.from_dict(content["r_squared"]),
            absolute_error=Figure.from_dict(content["absolute_error"]),
            coverage=Figure.from_dict(content["coverage"]),
            calibration=tuple(CalibrationBin.from_dict(each) for each in content["calibration"]),
        )


def target_figures(
    name: str,
    predicted: FloatArray,
    constant: FloatArray,
    targets: FloatArray,
    folds: Codes,
    *,
    unit: float,
    centre: float = 0.0,
    reach: float | None = None,
) -> TargetFigures:
    """Return the figures of one method from mean and variance [2, T, L] in standard units.

    A value in the target's own unit is ``centre`` plus ``unit`` times one in standard units. Intervals reach ``reach``
    deviations either way, or as far as the values of the other folds say.
    """
    errors = np.abs(targets - predicted[0]).mean(axis=0)
    inside = covered(predicted, targets, folds)
    if reach is not None:
        inside = (deviations_of(predicted, targets) <= reach).mean(axis=0)
    count = round(float(inside.sum()))
    return TargetFigures(
        name,
        r_squared(predicted, constant, targets),
        mean_figure(unit * errors),
        Figure(float(inside.mean()), *wilson_interval(count, len(targets))),
        calibration(centre + unit * predicted[0].mean(axis=0), centre + unit * targets),
    )


def calibration(predicted: FloatArray, targets: FloatArray) -> tuple[CalibrationBin, ...]:
    """Return bins of nearly equal numbers of values by their predictions [L]; fewer where a bin would hold one."""
    order = np.argsort(predicted, kind="stable")
    parts = np.array_split(order, max(1, min(N_BINS, len(order) // 2)))
    return tuple(
        CalibrationBin(float(predicted[part].mean()), mean_figure(targets[part]), len(part))
        for part in parts
        if len(part) > 1
    )


def r_squared(predicted: FloatArray, constant: FloatArray, targets: FloatArray) -> Figure:
    """Return 1 - squared errors/squared errors of the constant, its interval from leaving out one value at a time."""
    errors = ((targets - predicted[0]) ** 2).mean(axis=0)
    base = ((targets - constant[0]) ** 2).mean(axis=0)
    value = 1 - float(errors.sum() / max(base.sum(), 1e-300))
    left_out = 1 - (errors.sum() - errors) / np.maximum(base.sum() - base, 1e-300)
    n = len(targets)
    error = float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * error
    return Figure(value, value - half, min(value + half, 1.0))


def squared_error_difference(first: FloatArray, second: FloatArray, targets: FloatArray) -> Figure:
    """Return the mean of the first's squared errors minus the second's: below 0 the first is better."""
    errors = [((targets - each[0]) ** 2).mean(axis=0) for each in (first, second)]
    return mean_figure(errors[0] - errors[1])


def stretch(predicted: FloatArray, targets: FloatArray) -> float:
    """Return by how many predicted standard deviations an interval must reach either way to cover COVERAGE of values.

    The quantile of the values' own deviations, one rank up as in conformal prediction [conformal]; with few values that
    of Student's law.
    """
    if len(targets) < LEAST_VALUES:
        return float(t.ppf((1 + COVERAGE) / 2, max(len(targets), 3)))
    deviations = np.sort(deviations_of(predicted, targets).ravel())
    rank = min(int(np.ceil(COVERAGE * (len(deviations) + 1))), len(deviations))
    return float(deviations[rank - 1])


def covered(predicted: FloatArray, targets: FloatArray, folds: Codes) -> FloatArray:
    """Return whether each value lies in its interval [L], averaged over times; other folds' values stretch it."""
    deviations = deviations_of(predicted, targets)
    inside = np.empty_like(deviations)
    for time, marks in enumerate(folds):
        for mark in np.unique(marks):
            others = marks != mark
            reach = stretch(predicted[:, time : time + 1, others], targets[others])
            inside[time, ~others] = deviations[time, ~others] <= reach
    return np.asarray(inside.mean(axis=0))


def deviations_of(predicted: FloatArray, targets: FloatArray) -> FloatArray:
    """Return how many predicted standard deviations each value lies from its prediction [T, L]."""
    return np.asarray(np.abs(targets - predicted[0]) / np.sqrt(predicted[1]))
