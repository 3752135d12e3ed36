"""A table of invented rows that stand for private ones."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

FILE = "fabricated"

SUMMARY = "invented rows, inside the release (`tacit fabricate` writes them as a table)"
METHODS = ("moments", "hull")
KIND = ReleaseKind(
    __name__,
    "fabricated",
    SUMMARY,
    (Unit.RECORD, Unit.ENTRY),
    ("candidates",),
    (FILE,),
    fabricates=METHODS,
    rows_beside=True,
    sums=True,
)
