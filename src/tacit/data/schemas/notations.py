"""Texts that stand for whole numbers, and back: dates, and codes that follow a pattern."""

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
import polars as pl

from tacit.arrays import FloatArray, IntArray
from tacit.files.plain_text import cell_text

# Microseconds of a step in which dates are counted.
STEPS = {"day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}
# How a date may be written where the schema names no format.
ISO_FORMATS = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M")
# A pattern may stand for as many texts as there are exact whole numbers.
MOST_TEXTS = 2**53
_PART = re.compile(
    r"(?:\\(?P<escaped>.)|\[(?P<letters>[^\[\]]+)\]|\((?P<words>[^()]+)\)|(?P<plain>[^\\\[\](){}*+?|^$.]))"
    r"(?:\{(?P<times>\d{1,2})\})?"
)


class Notation(Protocol):
    """How cells of a column write whole numbers.

    Attributes
    ----------
    unit : str
        What the numbers count; numbers of equal units mean the same.
    """

    @property
    def unit(self) -> str:
        """What the numbers count."""
        ...

    def numbers(self, cells: pl.Series) -> pl.Series:
        """Return the numbers that ``cells`` write, null where one is no such text."""
        ...

    def cells(self, numbers: FloatArray) -> pl.Series:
        """Return how whole numbers are written, null for NaN."""
        ...


def read_number(notation: Notation, text: str) -> float | None:
    """Return the number that ``text`` writes; None if it is no such text."""
    number = notation.numbers(pl.Series([text], dtype=pl.String))[0]
    return None if number is None else float(number)


def write_number(notation: Notation, number: float) -> str:
    """Return how a whole number is written."""
    return str(notation.cells(np.array([number], dtype=np.float64)).cast(pl.String)[0])


@dataclass(frozen=True)
class DateNotation:
    """Dates as steps since 1970: days, hours, minutes or seconds; time zones are left out.

    >>> read_number(DateNotation(), "1970-01-03"), write_number(DateNotation(), 365)
    (2.0, '1971-01-01')
    """

    step: str = "day"
    format: str = ""

    @property
    def unit(self) -> str:
        """The step."""
        return self.step

    def numbers(self, cells: pl.Series) -> pl.Series:
        """Return the steps since 1970, rounded down."""
        moments = _moments(cells, (self.format,) if self.format else ISO_FORMATS)
        return (moments.cast(pl.Int64) // STEPS[self.step]).cast(pl.Float64)

    def cells(self, numbers: FloatArray) -> pl.Series:
        """Return dates, or texts where there is a format."""
        steps = pl.Series(numbers).fill_nan(None).cast(pl.Int64)
        moments = (steps * STEPS[self.step]).cast(pl.Datetime("us"))
        if self.format:
            return moments.dt.strftime(self.format)
        return moments.cast(pl.Date) if self.step == "day" else moments


def _moments(cells: pl.Series, formats: tuple[str, ...]) -> pl.Series:
    if isinstance(cells.dtype, pl.Date | pl.Datetime):
        naive = cells.dt.replace_time_zone(None) if isinstance(cells.dtype, pl.Datetime) else cells
        return naive.cast(pl.Datetime("us"))
    texts = cells.cast(pl.String).str.strip_chars()
    moments = texts.str.strptime(pl.Datetime("us"), formats[0], strict=False)
    for other in formats[1:]:
        if moments.null_count() == texts.null_count():
            break
        moments = moments.fill_null(texts.str.strptime(pl.Datetime("us"), other, strict=False))
    return moments


@dataclass(frozen=True)
class PatternNotation:
    r"""Texts of one length by a pattern, numbered in the order of its parts: texts with one beginning are neighbours.

    >>> read_number(PatternNotation(r"A-\d{2}"), "A-17"), write_number(PatternNotation(r"[A-C]\d"), 25)
    (17.0, 'C5')
    """

    pattern: str

    @property
    def unit(self) -> str:
        """The pattern."""
        return self.pattern

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """What may stand at each place of a text, in order; raise ValueError if the pattern cannot be read."""
        return pattern_parts(self.pattern)

    @property
    def size(self) -> int:
        """How many texts there are."""
        size = 1
        for options in self.parts:
            size *= len(options)
        return size

    def numbers(self, cells: pl.Series) -> pl.Series:
        """Return the place of each text among all that the pattern allows."""
        width = sum(len(options[0]) for options in self.parts)
        texts = cells.cast(pl.String).str.strip_chars()
        if cells.dtype.is_integer():
            # A reader that took codes for numbers dropped their leading zeros.
            texts = texts.str.zfill(width)
        plain = [cell_text(text or "") for text in texts.to_list()]
        fits = np.array([len(text) == width for text in plain], dtype=bool)
        letters = np.array([text for text in plain if len(text) == width], dtype=f"U{width}")
        places, valid = self._places(letters.reshape(-1, 1).view("U1").reshape(len(letters), width))
        fits[fits] = valid
        numbers = np.full(len(plain), np.nan)
        numbers[fits] = places[valid]
        return pl.Series(cells.name, numbers).fill_nan(None)

    def _places(self, letters: np.ndarray) -> tuple[IntArray, np.ndarray]:
        """Return the numbers of texts given as letters [N, W], and which of them follow the pattern."""
        places, valid = np.zeros(len(letters), dtype=np.int64), np.ones(len(letters), dtype=bool)
        start = 0
        for options in self.parts:
            end = start + len(options[0])
            symbols = np.ascontiguousarray(letters[:, start:end]).view(f"U{end - start}")[:, 0]
            order = np.argsort(options)
            place = np.minimum(np.searchsorted(np.array(options)[order], symbols), len(options) - 1)
            valid &= np.array(options)[order][place] == symbols
            places = places * len(options) + order[place]
            start = end
        return places, valid

    def cells(self, numbers: FloatArray) -> pl.Series:
        """Return the texts at the given places."""
        missing = np.isnan(numbers)
        left = np.where(missing, 0, numbers).astype(np.int64)
        texts = np.full(len(left), "", dtype=np.str_)
        for options in reversed(self.parts):
            left, place = np.divmod(left, len(options))
            texts = np.strings.add(np.array(options)[place], texts)
        return pl.Series(texts.tolist(), dtype=pl.String).set(pl.Series(missing), None)


@lru_cache(maxsize=1024)
def pattern_parts(pattern: str) -> tuple[tuple[str, ...], ...]:
    r"""Return the options at each place of a pattern of letters, ``\d``, ``[A-F0-9]``, ``(AB|CD)`` and ``{4}`` times.

    Raise ValueError, with the reason, for anything else: every text must have one length and one place.
    """
    parts: list[tuple[str, ...]] = []
    position = 0
    while position < len(pattern):
        match = _PART.match(pattern, position)
        if match is None:
            raise ValueError(rf"expected a letter, \d, [A-Z], (AB|CD) or {{4}} times at {pattern[position:]!r}")
        parts += [_options(match)] * int(match["times"] or 1)
        position = match.end()
    if not parts:
        raise ValueError("expected a pattern that is not empty")
    return tuple(parts)


def _options(match: re.Match[str]) -> tuple[str, ...]:
    if match["plain"] is not None:
        return (match["plain"],)
    if match["escaped"] is not None:
        if match["escaped"].isalnum() and match["escaped"] != "d":
            raise ValueError(rf"expected \d or an escaped sign; got {match['escaped']!r} behind a backslash")
        return tuple(string.digits) if match["escaped"] == "d" else (match["escaped"],)
    options = match["words"].split("|") if match["words"] else list(_letters(match["letters"]))
    if match["letters"] and match["letters"].startswith("^"):
        raise ValueError(f"expected letters that are allowed, not those that are not; got {match.group()!r}")
    if len(set(options)) < len(options) or len({len(option) for option in options}) > 1:
        raise ValueError(f"expected different options of one length; got {match.group()!r}")
    return tuple(options)


def _letters(letters: str) -> Iterator[str]:
    """Yield the letters of a class such as ``A-F0-9_``."""
    for match in re.finditer(r"(.)-(.)|(.)", letters):
        if match[3] is not None:
            yield match[3]
        else:
            yield from (chr(code) for code in range(ord(match[1]), ord(match[2]) + 1))
