"""Class scores of a release that depend on nothing but the release and the row: safe to use on private rows."""

import numpy as np
from sklearn.utils import check_random_state

from tacit.adoption.sources.release_sources import ReleaseScores
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.registry import kind_of
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable, ScoreFunction

# Rows by which uncalibrated scores are judged, and the standard deviation that their log-odds are brought to.
INVENTED_ROWS, USUAL_LOG_ODDS = 500, 2.0


def public_scores(release: Release, schema: Schema) -> tuple[ReleaseScores, str]:
    """Return the release's class scores by our classes, and what it shares with a table of ``schema``.

    The kind is shown a table without rows. One that reads the receiver's rows to make scores, such as class moments, is
    refused: such scores would carry the rows past the privacy budget.
    """
    kind = kind_of(release)
    if not kind.public_scores:
        raise InputError(
            f"a release of kind {kind.name!r} cannot be adopted privately: its scores are made with your own rows. "
            "Adopt it without --epsilon, or ask its owner for an additive or linear release."
        )
    nothing = np.empty(0, dtype=np.intp)
    lesson = kind.teach(release, ReceiverTable(schema, np.empty((0, len(schema.encoded_names))), nothing, nothing))
    if not lesson.candidates:
        why = lesson.note or "nothing is shared"
        raise InputError(f"the release of kind {kind.name!r} says nothing about the rows of this table: {why}.")
    (scores, note), *_ = lesson.candidates
    n_theirs = scores(np.zeros((1, len(schema.encoded_names)))).shape[1]
    scale = 1.0 if lesson.calibrated else _public_scale(scores, schema)
    return ReleaseScores(kind.name, scores, lesson.classes, len(schema.classes), np.zeros(n_theirs), scale), note


def _public_scale(scores: ScoreFunction, schema: Schema) -> float:
    """Return the factor that brings uncalibrated scores to the usual size, judged by rows that nobody has."""
    invented = check_random_state(0).rand(INVENTED_ROWS, len(schema.encoded_names))
    raw_scores = scores(invented)
    spread = float((raw_scores - raw_scores.mean(axis=1, keepdims=True)).std())
    return USUAL_LOG_ODDS / 2 / spread if np.isfinite(spread) and spread > 0 else 1.0
