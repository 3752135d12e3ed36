"""What owners answered to a receiver's request, as log-odds of its rows that stand beside those of a new network."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.pictures.label_free_sources import LabelFreeSource
from tacit.adoption.pictures.source_scores import SourceScores
from tacit.adoption.pictures.start_labels import soft_labels
from tacit.adoption.pictures.storage import all_source_parts, all_stored_sources
from tacit.adoption.sources.class_shares import moved_scores
from tacit.arrays import Arrays, FloatArray, Rows
from tacit.records import record

ANSWER = "answer"
# The share of each class's rows that get a start label where answers alone name them: they err on one row in a hundred.
STARTED = 0.9


@record
class Answers:
    """The answers among what a receiver adopts.

    An answer is right where the network that it was asked with is wrong, and a network that learns from its labels errs
    on other rows again: the log-odds of both are added, which is right for opinions whose errors are independent.
    """

    sources: tuple[SourceScores, ...]
    moved: FloatArray
    """[C]: what is added to the log-odds, so that their mean says the class shares that were stated; else zeros."""

    def __call__(self, X: Rows) -> FloatArray:
        """Return the mean log-odds of the answers [N, C], zeros where there are none."""
        total = np.zeros((len(X), len(self.moved)))
        for source in self.sources:
            total += source.spread * source(X) / len(self.sources)
        return total + self.moved

    def soft_labels(self, X: Rows) -> FloatArray:
        """Return class probabilities [N, C] as the answers give them."""
        return soft_labels(self(X), sharpness=1.0)

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = all_source_parts(self.sources)
        return {**arrays, "moved": self.moved}, {"answers": settings}

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any], n_classes: int) -> "Answers":
        """Return what ``to_parts`` took apart; models written before answers were kept have none."""
        moved = np.asarray(arrays.get("moved", np.zeros(n_classes)))
        return cls(tuple(all_stored_sources(arrays, settings.get("answers", []))), moved)


def answers_among(sources: Sequence[LabelFreeSource], X: Rows, n_classes: int, stated: FloatArray | None) -> Answers:
    """Return the answers among the sources, moved to the class shares [C] that were stated, if any."""
    chosen = tuple(each.scores for each in sources if each.scores is not None and each.scores.kind == ANSWER)
    answers = Answers(chosen, np.zeros(n_classes))
    return answers if stated is None or not chosen else Answers(chosen, moved_scores(answers(X), stated))
