"""What stands on a card beside the guarantee: who released what and why, and what the ledger was charged before."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from tacit import checks
from tacit.errors import InputError
from tacit.files.plain_text import one_line
from tacit.privacy.spending import digits

LONGEST_FACT = 500
# Of a ledger with more charges the last ones are listed, the others counted.
MOST_CHARGES = 60


@dataclass(frozen=True)
class CardFacts:
    """What an owner says about a release; every fact is optional, public, and one line of text.

    Parameters
    ----------
    owner : str
        Who keeps the table and answers for it: the controller.
    dataset : str
        What the table is called.
    purpose : str
        What the release is made for.
    legal_note : str
        The legal basis, an approval, a contract: as the owner words it.
    period : str
        From when to when the rows are.
    n_rows : int or None
        How many rows were read, if that is public or was counted with noise.
    n_rows_noised : bool
        Whether the number was counted with noise.
    """

    owner: str = ""
    dataset: str = ""
    purpose: str = ""
    legal_note: str = ""
    period: str = ""
    n_rows: int | None = None
    n_rows_noised: bool = False

    def __post_init__(self) -> None:
        for name in TEXTS:
            one_line(name, getattr(self, name), longest=LONGEST_FACT)
        if self.n_rows is not None:
            checks.whole("n_rows", self.n_rows, least=0)
        if not isinstance(self.n_rows_noised, bool):
            raise InputError(f"n_rows_noised must be true or false; got {self.n_rows_noised!r}.")

    @classmethod
    def from_dict(cls, content: Any, *, source: str = "facts") -> Self:
        """Return the facts in ``content``; unknown names are refused, ``source`` says where they stand."""
        field_names = [each.name for each in fields(cls)]
        if not isinstance(content, Mapping) or not set(content) <= set(field_names):
            names = sorted(set(content) - set(field_names)) if isinstance(content, Mapping) else type(content).__name__
            raise InputError(f"{source} must be a table of {', '.join(field_names)}; got {names}.")
        try:
            return cls(**content)
        except InputError as problem:
            raise InputError(f"{source}: {problem}") from None

    def over(self, other: "CardFacts") -> "CardFacts":
        """Return these facts, with those of ``other`` where nothing is stated."""
        stated = {each.name: getattr(self, each.name) for each in fields(self) if getattr(self, each.name)}
        return replace(other, **stated)

    @property
    def rows_text(self) -> str:
        """The number of rows in words; empty if it is not stated."""
        if self.n_rows is None:
            return ""
        return (
            f"about {self.n_rows:,}, counted with noise" if self.n_rows_noised else f"{self.n_rows:,}, a public number"
        )


TEXTS = {
    "owner": "Owner",
    "dataset": "Data set",
    "purpose": "Purpose",
    "legal_note": "Legal note",
    "period": "Period",
}


@dataclass(frozen=True)
class LedgerCharge:
    """One line of the ledger as a card shows it; ``epsilon`` is what the charge costs by itself at the ledger's delta.

    ``epsilon`` is None where no finite one holds; ``holds`` is false for charges that guarantee nothing.
    """

    line: int
    time: str
    purpose: str
    unit: str
    epsilon: float | None
    holds: bool = True

    def __post_init__(self) -> None:
        checks.whole("line", self.line)
        for name in ("time", "purpose", "unit"):
            one_line(name, getattr(self, name), longest=LONGEST_FACT)
        if self.epsilon is not None:
            _require_number("epsilon of a charge", self.epsilon)
        if not isinstance(self.holds, bool):
            raise InputError("holds must be true or false.")

    def __str__(self) -> str:
        cost = "no finite epsilon" if self.epsilon is None else f"epsilon {digits(self.epsilon, up=True)}"
        caution = "" if self.holds else "; NO GUARANTEE"
        purpose = self.purpose or "no purpose stated"
        return f"line {self.line}, {self.time[:10]}: {purpose}; {cost} per {self.unit}{caution}"


@dataclass(frozen=True)
class LedgerHistory:
    """What a ledger was charged up to a release: its budget, the sum spent, what is left, and each charge.

    ``spent`` is None where no finite epsilon holds for the sum; ``earlier`` counts charges before the first one listed.
    """

    budget: str
    spent: float | None
    left: float
    charges: tuple[LedgerCharge, ...]
    earlier: int = 0

    def __post_init__(self) -> None:
        one_line("budget", self.budget, longest=LONGEST_FACT)
        _require_number("left", self.left)
        if self.spent is not None:
            _require_number("spent", self.spent)
        checks.whole("earlier", self.earlier, least=0)

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """Return the history in ``content``; anything malformed is an InputError."""
        if not isinstance(content, Mapping) or not isinstance(content.get("charges"), list | tuple):
            raise InputError("the card's history must be a table with a list of charges.")
        try:
            charges = tuple(LedgerCharge(**each) for each in content["charges"])
            return cls(**{**content, "charges": charges})
        except TypeError as problem:
            raise InputError(f"the card's history is malformed: {problem}") from problem

    def __str__(self) -> str:
        count = self.earlier + len(self.charges)
        spent = "more than any epsilon" if self.spent is None else f"epsilon {digits(self.spent, up=True)}"
        return f"{self.budget}; {spent} spent by {count} charge{'s' * (count != 1)}, {digits(self.left)} left"


def _require_number(name: str, value: Any) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or value < 0:
        raise InputError(f"{name} must be a finite number of at least 0; got {value!r}.")
