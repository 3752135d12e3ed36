"""What becomes of cells that a schema does not foresee: declared, public, and the same for every table.

Where such a cell stops a release, whether a release was made tells that a record with such a cell is there, without
noise. A policy gives each column a rule for every text, so that no record decides.
"""

from dataclasses import replace
from enum import StrEnum

from tacit.data.schemas.columns import Categorical, Column, Label, Numeric
from tacit.errors import SchemaError


class BadRecords(StrEnum):
    """What to do with a cell that is malformed, missing or unknown where the column itself has no rule for it."""

    REFUSE = "refuse"
    """refuse the table"""
    CLIP = "clip"
    """take the middle of the bounds, or the first category"""
    CATEGORY = "category"
    """take the middle of the bounds and mark it, or a category of its own: one more encoded column"""
    MISSING = "missing"
    """count it as missing, for which every column must have a rule"""


def with_policy(column: Column, policy: BadRecords, *, is_pixel: bool = False) -> Column:
    """Return ``column`` with a rule for every text a cell may hold, by ``policy``; its own rules stay.

    A label that no class stands for counts as unlabelled, and unlabelled rows are left out of a release. Pixels have
    no encoded column for what is missing: they take the middle.
    """
    if policy is BadRecords.REFUSE:
        return column
    if isinstance(column, Label):
        return replace(column, unknown="missing")
    if isinstance(column, Numeric):
        marked = policy is BadRecords.CATEGORY and not is_pixel
        filled = _filled(column, policy, "flag" if marked else "middle")
        return replace(column, malformed="missing", missing=filled)
    if isinstance(column, Categorical):
        own = "category" if policy is BadRecords.CATEGORY else column.categories[0]
        return replace(column, unknown="missing", missing=str(_filled(column, policy, own)))
    return column


def can_refuse(column: Column) -> bool:
    """Whether some text in a cell of ``column`` makes a table unreadable."""
    if isinstance(column, Numeric):
        return "error" in (column.malformed, column.missing)
    if isinstance(column, Categorical):
        return column.unknown == "error" or (column.missing == "error" and "error" not in column.categories)
    return isinstance(column, Label) and column.unknown == "error"


def _filled(column: Numeric | Categorical, policy: BadRecords, filler: str) -> float | str:
    if column.missing != "error":
        return column.missing
    if policy is BadRecords.MISSING:
        raise SchemaError(
            f"column {column.name!r}: missing must be set with bad_records = 'missing': say what a missing cell "
            "becomes, or choose bad_records = 'clip' or 'category'."
        )
    return filler
