"""How a CSV file is written: separator, decimal mark and encoding, as a schema states them or as the file shows."""

import codecs
import csv
import io
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tacit.errors import InputError, SchemaError
from tacit.files.plain_text import cell_text

SEPARATORS = ",;\t|"
UTF8 = "utf-8"
# What Excel and older programs of Western Europe write; it contains Latin-1's letters.
WESTERN = "cp1252"
# Lines that are looked at for the decimal mark.
LINES_READ = 200
_COMMA_NUMBER, _POINT_NUMBER = re.compile(r"[+-]?[0-9]+,[0-9]+"), re.compile(r"[+-]?[0-9]+\.[0-9]+")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


@dataclass(frozen=True)
class CsvDialect:
    """How a CSV file is written; None for what is to be found from the file itself.

    Parameters
    ----------
    separator : str or None
        One character between cells.
    decimal : "." or "," or None
        What stands before the fraction of a number.
    encoding : str or None
        A codec of Python, such as "utf-8", "utf-16" or "latin-1".
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        one = self.separator
        if one is not None and (len(one) != 1 or one in '"\r\n' or not one.isascii()):
            raise InputError(f"separator must be one character such as ',' or ';'; got {one!r}.")
        if self.decimal not in (None, ".", ","):
            raise InputError(f"decimal must be '.' or ','; got {self.decimal!r}.")
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _codec(self.encoding))

    @classmethod
    def from_dict(cls, content: Any) -> "CsvDialect":
        """Return the dialect in the table ``[csv]`` of a schema."""
        names = ("separator", "decimal", "encoding")
        if not isinstance(content, Mapping) or not set(content) <= set(names):
            raise SchemaError(f"csv must be a table with {', '.join(names)}; got {content!r}.")
        if not all(isinstance(value, str) for value in content.values()):
            raise SchemaError(f"csv must hold texts; got {dict(content)!r}.")
        try:
            return cls(**content)
        except InputError as problem:
            raise SchemaError(f"csv: {problem}") from None

    def to_dict(self) -> dict[str, str]:
        """Return what is set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def words(self) -> str:
        """What is unusual about the dialect; "" for commas, points and UTF-8."""
        remarks = [f"separator {_NAMES.get(self.separator or ',', repr(self.separator))}"] * (self.separator != ",")
        remarks += ["decimal comma"] * (self.decimal == ",") + [f"encoding {self.encoding}"] * (self.encoding != UTF8)
        return ", ".join(remarks)


# Everything is to be found from the file.
UNKNOWN = CsvDialect()


def found_encoding(start: bytes) -> str:
    """Return the encoding of a text by its first bytes: a mark, UTF-8 if they are, and else that of Western Europe."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        # A character that is cut in two at the end of the piece is no fault of the file.
        codecs.getincrementaldecoder(UTF8)("strict").decode(start)
    except UnicodeDecodeError:
        return WESTERN
    return UTF8


def found_separator(start: str) -> str:
    """Return the separator that gives the most column names."""
    return max(SEPARATORS, key=lambda candidate: len(header_names(start, candidate)))


def found_decimal(start: str, separator: str) -> str:
    """Return "," if numbers of the first lines have commas and none has a point; cells are never shown."""
    if separator == ",":
        return "."
    try:
        lines = csv.reader(io.StringIO(start, newline=""), delimiter=separator)
        cells = [cell.strip() for _, line in zip(range(LINES_READ), lines, strict=False) for cell in line]
    except csv.Error:
        return "."
    points = any(_POINT_NUMBER.fullmatch(cell) for cell in cells)
    return "," if not points and any(_COMMA_NUMBER.fullmatch(cell) for cell in cells) else "."


def header_names(start: str, separator: str) -> list[str]:
    """Return the names in the first line of a CSV text; none where ``separator`` cannot be theirs."""
    try:
        header = next(csv.reader(io.StringIO(start, newline=""), delimiter=separator, strict=True), [])
    except csv.Error:
        # Text after a closing quote: the names are separated by something else.
        return []
    return [cell_text(name.strip()) for name in header]


def _codec(name: Any) -> str:
    try:
        return codecs.lookup(name).name
    except (LookupError, TypeError):
        raise InputError(f"encoding must be a codec such as 'utf-8', 'utf-16' or 'latin-1'; got {name!r}.") from None
