"""What releases say of a receiver's rows without any label, and whether it is more than chance."""

from collections.abc import Sequence

import numpy as np

from tacit.adoption.evidence.label_free import Agreement, agreement, permutation_z
from tacit.adoption.pictures.pooled_releases import poolable, pooled
from tacit.adoption.pictures.source_scores import SourceScores, by_our_classes
from tacit.arrays import FloatArray, Rows
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.registry import kind_of
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable

# Of at least so many classes, agreement counts if it lies this far above that of permuted classes; there are too few
# permutations of fewer classes, which must agree by a kappa that noise on similar rows does not reach.
PERMUTED_CLASSES, LEAST_Z = 5, 3.0
LEAST_KAPPA = 0.3


@record
class LabelFreeSource:
    """The class scores of one release."""

    scores: SourceScores | None
    """None if the release has no class scores for this table."""
    agreement: Agreement | None
    """Of two parts of it with independent noise; None if it cannot be divided."""
    z: float = 0.0
    """How far that lies above the agreement with permuted classes, in standard deviations."""

    @property
    def weight(self) -> float:
        """How much it counts among others: its agreement beyond chance, 1 if that cannot be told and 0 at chance."""
        if self.scores is None:
            return 0.0
        if self.agreement is None:
            return 1.0
        kappa = self.agreement.kappa
        informative = self.z >= LEAST_Z if self.scores.n_classes >= PERMUTED_CLASSES else kappa >= LEAST_KAPPA
        return kappa if informative and not self.agreement.at_chance else 0.0


def label_free_source(release: Release, schema: Schema, X: Rows) -> LabelFreeSource:
    """Return what ``release`` says of rows ``X`` [N, p]; of several ways to read it the middle one stands for all."""
    nothing = np.empty(0, dtype=np.intp)
    kind, n_classes = kind_of(release), len(schema.classes)
    lesson = kind.teach(release, ReceiverTable(schema, X, nothing, nothing))
    if not lesson.candidates:
        return LabelFreeSource(None, None)
    scores, note = lesson.candidates[len(lesson.candidates) // 2]
    raw = by_our_classes(scores(X), lesson.classes, n_classes)
    source = SourceScores(kind.name, scores, lesson.classes, n_classes, float(raw.std()) or 1.0, note)
    if lesson.halves is None:
        return LabelFreeSource(source, None)
    first, second = (half(X) for half in lesson.halves)
    return LabelFreeSource(source, agreement(first, second), permutation_z(first, second))


def label_free_sources(releases: Sequence[Release], schema: Schema, X: Rows) -> list[LabelFreeSource]:
    """Return what each release says; raise InputError if none says more than chance."""
    sources = [label_free_source(each, schema, X) for each in releases]
    if not any(each.weight for each in sources):
        why = "no release says more of your rows than chance" if sources else "there is no release"
        raise InputError(f"y holds no labels of two classes, and {why}: give labels, or another release.")
    return sources


def pooled_sources(
    releases: Sequence[Release], sources: Sequence[LabelFreeSource], schema: Schema, X: Rows
) -> list[LabelFreeSource]:
    """Return the sources to weigh: releases that hold the same sums as one, where its halves agree no less for that.

    Releases that say no more than chance stay out of it.
    """
    informative = [place for place, source in enumerate(sources) if source.weight]
    chosen: list[LabelFreeSource] = []
    for group in poolable(releases, informative):
        apart = [sources[place] for place in group]
        together = label_free_source(pooled(releases, group).release, schema, X) if len(group) > 1 else apart[0]
        better = together.weight >= max(each.weight for each in apart)
        chosen += [together] if better else apart
    return chosen


def joint_scores(sources: Sequence[LabelFreeSource], X: Rows) -> FloatArray:
    """Return the releases' weighed scores [N, C], of mean 0 in each row and standard deviation 1."""
    total = sum(each.weight * each.scores(X) for each in sources if each.scores is not None and each.weight)
    scores = np.asarray(total)
    return scores / (float(scores.std()) or 1.0)
