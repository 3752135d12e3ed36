"""A table of invented rows that stand for private ones."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

FILE = "fabricated"

SUMMARY = "invented rows, inside the release (`tacit fabricate` writes them as a table)"
KIND = ReleaseKind(__name__, "fabricated", SUMMARY, (Unit.RECORD, Unit.ENTRY), ("candidates",), (FILE,), sums=True)
