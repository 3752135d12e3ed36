"""The audit of everything in the package that draws noise, with broken controls that it must catch."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tacit.audit import desk, joint, ledger, mechanisms, persons, private_adoption, relations, second_round
from tacit.audit.case import Case, ListCases
from tacit.audit.kinds.table import CASES
from tacit.privacy.card_content import AuditResult

FAMILIES: tuple[ListCases, ...] = (
    mechanisms.cases,
    *CASES.values(),
    relations.cases,
    persons.cases,
    private_adoption.cases,
    second_round.cases,
    desk.cases,
    ledger.cases,
    joint.cases,
)


@dataclass(frozen=True)
class Verdict:
    """One line of the audit; a control is broken on purpose and must not pass."""

    result: AuditResult
    control: bool = False

    @property
    def as_expected(self) -> bool:
        """Whether a right mechanism passed, or a broken one was caught."""
        return self.result.passed != self.control


def cases(seed: int | None = None) -> list[Case]:
    """Return every audit of the package; a ``seed`` repeats it."""
    return [case for family in FAMILIES for case in family(seed)]


def self_audit(seed: int | None = None) -> Iterator[Verdict]:
    """Yield the verdict on each case, as it is reached."""
    for case in cases(seed):
        yield Verdict(replace(case.run(), what=case.name), case.control)
