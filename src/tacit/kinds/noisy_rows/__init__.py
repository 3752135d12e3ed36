"""Rows with noise in every entry, and their class codes: what a party of a federation answers from."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

FILE = "federated_rows"

SUMMARY = "every row, with noise in every entry (per entry)"
KIND = ReleaseKind(__name__, "rows", SUMMARY, (Unit.ENTRY,), ("candidates",), (FILE,))
