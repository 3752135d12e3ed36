"""Predictions of labelled rows by models that did not see their labels, of everything that chose those models too."""

import numpy as np

from tacit.adoption.average.average import Average
from tacit.adoption.average.class_members import ClassMember, probabilities
from tacit.adoption.average.learned import LabelledRows, Learned, Surroundings, folds, learn
from tacit.adoption.evidence.figures import HeldOut
from tacit.arrays import Codes, FloatArray
from tacit.records import record

N_FOLDS, FEW_FOLDS = 5, 3
# With fewer labels the folds are drawn several times over.
TIMES = ((50, 4), (200, 2))
# With more labels three folds are enough.
MANY_LABELS = 1000
# A class that the training labels lack has this many.
UNSEEN_LABELS = 0.5


@record
class HeldOutMethods:
    """Held-out predictions of each way to learn."""

    majority: HeldOut
    alone: HeldOut
    adopted: HeldOut
    """From the training labels' shares; from labels without any release; from both."""
    without: tuple[HeldOut, ...]
    """Adopted without each release in turn; empty for fewer than two."""


def times_and_folds(n_labels: int) -> tuple[int, int]:
    """Return how often folds are drawn for so many labels, and how many."""
    times = next((times for most, times in TIMES if n_labels < most), 1)
    return times, FEW_FOLDS if n_labels >= MANY_LABELS else N_FOLDS


def held_out_methods(
    rows: LabelledRows, around: Surroundings, *, seed: int, times: int | None = None
) -> HeldOutMethods:
    """Return held-out predictions of the labelled rows by every method, ``times`` over or as often as suits them.

    Each fold is predicted by models that learned from the others from scratch: kernels' features, trees, weights of
    hypotheses. Only what no label touched (the representation, the releases' scores) is shared.
    """
    n, n_classes, n_sources = len(rows.codes), around.setting.n_classes, len(around.trusts)
    usual_times, n_folds = times_and_folds(n)
    times = times or usual_times
    n_without = n_sources if n_sources > 1 else 0
    tables = np.empty((3 + n_without, times, n, n_classes))
    marks = np.empty((times, n), dtype=np.intp)
    for time in range(times):
        for mark, fold in enumerate(folds(n, n_folds, seed=seed + 1 + time)):
            rest = np.setdiff1d(np.arange(n), fold)
            marks[time, fold] = mark
            tables[:, time, fold] = _fold_predictions(rows.take(rest), rows.take(fold), around, n_without, seed=seed)
    majority, alone, adopted, *without = (HeldOut(each, marks) for each in tables)
    return HeldOutMethods(majority, alone, adopted, tuple(without))


def label_shares(codes: Codes, n_classes: int) -> FloatArray:
    """Return the classes' shares [C] among labels; a class without any counts as half a label."""
    counts = np.bincount(codes, minlength=n_classes) + UNSEEN_LABELS
    return np.asarray(counts / counts.sum())


def _fold_predictions(
    rest: LabelledRows, fold: LabelledRows, around: Surroundings, n_without: int, *, seed: int
) -> FloatArray:
    """Return the fold's class probabilities by each method [methods, rows, C]."""
    learned = learn(rest, around, seed=seed)
    inputs = learned.inputs(fold)
    majority = np.tile(label_shares(rest.codes, around.setting.n_classes), (len(fold.codes), 1))
    alone = probabilities(learned.average.alone, inputs)
    averages = [learned.average, *(_without(learned, place) for place in range(n_without))]
    return np.stack([majority, alone, *(probabilities(each, inputs) for each in averages)])


def _without(learned: Learned[ClassMember], place: int) -> Average[ClassMember]:
    """Return the average in which one release plays no part; with labels of one class there is none to compare."""
    return learned.average if learned.fits is None else learned.fits.average(without=place)
