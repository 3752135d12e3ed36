"""Class sums of public features (per record), or class moments of noisy rows (per entry)."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

RECORD_FILE, ENTRY_FILE = "transfer_record", "transfer_entry"

KIND = ReleaseKind(
    name="class_moments",
    method="moments",
    summary="class sums of the columns or of picture features, or class moments of noisy rows",
    package=__name__,
    files=(RECORD_FILE, ENTRY_FILE),
    units=(Unit.RECORD, Unit.ENTRY),
    teaches=("candidates", "class_places"),
)
