"""The comparison that a model's own evidence holds: its labelled rows, each predicted by models without its label."""

from tacit.adoption.evidence.comparison import Comparison, compare
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence


def compare_evidence(evidence: Evidence | AdoptionEvidence) -> Comparison | None:
    """Return what adopting did on the receiver's own labelled rows, each held out in turn; None with too few."""
    if not evidence.truth:
        return None
    if isinstance(evidence, AdoptionEvidence):
        return compare(evidence.truth, target_only=evidence.alone, adopted=evidence.adopted, classes=evidence.classes)
    return compare(
        evidence.truth,
        target_only=evidence.target_only,
        adopted=evidence.adopted,
        classes=evidence.classes,
        view_only=evidence.view_only if evidence.view else None,
    )
