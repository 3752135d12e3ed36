"""A kind of release that only the tests know: noisy class counts above the middle of the first column."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

SUMMARY = "class counts on both sides of a threshold"
KIND = ReleaseKind(__name__, "scratch", SUMMARY, (Unit.RECORD,), ("candidates",), ("scratch_counts",))
