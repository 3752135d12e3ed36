"""A table of invented rows that stand for private ones."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

FILE = "fabricated"

KIND = ReleaseKind(
    name="fabricated_rows",
    method="fabricated",
    summary="invented rows, inside the release (`tacit fabricate` writes them as a table)",
    package=__name__,
    files=(FILE,),
    units=(Unit.RECORD, Unit.ENTRY),
    teaches=("candidates",),
)
