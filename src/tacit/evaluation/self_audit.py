"""The audit of everything in the package that draws noise, with broken controls that it must catch."""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tacit.evaluation.audits.case import Case
from tacit.privacy.card import AuditResult

# One module in ``tacit.evaluation.audits`` for each family; its ``cases(seed)`` says what is tried.
FAMILIES = (
    "mechanisms",
    "class_means",
    "transfer",
    "logistic",
    "federated",
    "fabrication",
    "pairs",
    "autoencoder",
    "desk",
)


@dataclass(frozen=True)
class Verdict:
    """One line of the audit; a control is broken on purpose and must not pass."""

    result: AuditResult
    control: bool = False

    @property
    def as_it_should(self) -> bool:
        """Whether a right mechanism passed, or a broken one was caught."""
        return self.result.passed != self.control


def cases(seed: int | None = None) -> list[Case]:
    """Return every audit of the package; a ``seed`` repeats it."""
    rooms = (importlib.import_module(f"tacit.evaluation.audits.{family}") for family in FAMILIES)
    return [case for room in rooms for case in room.cases(seed)]


def self_audit(seed: int | None = None) -> Iterator[Verdict]:
    """Yield the verdict on each case, as it is reached."""
    for case in cases(seed):
        yield Verdict(replace(case.run(), what=case.name), case.control)
