"""Learning a numeric target from known values and releases, and predictions held out from it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.average.average import Average, fit_hypotheses, releases_only
from tacit.adoption.average.boosted_trees import learn_target_trees
from tacit.adoption.average.kernel_features import KERNELS, features_of
from tacit.adoption.average.learned import TREE_FOLDS, TREE_LABELS, Learned, LearnerRows, folds
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.target_member import NOISE_VARIANCE, TargetFitter, TargetMember, near_targets
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.adoption.evidence.held_out import times_and_folds
from tacit.arrays import Codes, FloatArray
from tacit.records import record

TargetLearned = Learned[TargetMember]
# Fewer known values cannot say anything of releases.
LEAST_VALUES = 3


@record
class TargetRows(LearnerRows):
    """Rows with targets in standard units."""

    targets: FloatArray

    def take(self, places: NDArray[np.intp]) -> "TargetRows":
        """Return some of the rows."""
        scores = tuple(each[places] for each in self.scores)
        return TargetRows(self.X[places], self.Z[places], scores, self.targets[places])

    def near(self) -> "TargetRows":
        """Return the rows with far targets brought nearer to the mean."""
        return replace(self, targets=near_targets(self.targets))


def learn_target(
    rows: TargetRows,
    setting: Setting,
    trusts: Sequence[float],
    *,
    size: float,
    seed: int,
    kernels: Sequence[str] = KERNELS,
    noise: float | None = None,
) -> TargetLearned:
    """Return what known values and releases teach; with hardly any value the releases alone.

    ``noise`` is the variance that releases state, in standard units: what is believed until values tell.
    """
    if len(rows.targets) < LEAST_VALUES:
        fit = TargetFitter(Inputs(rows.scores, rows.Z, {}), rows.targets, setting, noise or NOISE_VARIANCE)
        return TargetLearned({}, None, releases_only(fit, trusts))
    features, trees, out_of_fold = features_of(rows.Z, size, kernels), None, None
    if len(rows.targets) >= TREE_LABELS:
        trees = learn_target_trees(rows.X, near_targets(rows.targets), seed=seed)
        out_of_fold = _trees_out_of_fold(rows.near(), seed)
    fit = TargetFitter(Inputs(rows.scores, rows.Z, features, out_of_fold), rows.targets, setting)
    # A target that runs against a release is no swapped name of a class: reversed releases are not considered.
    fits = fit_hypotheses(fit, trusts, kernels=kernels, reversals=False)
    return TargetLearned(features, trees, fits.average(), fits)


def moments(average: Average[TargetMember] | WeightedMembers[TargetMember], inputs: Inputs) -> FloatArray:
    """Return mean and variance [2, N] of the target over the members."""
    mean, second = average.mean(lambda member: member.moments(inputs))
    return np.stack([mean, np.maximum(second - mean**2, 1e-12)])


@record
class HeldOutTargets:
    """Mean and variance [2, T, L] of known values by models that did not see them, of each way to learn."""

    folds: Codes
    """[T, L]: Values of one fold were predicted by one model."""
    constant: FloatArray
    alone: FloatArray
    adopted: FloatArray
    """[2, T, L]: from the mean of the other values; from them without any release; from both."""
    without: tuple[FloatArray, ...]
    """Adopted without each release in turn; empty for fewer than two."""


def held_out_targets(
    rows: TargetRows, setting: Setting, trusts: Sequence[float], *, size: float, seed: int, times: int | None = None
) -> HeldOutTargets:
    """Return held-out predictions of known values by every method; everything is learned again without each fold."""
    n = len(rows.targets)
    usual_times, n_folds = times_and_folds(n)
    times = times or usual_times
    n_without = len(trusts) if len(trusts) > 1 else 0
    tables = np.empty((3 + n_without, 2, times, n))
    marks = np.empty((times, n), dtype=np.intp)
    for time in range(times):
        for mark, fold in enumerate(folds(n, n_folds, seed=seed + 1 + time)):
            marks[time, fold] = mark
            rest = rows.take(np.setdiff1d(np.arange(n), fold))
            learned = learn_target(rest, setting, trusts, size=size, seed=seed)
            inputs = learned.inputs(rows.take(fold))
            tables[0, :, time, fold] = rest.targets.mean(), rest.targets.var() + 1e-12
            tables[1, :, time, fold] = moments(learned.average.alone, inputs).T
            for place, average in enumerate([learned.average, *_without_each(learned, n_without)], start=2):
                tables[place, :, time, fold] = moments(average, inputs).T
    return HeldOutTargets(marks, tables[0], tables[1], tables[2], tuple(tables[3:]))


def _without_each(learned: TargetLearned, n_without: int) -> list[Average[TargetMember]]:
    """Return the averages in which each release in turn plays no part."""
    if learned.fits is None:
        return [learned.average] * n_without
    return [learned.fits.average(without=place) for place in range(n_without)]


def _trees_out_of_fold(rows: TargetRows, seed: int) -> FloatArray:
    """Return what trees that did not see a row's target say of it [L, 1]."""
    outputs = np.empty((len(rows.targets), 1))
    for fold in folds(len(rows.targets), TREE_FOLDS, seed=seed):
        rest = np.setdiff1d(np.arange(len(rows.targets)), fold)
        outputs[fold] = learn_target_trees(rows.X[rest], rows.targets[rest], seed=seed)(rows.X[fold])
    return outputs
