"""What a draft notices in a table beside types: numberings, dates in other notations, families of alike columns."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
import polars as pl

from tacit.arrays import FloatArray
from tacit.data.schemas.columns import Column, Numeric

# Fewer rows than this are not taken for a numbering: any few numbers may be different and in order.
LEAST_NUMBERED = 20
# Numbers that begin lower than this, but not at 0 or 1, are not taken for one.
LEAST_CODE = 1000
# Numbered columns of one name, such as gene_0 to gene_999, get one rule from so many on.
LEAST_FAMILY = 10
NUMBERING = "every row has a number of its own: an identifier? make it numeric if it measures something"
OTHER_DATES = "dates like {example}: write them as {iso} and draft again, or they cannot be used"
ONE_FAMILY = "{count} columns alike: one pattern with bounds for all of them"
_OTHER_DATE = re.compile(r"\s*(\d{1,2})([./-])(\d{1,2})[./-](\d{4})(?: .*)?")


def is_numbering(numbers: FloatArray) -> bool:
    """Return whether whole numbers, in the order of the rows, number these: all different, and dense or ascending.

    Small numbers measure something (ages of a sorted table) unless they are the numbers of the rows, from 0 or 1 on.
    """
    if len(numbers) < LEAST_NUMBERED or len(np.unique(numbers)) < len(numbers):
        return False
    low, high = numbers.min(), numbers.max()
    if low in {0.0, 1.0}:
        return bool(high - low == len(numbers) - 1)
    return bool(low >= LEAST_CODE and (high - low < 2 * len(numbers) or (np.diff(numbers) > 0).all()))


def other_dates(texts: pl.Series) -> str:
    """Return a remark if all texts are dates with the day or the month first; empty if not."""
    known = texts.drop_nulls()
    if not len(known) or not known.str.contains(rf"^{_OTHER_DATE.pattern}$").all():
        return ""
    match = _OTHER_DATE.fullmatch(str(known[0]))
    if match is None:
        return ""
    # Which of the two is the month, is known only where a number above 12 shows it.
    first = known.str.extract(r"^\s*(\d{1,2})").cast(pl.Int64)
    day, month = (1, 3) if bool((first > 12).any()) or match[2] == "." else (3, 1)
    return OTHER_DATES.format(example=known[0], iso=f"{match[4]}-{int(match[month]):02d}-{int(match[day]):02d}")


def family_name(name: str) -> str:
    """Return a column's name without the number at its end."""
    return name.rstrip("0123456789")


def with_families(guesses: Sequence[tuple[Column, str]]) -> list[tuple[Column, str]]:
    """Return the guesses with numbered neighbours of numbers under one rule, which a file writes as a pattern."""
    columns: list[tuple[Column, str]] = []
    for _, group in groupby(guesses, key=lambda guess: (family_name(guess[0].name), type(guess[0]))):
        members = list(group)
        numbers = [
            column for column, _ in members if type(column) is Numeric and column.name != family_name(column.name)
        ]
        if len(numbers) < max(LEAST_FAMILY, len(members)):
            columns += members
            continue
        low, high = min(each.low for each in numbers), max(each.high for each in numbers)
        whole = all(each.integer for each in numbers)
        missing = next(rule for rule in ("flag", "middle", "error") if any(each.missing == rule for each in numbers))
        words = ONE_FAMILY.format(count=len(numbers))
        alike = [replace(each, bounds=(low, high), integer=whole, missing=missing) for each in numbers]
        columns += [(alike[0], words), *((each, "") for each in alike[1:])]
    return columns
