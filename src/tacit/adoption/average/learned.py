"""Learning from a set of labels: kernel features, trees where labels allow, and the average over hypotheses."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit.adoption.average.average import Average, Fits, fit_hypotheses, releases_only
from tacit.adoption.average.boosted_trees import BoostedTrees, learn_class_trees
from tacit.adoption.average.class_members import ClassFitter, ClassMember
from tacit.adoption.average.kernel_features import KERNELS, KernelFeatures, features_of, view_kernel
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.weighted_members import M
from tacit.arrays import Codes, FloatArray, Rows
from tacit.records import record

# Labels from which trees are learned: of all classes, for each class, and of the second commonest. Over thirty tables
# of pydataset other than those reported, 50 labels alone gain .011 AUC by trees, with a release .001.
TREE_LABELS, TREE_LABELS_A_CLASS, TREE_CLASS_LABELS = 50, 25, 5
TREE_FOLDS = 4


@record
class LearnerRows:
    """Rows as learners see them."""

    X: Rows
    """[L, p]: encoded rows, which trees read."""
    Z: FloatArray
    """[L, d]: represented rows, which kernels read."""
    scores: tuple[FloatArray, ...]
    """[L, C] each: clean scores of each release; [L, 1] of a numeric target."""

    @property
    def release_features(self) -> Mapping[int, FloatArray]:
        """The rows in the features of releases that have some, by the place of the release."""
        return {}


@record
class LabelledRows(LearnerRows):
    """Rows with class codes."""

    codes: Codes
    """[L]"""
    views: Mapping[int, FloatArray] = field(default_factory=dict)
    """Rows in the features of releases, by the place of the release."""

    @property
    def release_features(self) -> Mapping[int, FloatArray]:
        """See `LearnerRows`."""
        return self.views

    def take(self, places: NDArray[np.intp]) -> "LabelledRows":
        """Return some of the rows."""
        scores = tuple(each[places] for each in self.scores)
        views = {place: each[places] for place, each in self.views.items()}
        return LabelledRows(self.X[places], self.Z[places], scores, self.codes[places], views)


@record
class Surroundings:
    """What is known without labels."""

    setting: Setting
    trusts: tuple[float, ...]
    """Prior probability that each release holds."""
    size: float
    """Mean squared norm of represented rows."""
    kernels: Sequence[str] = KERNELS
    view_sizes: Mapping[int, float] = field(default_factory=dict)
    """Mean squared norm of rows in the features of releases, by the place of the release."""
    correlations: FloatArray | None = None
    """[R, R] or None: between the releases' scores of the receiver's rows."""

    def features(self, rows: LabelledRows) -> dict[str, KernelFeatures]:
        """Return the features of each kernel, of the receiver's columns and of the features of releases."""
        by_kernel = features_of(rows.Z, self.size, self.kernels)
        for place, size in self.view_sizes.items():
            view_features = features_of(rows.views[place], size, self.kernels)
            by_kernel |= {view_kernel(kernel, place): each for kernel, each in view_features.items()}
        return by_kernel


@record
class Learned(Generic[M]):
    """What was learned from labels, or known values of a target, and releases."""

    features: dict[str, KernelFeatures]
    """The kernels' features, by name."""
    trees: BoostedTrees | None
    average: Average[M]
    fits: Fits[M] | None = None
    """Every fitted hypothesis, for averages without one release; None where labels cannot tell releases apart."""

    def inputs(self, rows: LearnerRows, *, trees_read: bool = True) -> Inputs:
        """Return what the members of the average read of rows; trees cost most, and are not asked unless read."""
        trees = None if self.trees is None or not trees_read else self.trees(rows.X)
        return Inputs(rows.scores, rows.Z, self.features, trees, rows.release_features)


def learn(rows: LabelledRows, around: Surroundings, *, seed: int) -> Learned[ClassMember]:
    """Return what labelled ``rows`` and releases teach; with no label, or those of one class, the releases alone."""
    n_classes, setting = around.setting.n_classes, around.setting
    if len(np.unique(rows.codes)) < 2:
        fit = ClassFitter(Inputs(rows.scores, rows.Z, {}), rows.codes, setting)
        return Learned({}, None, _releases_only(fit, around))
    features, trees, out_of_fold = around.features(rows), None, None
    if trees_allowed(rows.codes):
        trees = learn_class_trees(rows.X, rows.codes, n_classes, seed=seed)
        out_of_fold = tree_scores_out_of_fold(rows.X, rows.codes, n_classes, seed=seed)
    fit = ClassFitter(Inputs(rows.scores, rows.Z, features, out_of_fold, rows.views), rows.codes, setting)
    fits = fit_hypotheses(
        fit, around.trusts, kernels=around.kernels, views=around.view_sizes, correlations=around.correlations
    )
    return Learned(features, trees, fits.average(), fits)


def _releases_only(fit: ClassFitter, around: Surroundings) -> Average[ClassMember]:
    return releases_only(fit, around.trusts, views=around.view_sizes, correlations=around.correlations)


def trees_allowed(codes: Codes) -> bool:
    """Whether labels are enough for trees."""
    counts = np.sort(np.unique(codes, return_counts=True)[1])
    enough = max(TREE_LABELS, TREE_LABELS_A_CLASS * len(counts))
    return len(codes) >= enough and len(counts) > 1 and int(counts[-2]) >= TREE_CLASS_LABELS


def tree_scores_out_of_fold(X: Rows, codes: Codes, n_classes: int, *, seed: int) -> FloatArray:
    """Return class log-odds [L, C] of labelled rows by trees that did not learn from their labels."""
    scores = np.zeros((len(codes), n_classes))
    for fold in folds(len(codes), TREE_FOLDS, seed=seed):
        rest = np.setdiff1d(np.arange(len(codes)), fold)
        if len(np.unique(codes[rest])) > 1:
            scores[fold] = learn_class_trees(X[rest], codes[rest], n_classes, seed=seed)(X[fold])
    return scores


def folds(n: int, n_folds: int, *, seed: int) -> list[NDArray[np.intp]]:
    """Return places of ``n`` rows in random parts of nearly equal size.

    Parts are not balanced by class: a balanced part tells the model that leaves it out how common its classes are, and
    with random labels the accuracy shown would be above chance.
    """
    order = check_random_state(seed).permutation(n)
    return [np.sort(part) for part in np.array_split(order, min(n_folds, n))]
