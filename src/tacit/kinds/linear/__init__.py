"""Weights of private logistic regressions on groups of columns."""

from tacit.privacy.budget import Relation, Unit
from tacit.releases.kind import ReleaseKind

SUMMARY = "weights of logistic regressions"
KIND = ReleaseKind(
    __name__,
    "linear",
    SUMMARY,
    (Unit.RECORD,),
    ("candidates", "prior"),
    ("linear",),
    row_count_public=True,
    relations=(Relation.REPLACE, Relation.ADD_REMOVE),
)
