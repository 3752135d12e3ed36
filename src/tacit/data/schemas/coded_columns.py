"""Columns whose cells are texts that stand for whole numbers: dates, and codes that follow a pattern."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from tacit.data.schemas.columns import Numeric, check_word, is_finite, refused
from tacit.data.schemas.notations import MOST_TEXTS, STEPS, DateNotation, PatternNotation, read_number


@dataclass(frozen=True)
class Date(Numeric):
    """Dates between two public ones, counted as whole steps since 1970.

    Parameters
    ----------
    bounds : (first, last)
        Two dates, as text or date; numbers are steps since 1970.
    step : "day", "hour", "minute" or "second"
        What is counted; finer parts of a cell are cut off.
    format : str
        How cells write dates, as in ``"%d/%m/%Y"``; empty: as in 2024-05-31, with or without a time of day.
    name, missing, missing_values, group, malformed
        As in `Numeric`, but ``missing`` is a word.
    """

    kind: ClassVar[str] = "date"
    bounds: tuple[Any, Any]
    integer: bool = field(default=True, init=False)
    step: str = "day"
    format: str = ""

    def __post_init__(self) -> None:
        check_word(self, "step", tuple(STEPS))
        form: Any = self.format
        if not isinstance(form, str) or (form and "%" not in form):
            raise refused(self, "format", "a text such as '%d/%m/%Y'", form)
        setting: Any = self.bounds
        bounds = setting if isinstance(setting, list | tuple) else ()
        numbers = tuple(each if is_finite(each) else self._number(str(each)) for each in bounds)
        if len(numbers) != 2 or None in numbers:
            raise refused(self, "bounds", "two dates [first, last] such as ['2019-01-01', '2024-12-31']", setting)
        object.__setattr__(self, "bounds", numbers)
        check_word(self, "missing", ("error", "middle", "flag"))
        super().__post_init__()

    def _number(self, text: str) -> float | None:
        """Return the number of a date in the column's format, or as in 2024-05-31."""
        number = read_number(self.notation, text)
        return read_number(DateNotation(self.step), text) if number is None else number

    @property
    def notation(self) -> DateNotation:
        """How cells write the numbers."""
        return DateNotation(self.step, self.format)


@dataclass(frozen=True)
class Pattern(Numeric):
    r"""Texts of one length by a public pattern, counted by their place in its order: by how they begin.

    Parameters
    ----------
    pattern : str
        Letters, ``\d``, ``[A-F]``, ``(AB|CD)``, each with ``{4}`` for four times: ``A-\d{4}``.
    name, missing, missing_values, group, malformed
        As in `Date`.
    """

    kind: ClassVar[str] = "pattern"
    bounds: tuple[float, float] = field(default=(0.0, 1.0), init=False)
    integer: bool = field(default=True, init=False)
    pattern: str = ""

    def __post_init__(self) -> None:
        pattern: Any = self.pattern
        try:
            size = PatternNotation(pattern).size
        except (ValueError, TypeError) as problem:
            raise refused(self, "pattern", rf"one such as 'A-\d{{4}}' ({problem})", pattern) from None
        if not 2 <= size <= MOST_TEXTS:
            raise refused(self, "pattern", "one of 2 to 2^53 different texts", pattern)
        object.__setattr__(self, "bounds", (0.0, float(size - 1)))
        check_word(self, "missing", ("error", "middle", "flag"))
        super().__post_init__()

    @property
    def notation(self) -> PatternNotation:
        """How cells write the numbers."""
        return PatternNotation(self.pattern)
