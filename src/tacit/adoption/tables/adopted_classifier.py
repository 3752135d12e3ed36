"""The receiver's engine for classes: any number of labels from zero, many unlabelled rows, and any releases."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit import checks
from tacit.adoption.average.average import Average
from tacit.adoption.average.class_members import ClassMember, probabilities
from tacit.adoption.average.learned import LabelledRows, Surroundings, learn
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.representation import represent
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.adoption.evidence.figures import HeldOut, log_loss_difference
from tacit.adoption.evidence.held_out import held_out_methods
from tacit.adoption.evidence.label_free import Agreement, agreement
from tacit.adoption.evidence.receiver_evidence import (
    AdoptionEvidence,
    all_figures,
    labels_can_tell,
    release_figures,
    release_gains,
)
from tacit.adoption.sources.class_shares import moved_scores, normalised
from tacit.adoption.sources.source import (
    VIEW_TRUST,
    CleanScores,
    Source,
    all_scores,
    all_views,
    clean_scores,
    score_correlations,
    trust_on_rows,
)
from tacit.arrays import FLOATS, UNLABELLED, Codes, FloatArray, Rows
from tacit.errors import InputError
from tacit.models.class_labels import partial_codes, require_two_classes
from tacit.models.estimator_input import validate_data
from tacit.models.parallel import one_blas_thread
from tacit.models.per_class import ProbabilityClassifierMixin
from tacit.models.scikit_learn import BaseEstimator

# Rows of the table from which what needs no labels is taken; more change nothing that can be measured.
REFERENCE_ROWS = 2000
# Rows at once: what is computed of them stays in a core's cache, and its memory is used again, not given back.
BLOCK = 512
# Without labels, releases of less prior probability than this are refused: their own check hardly lies above its noise,
# or their scores hardly tell our rows apart.
CHANCE_TRUST = 0.1


class AdoptedClassifier(ProbabilityClassifierMixin, BaseEstimator):
    """Learn classes from any number of labels, unlabelled rows and the releases of others.

    Own learners (linear and radial kernels, boosted trees where labels allow) and releases are averaged by their
    evidence: hypotheses differ in which releases hold, in their weights, in the intercept and in the own part. A
    release that the labels speak against plays no part; if none plays a part the model is exactly what would have been
    learned without them.

    The receiver's rows are not protected: a fitted model holds some of them. Releases are private already; adopting
    them spends nothing.

    Parameters
    ----------
    sources : sequence of Source
        What releases say of rows.
    classes : sequence of str or None
        Names of the class codes 0, 1, ...; None: the labels found in ``y``.
    shares : sequence of float or None
        The classes' shares among the receiver's rows, if they are known. None: as each release says.
    evidence : bool, default True
        Whether to learn again without each part of the labels, to show what adopting did; it takes several times as
        long.
    random_state : int or None
        Seed of folds and trees; no privacy depends on it.

    Attributes
    ----------
    classes_ : array [C]
    representation_ : Representation
    learned_ : Learned
    releases_average_ : Average
        Of the releases without any label.
    evidence_ : AdoptionEvidence

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> few = np.where(np.arange(len(y)) % 14 == 0, y, -1)
    >>> model = AdoptedClassifier(evidence=False, random_state=0).fit(X, few)
    >>> bool(model.score(X[few == -1], y[few == -1]) > 0.92)
    True
    """

    def __init__(
        self,
        sources: Sequence[Source] = (),
        *,
        classes: Sequence[str] | None = None,
        shares: Sequence[float] | FloatArray | None = None,
        evidence: bool = True,
        random_state: int | None = None,
    ) -> None:
        self.sources = sources
        self.classes = classes
        self.shares = shares
        self.evidence = evidence
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from encoded rows ``X`` [N, p] and labels ``y`` [N]; -1, None or NaN where unlabelled."""
        with one_blas_thread():
            return self._fit(X, y)

    def _fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        rows = validate_data(self, X, dtype=FLOATS)
        self.classes_, codes = partial_codes(y, self.classes)
        check_consistent_length(rows, codes)
        if self.classes is None:
            require_two_classes(codes, way_out=" With fewer, name the classes.")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.representation_ = represent(rows)
        reference = rows[:: max(1, -(-len(rows) // REFERENCE_ROWS))]
        self._correct_scores(reference)
        self.around_ = self._surroundings(reference)
        # In random order, so that a part of them is a random part.
        places = check_random_state(seed).permutation(np.flatnonzero(codes != UNLABELLED))
        labelled = self._labelled(rows[places], codes[places])
        self.agreements_ = self._agreements(reference)
        if len(np.unique(labelled.codes)) < 2:
            self._check_releases(len(labelled.codes), reference)
        self.learned_ = learn(labelled, self.around_, seed=seed)
        nothing = labelled.take(np.empty(0, dtype=np.intp))
        self.releases_average_ = learn(nothing, self.around_, seed=seed).average
        self.evidence_ = self._evidence(labelled, len(rows) - len(places), reference, seed)
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C] of labels and releases together."""
        check_is_fitted(self)
        return self._in_blocks(X, self.learned_.average)

    def alone_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C] of the labels without any release."""
        check_is_fitted(self)
        return self._in_blocks(X, self.learned_.average.alone)

    def releases_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C] of the releases without any label."""
        check_is_fitted(self)
        return self._in_blocks(X, self.releases_average_)

    def _in_blocks(self, X: ArrayLike, average: Average[ClassMember] | WeightedMembers[ClassMember]) -> FloatArray:
        rows = np.asarray(validate_data(self, X, dtype=FLOATS, reset=False))
        unlabelled = np.full(BLOCK, UNLABELLED)
        # What no member reads is not computed.
        only = [place for place in range(len(self.sources)) if average.reads_release(place)]
        blocks = [rows[first : first + BLOCK] for first in range(0, len(rows), BLOCK)]
        inputs = (
            self.learned_.inputs(
                self._labelled(each, unlabelled[: len(each)], only=only), trees_read=average.reads_trees
            )
            for each in blocks
        )
        with one_blas_thread():
            return np.concatenate([probabilities(average, each) for each in inputs])

    def _labelled(self, rows: Rows, codes: Codes, *, only: Sequence[int] | None = None) -> LabelledRows:
        clean = all_scores(self.sources, rows, len(self.classes_), only=only)
        scores = tuple(each.values + correction for each, correction in zip(clean, self.corrections_, strict=True))
        return LabelledRows(rows, self.representation_(rows), scores, codes, all_views(self.sources, rows, only=only))

    def _clean(self, rows: Rows) -> list[CleanScores]:
        return all_scores(self.sources, rows, len(self.classes_))

    def _correct_scores(self, reference: Rows) -> None:
        """Find what each release's log-odds are moved by, for the class shares that were stated."""
        n_classes = len(self.classes_)
        self.corrections_: list[FloatArray] = [np.zeros(n_classes)] * len(self.sources)
        if self.shares is None:
            return
        shares = normalised(checks.finite_array("shares", self.shares))
        if len(shares) != n_classes:
            raise InputError(f"shares must hold one number for each of the {n_classes} classes; got {len(shares)}.")
        self.corrections_ = [
            moved_scores(each.values, shares, released=source.shares)
            for source, each in zip(self.sources, self._clean(reference), strict=True)
        ]

    def _surroundings(self, reference: Rows) -> Surroundings:
        rows = self._labelled(reference, np.full(len(reference), UNLABELLED))
        n_classes = len(self.classes_)
        setting = Setting(
            n_classes=n_classes,
            precisions=np.array([each.reliability.precision for each in self.sources]),
            mean_scores=np.array([each.mean(axis=0) for each in rows.scores]).reshape(-1, n_classes),
            weight_sds=np.array([each.weight_sd for each in self.sources]),
            known=np.array([each.known for each in self._clean(reference)], dtype=bool).reshape(-1, n_classes),
        )
        trusts = tuple(
            VIEW_TRUST if source.view is not None else trust_on_rows(source.reliability.trust, scores)
            for source, scores in zip(self.sources, rows.scores, strict=True)
        )
        view_sizes = {place: mean_square(each) for place, each in rows.views.items()}
        correlations = score_correlations(rows.scores)
        return Surroundings(setting, trusts, mean_square(rows.Z), view_sizes=view_sizes, correlations=correlations)

    def _agreements(self, reference: Rows) -> list[Agreement | None]:
        n = len(reference), len(self.classes_)
        pairs = [None if each.halves is None else each.halves(reference) for each in self.sources]
        return [
            None if pair is None else agreement(*(clean_scores(half, *n).values for half in pair)) for pair in pairs
        ]

    def _check_releases(self, n_labels: int, reference: Rows) -> None:
        """Refuse to learn without labels of two classes from releases that show no more than chance."""
        held = [
            source.view is None
            and trust_on_rows(source.reliability.clear_trust, scores.values) >= CHANCE_TRUST
            and (each is None or not each.at_chance)
            for source, scores, each in zip(self.sources, self._clean(reference), self.agreements_, strict=True)
        ]
        if any(held):
            return
        what = "no labels" if not n_labels else f"{n_labels} labels of a single class"
        why = "no release says more of your rows than chance" if self.sources else "there is no release"
        raise InputError(f"y holds {what}, and {why}: give labels of at least two classes, or another release.")

    def _evidence(self, rows: LabelledRows, n_unlabelled: int, reference: Rows, seed: int) -> AdoptionEvidence:
        codes, average = rows.codes, self.learned_.average
        methods = None
        if self.evidence and labels_can_tell(codes):
            methods = held_out_methods(rows, self.around_, seed=seed)
        releases = self._releases_alone(rows) if methods is not None and self.sources else None
        names = tuple(str(each) for each in (self.classes if self.classes is not None else self.classes_))
        clean = self._clean(reference)
        return AdoptionEvidence(
            n_unlabelled=n_unlabelled,
            classes=names,
            labels=tuple(np.bincount(codes, minlength=len(self.classes_)).tolist()),
            methods=() if methods is None else all_figures(methods, releases, codes),
            difference=None if methods is None else log_loss_difference(methods.adopted, methods.alone, codes),
            releases=release_figures(
                self.sources,
                average,
                trusts=self.around_.trusts,
                gains=release_gains(methods, len(self.sources), codes),
                agreements=self.agreements_,
                unknown=[
                    tuple(name for name, known in zip(names, each.known, strict=True) if not known) for each in clean
                ],
                unusable=[each.n_unusable for each in clean],
            ),
            truth=() if methods is None else tuple(codes.tolist()),
            alone=() if methods is None else methods.alone.predicted(),
            adopted=() if methods is None else methods.adopted.predicted(),
        )

    def _releases_alone(self, rows: LabelledRows) -> HeldOut:
        """Return what the releases say of labelled rows by themselves; no label is used, so all rows are one fold."""
        predicted = probabilities(self.releases_average_, Inputs(rows.scores, rows.Z, {}))
        return HeldOut(predicted[None], np.zeros((1, len(rows.codes)), dtype=np.intp))


def mean_square(Z: FloatArray) -> float:
    """Return the mean squared norm of rows, 1 if it is 0."""
    return float(np.vecdot(Z, Z).mean()) or 1.0
