"""Class sums of public features (per record), or class moments of noisy rows (per entry)."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

RECORD_FILE, ENTRY_FILE = "transfer_record", "transfer_entry"

SUMMARY = "class sums of the columns or of picture features; per entry, class moments of noisy rows"
KIND = ReleaseKind(
    __name__,
    "moments",
    SUMMARY,
    (Unit.RECORD, Unit.ENTRY),
    ("candidates", "class_places"),
    (RECORD_FILE, ENTRY_FILE),
    noisy_counts="counts",
    sums=True,
    pools=True,
)
