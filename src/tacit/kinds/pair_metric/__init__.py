"""A metric learned from pairs of a private table's rows."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

SUMMARY = "a metric learned from pairs of rows"
KIND = ReleaseKind(__name__, "pairs", SUMMARY, (Unit.PAIR,), ("metric",), ("pair_metric",))
