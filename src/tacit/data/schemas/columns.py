"""The rule of one column: what its cells may hold, and how many encoded columns it becomes."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tacit.data.schemas.notations import Notation, write_number
from tacit.errors import SchemaError
from tacit.files.plain_text import cell_text

# Bounds beyond this overflow when subtracted from each other.
LARGEST_NUMBER = 1e300
# Beyond this, whole numbers are no longer exact in double precision.
LARGEST_INTEGER = 2**53
# A whole number written as a decimal, "3.0": what most tools make of integers once a cell is empty.
_WHOLE_AS_DECIMAL = re.compile(r"^([+-]?\d+)\.0+$")


def canonical(text: str) -> str:
    """Return ``text`` as categories are compared: ``"3.0"`` as ``"3"``, no outer blanks, no quote before a formula.

    >>> canonical(" 3.0 "), canonical("3.5"), canonical("yes")
    ('3', '3.5', 'yes')
    """
    stripped = cell_text(text.strip())
    return _WHOLE_AS_DECIMAL.sub(r"\1", stripped)


@dataclass(frozen=True)
class Numeric:
    """Numbers between two public bounds.

    Parameters
    ----------
    name : str
        The column's header.
    bounds : (low, high)
        Public facts, never read from private data; a value outside is moved to the nearer bound.
    integer : bool
        Whether decoded values are rounded to whole numbers.
    missing : "error", "middle", "flag" or a number
        What an empty cell becomes: refused, the middle of the bounds, the middle and a 1 in an encoded column
        of its own, or that number.
    malformed : "error" or "missing"
        Whether a text that is no finite number is refused or counts as missing.
    missing_values : tuple of str
        Cell texts that mean "missing" in this column, besides the schema's own.
    group : str or None
        Name of the part that this column belongs to when features are split.
    """

    kind: ClassVar[str] = "numeric"
    name: str
    bounds: tuple[float, float]
    integer: bool = False
    missing: float | str = "error"
    missing_values: tuple[str, ...] = ()
    group: str | None = None
    malformed: str = "error"

    def __post_init__(self) -> None:
        setting: Any = self.bounds
        bounds = tuple(setting) if isinstance(setting, Iterable) else ()
        if len(bounds) != 2 or not all(is_finite(bound) for bound in bounds) or bounds[0] >= bounds[1]:
            raise refused(self, "bounds", "two finite numbers [low, high] with low < high", setting)
        object.__setattr__(self, "bounds", (float(bounds[0]), float(bounds[1])))
        self._check_integer()
        if isinstance(self.missing, str):
            check_word(self, "missing", ("error", "middle", "flag"), "or a number within the bounds")
        elif not is_finite(self.missing) or not self.low <= self.missing <= self.high:
            raise refused(
                self, "missing", f"'error', 'middle', 'flag' or a number in {shown(self.bounds)}", self.missing
            )
        check_word(self, "malformed", ("error", "missing"))
        _check_texts(self, "missing_values")
        _check_group(self)

    def _check_integer(self) -> None:
        if not isinstance(self.integer, bool):
            raise refused(self, "integer", "true or false", self.integer)
        exact = self.low >= -LARGEST_INTEGER and self.high <= LARGEST_INTEGER
        if self.integer and (not exact or math.ceil(self.low) > math.floor(self.high)):
            raise refused(
                self, "bounds", "at most 2^53 in size and hold a whole number, with integer = true", self.bounds
            )

    @property
    def low(self) -> float:
        """The lower bound."""
        return self.bounds[0]

    @property
    def high(self) -> float:
        """The upper bound."""
        return self.bounds[1]

    @property
    def notation(self) -> Notation | None:
        """How cells write the numbers; None for plain numbers."""
        return None

    @property
    def unit(self) -> str:
        """What the numbers count, for dates and codes; columns of different units are not compared."""
        return "" if self.notation is None else f"{self.kind} {self.notation.unit}"

    def shown(self, number: float) -> str:
        """Return a number as a cell of this column writes it."""
        return f"{number:g}" if self.notation is None else write_number(self.notation, number)

    @property
    def filler(self) -> float:
        """What a missing cell is filled with where the rule allows one."""
        return 0.5 * self.low + 0.5 * self.high if isinstance(self.missing, str) else float(self.missing)

    @property
    def flagged(self) -> bool:
        """Whether a missing cell also sets an encoded column of its own."""
        return self.missing == "flag"

    @property
    def encoded_names(self) -> tuple[str, ...]:
        """Names of the encoded columns."""
        return (self.name, f"{self.name} is missing") if self.flagged else (self.name,)


@dataclass(frozen=True)
class Categorical:
    """One of a closed, public list of categories, one-hot encoded.

    Parameters
    ----------
    categories : tuple of str
        Every text a cell may hold; ``"3"`` also stands for ``"3.0"``.
    missing : "error", "category" or one of the categories
        What an empty cell becomes: refused, one more category of its own, or that category.
    unknown : "error" or "missing"
        Whether a text outside the list is refused or counts as missing.
    name, missing_values, group
        As in `Numeric`.
    """

    kind: ClassVar[str] = "categorical"
    name: str
    categories: tuple[str, ...]
    missing: str = "error"
    unknown: str = "error"
    missing_values: tuple[str, ...] = ()
    group: str | None = None

    def __post_init__(self) -> None:
        _check_closed_list(self, "categories", least=1)
        _check_texts(self, "missing_values")
        check_word(self, "unknown", ("error", "missing"))
        missing: Any = self.missing
        if isinstance(missing, str) and canonical(missing) in self.categories:
            object.__setattr__(self, "missing", canonical(missing))
        else:
            check_word(self, "missing", ("error", "category"), "or one of the categories")
        _check_group(self)

    @property
    def flagged(self) -> bool:
        """Whether a missing cell is a category of its own."""
        return self.missing == "category" and "category" not in self.categories

    @property
    def encoded_names(self) -> tuple[str, ...]:
        """Names of the encoded columns."""
        names = tuple(f"{self.name} = {category}" for category in self.categories)
        return (*names, f"{self.name} is missing") if self.flagged else names


@dataclass(frozen=True)
class Label:
    """The column to predict: one of a closed list of classes; an empty cell means unlabelled.

    Parameters
    ----------
    classes : tuple of str
        Names of the classes; the position in the list is the class code.
    merge : dict
        Which class a cell's text stands for, e.g. ``{"0": "healthy", "1": "ill", "2": "ill"}``; the name of a
        class always stands for itself.
    unknown : "error" or "missing"
        Whether a text outside the list is refused or counts as unlabelled.
    name, missing_values
        As in `Numeric`; those texts mean "unlabelled".
    """

    kind: ClassVar[str] = "label"
    name: str
    classes: tuple[str, ...]
    merge: Mapping[str, str] = field(default_factory=dict)
    unknown: str = "error"
    missing_values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_closed_list(self, "classes", least=2)
        _check_texts(self, "missing_values")
        check_word(self, "unknown", ("error", "missing"))
        object.__setattr__(self, "merge", self._checked_merge())

    def _checked_merge(self) -> dict[str, str]:
        rule = "a table from cell text to class, each class one of the list, each text once"
        setting: Any = self.merge
        if not isinstance(setting, Mapping):
            raise refused(self, "merge", rule, setting)
        merge: dict[str, str] = {}
        for text, name in setting.items():
            code, target = canonical(str(text)), canonical(str(name))
            if not code or code in merge or target not in self.classes:
                raise refused(self, "merge", rule, {text: name})
            merge[code] = target
        return merge


@dataclass(frozen=True)
class Target:
    """The column to predict where that is a number between public bounds, as in `Numeric`.

    An empty cell, and a text among ``missing_values``, means unknown.
    """

    kind: ClassVar[str] = "target"
    name: str
    bounds: tuple[float, float]
    missing_values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", self.as_number.bounds)
        object.__setattr__(self, "missing_values", self.as_number.missing_values)

    @property
    def as_number(self) -> Numeric:
        """The same column as a number whose missing cells are filled."""
        return Numeric(self.name, self.bounds, missing="middle", missing_values=self.missing_values)


@dataclass(frozen=True)
class Ignored:
    """A column that is not used: an identifier, a free text."""

    kind: ClassVar[str] = "ignored"
    name: str


@dataclass(frozen=True)
class Person:
    """The column that says whose row it is: read to count and bound a person's rows, never encoded, never released.

    Parameters
    ----------
    name
        As in `Numeric`.
    rows : int or None
        The most rows of one person that a release reads: a public number, such as the visits foreseen by a study's
        plan. None: given with each release.
    """

    kind: ClassVar[str] = "person"
    name: str
    rows: int | None = None

    def __post_init__(self) -> None:
        rows: Any = self.rows
        if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 1):
            raise refused(self, "rows", "a whole number of at least 1", rows)


Feature = Numeric | Categorical
Column = Numeric | Categorical | Label | Target | Ignored | Person


def is_finite(value: Any) -> bool:
    """Return whether a setting is a finite number of usable size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER


