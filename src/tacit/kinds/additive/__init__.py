"""Curves of an additive model of a mixed table, with their noise and a private check of their quality."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

SUMMARY = "a curve for each column of a table; together they give class scores, or a number"
FILE = "additive"
KIND = ReleaseKind(
    __name__,
    "additive",
    SUMMARY,
    (Unit.RECORD,),
    ("candidates", "predictions"),
    (FILE,),
    checks_itself=True,
    public_scores=True,
    sums=True,
)
