"""What evidence says, in sentences: for the command line and for reports."""

from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.evidence.receiver_evidence import BETTER, CANNOT_TELL, AdoptionEvidence
from tacit.adoption.evidence.target_evidence import TargetEvidence

METHODS = {
    "majority": "the commonest class",
    "alone": "your labels alone",
    "releases": "the releases alone",
    "adopted": "labels and releases",
}
TARGET_METHODS = {
    "constant": "the mean of your values",
    "alone": "your values alone",
    "releases": "the releases alone",
    "adopted": "values and releases",
}
# With more than this part of its weight against the labels, a release is said to run against them.
REVERSED = 0.5


def verdict_sentence(evidence: AdoptionEvidence) -> str:
    """Return whether adopting helped, and no more than the labels show."""
    return _verdict(evidence, counted(evidence.n_labelled, "label", "no labels"), "labels", "log-loss")


def target_verdict_sentence(evidence: TargetEvidence) -> str:
    """Return whether adopting helped to predict a number, and no more than the known values show."""
    return _verdict(evidence, counted(evidence.n_known, "known value", "no known value"), "values", "error")


def counted(n: int, noun: str, none: str) -> str:
    """Return a number with its noun, or the words for none."""
    return f"{n:,} {noun}{'s' * (n != 1)}" if n else none


def _verdict(evidence: AdoptionEvidence | TargetEvidence, what: str, known: str, loss: str) -> str:
    if not evidence.methods:
        return f"With {what}, nothing can be measured on your rows."
    if not evidence.releases:
        return f"No release was adopted: the model is what your {known} teach alone."
    if not any(evidence.weights):
        return (
            f"Your {known} speak against the releases, or tell more without them: "
            f"the model is what your {known} teach alone."
        )
    if evidence.verdict == CANNOT_TELL:
        return f"Your {known} cannot tell whether adopting helps: the interval of the difference in {loss} holds 0."
    return "Adopting helps." if evidence.verdict == BETTER else f"Adopting harms: use your {known} alone."


def remarks(evidence: AdoptionEvidence) -> list[str]:
    """Return what is to be known beside the figures: classes without labels, swapped names, unknown classes."""
    lines = []
    if evidence.classes_without_labels and evidence.releases:
        missing = ", ".join(evidence.classes_without_labels)
        lines.append(f"No label of {missing}: predicted through the releases.")
    for place, release in enumerate(evidence.releases, start=1):
        if release.reversed > REVERSED * release.used:
            lines.append(f"Release {place} runs against your labels and is used reversed. Are class names swapped?")
        if release.unknown_classes:
            lines.append(f"Release {place} does not know {', '.join(release.unknown_classes)}.")
        if release.n_unusable:
            lines.append(f"Release {place} gives no finite scores to {release.n_unusable:,} rows.")
    return lines


def label_free_lines(evidence: Evidence) -> list[str]:
    """Return what is known of a model that was learned without labels: how far parts of the releases agree."""
    lines = [f"With {evidence.n_labelled or 'no'} labels of two classes, nothing can be measured on your rows."]
    for place, pair in enumerate(evidence.agreements, start=1):
        if pair is None:
            lines.append(f"Release {place} cannot be divided: whether it says more than noise is not known.")
        else:
            agreed, chance = pair
            lines.append(
                f"Release {place}: two parts of it with independent noise agree on {agreed:.0%} of your rows "
                f"({chance:.0%} by chance)."
            )
    shares = ", ".join(f"{name} {share:.1%}" for name, share in zip(evidence.classes, evidence.shares, strict=True))
    lines.append(f"Classes were taken to be as common as: {shares}. State other shares with --shares.")
    return lines