def shown(values: Iterable[Any]) -> str:
    """Return values as an error message lists them."""
    return ", ".join(f"{value:g}" if isinstance(value, float) else repr(value) for value in values)


def refused(column: Column, setting: str, rule: str, value: Any) -> SchemaError:
    """Return the error about a setting that is not as ``rule`` says."""
    plain = list(value) if isinstance(value, tuple) else value
    return SchemaError(f"column {column.name!r}: {setting} must be {rule}; got {plain!r}.")


def check_word(column: Column, setting: str, allowed: tuple[str, ...], other: str = "") -> None:
    """Raise SchemaError unless a setting is one of the allowed words."""
    value = getattr(column, setting)
    if value not in allowed:
        raise refused(column, setting, f"{' or '.join(map(repr, allowed))}{' ' * bool(other)}{other}", value)


def _check_texts(column: Column, setting: str) -> None:
    values = getattr(column, setting)
    object.__setattr__(column, setting, checked_texts(f"column {column.name!r}: {setting}", values))


def checked_texts(name: str, values: Any) -> tuple[str, ...]:
    """Return a list of texts as a tuple; raise SchemaError for anything else."""
    if isinstance(values, str) or not isinstance(values, Iterable) or not all(isinstance(v, str) for v in values):
        raise SchemaError(f'{name} must be a list of texts such as ["NA", "?"]; got {values!r}.')
    return tuple(values)


def _check_closed_list(column: Column, setting: str, *, least: int) -> None:
    _check_texts(column, setting)
    texts = tuple(canonical(text) for text in getattr(column, setting))
    if len(texts) < least or len(set(texts)) < len(texts) or "" in texts:
        raise refused(
            column, setting, f"{least} or more different, non-empty texts ('1' and '1.0' are the same)", texts
        )
    object.__setattr__(column, setting, texts)


def _check_group(column: Feature) -> None:
    group: Any = column.group
    if group is not None and (not isinstance(group, str) or not group):
        raise refused(column, "group", "a name in quotes", group)
