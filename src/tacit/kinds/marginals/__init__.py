"""Noisy tables of single columns and pairs by class: rows, class scores and counts from one release."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

FILE = "marginals"

SUMMARY = "noisy tables of columns and pairs, for class scores, counts and rows (`tacit fabricate --from`)"
KIND = ReleaseKind(
    __name__,
    "marginals",
    SUMMARY,
    (Unit.RECORD,),
    ("candidates",),
    (FILE,),
    public_scores=True,
    fabricates=("marginals",),
    holds_tables=True,
    sums=True,
)
