"""A first draft of a schema, read from a private table: to be corrected by its owner, not a public document."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.arrays import FloatArray
from tacit.data.schemas.cells import NumericCells, category_texts, numeric_cells
from tacit.data.schemas.coded_columns import Date
from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric, Person
from tacit.data.schemas.draft_findings import NUMBERING, is_numbering, other_dates, with_families
from tacit.data.schemas.identifiers import is_identifier_name, repeats_like_identifier
from tacit.data.schemas.notations import STEPS, DateNotation, write_number
from tacit.data.schemas.schema import Image, Schema
from tacit.errors import SchemaError

# Texts that usually mean an empty cell; those that occur are listed in the draft.
USUAL_BLANKS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "?")
# A column of numbers with no more different values than this is taken for codes of categories.
FEW_NUMBERS = 10
# A column of texts with more different values than this is taken for free text.
MANY_TEXTS = 50
# From this share of missing numbers on, whether a cell is missing is kept.
OFTEN_MISSING = 0.2
NAMES_PERSONS = (
    "repeats like an identifier: if it says whose row it is, a release protects that person with at most so many rows; "
    "add rows = K, a public bound. If it does not, make it 'ignored'"
)
MAY_NAME_PERSONS = 'repeats like an identifier: if it says whose row it is, make it kind = "person"'

HEADING = """\
DRAFT, NOT YET FIT FOR A RELEASE.
Its bounds, categories and rules for missing values were READ FROM THE PRIVATE ROWS. Whoever sees
a release made with them learns the extremes and the rarest categories of your table.

What to do: replace each by what is known without looking at the rows (a code book, physical
limits, a questionnaire's list of answers), then delete the line `bounds_from_data = true`.
Until then every private release refuses this schema."""


@dataclass(frozen=True)
class Draft:
    """A schema marked as read from the data, and a remark for each column that the owner should check."""

    schema: Schema
    remarks: Mapping[str, str]


def draft_schema(
    table: pl.DataFrame,
    *,
    label: str | None = None,
    images: Mapping[str, tuple[int, ...]] | None = None,
    extra_columns: str = "error",
) -> Draft:
    """Return a first schema for ``table``.

    Parameters
    ----------
    table : DataFrame
        As `read_table` gives it.
    label : str or None
        The column to predict.
    images : dict or None
        Shapes of the arrays that hold pictures, as `image_shapes` gives them; the first one becomes the image.
    extra_columns : "error" or "ignore"
        As in `Schema`; "ignore" when ``table`` holds only some columns of its file.
    """
    if label is not None and label not in table.columns:
        raise SchemaError(f"label {label!r} is no column of the table; it has {table.columns[:20]}.")
    image = next((_image(name, shape) for name, shape in (images or {}).items()), None)
    pixels = {} if image is None else _pixel_columns(table, image)
    guesses = [
        (pixels[name], "") if name in pixels else _guess(table[name], is_label=name == label) for name in table.columns
    ]
    guesses = with_families(_one_person(guesses))
    schema = Schema(
        columns=tuple(column for column, _ in guesses),
        image=image,
        missing_values=tuple(blank for blank in USUAL_BLANKS if _occurs(blank, table)),
        extra_columns=extra_columns,
        bounds_from_data=True,
    )
    return Draft(schema, {column.name: remark for column, remark in guesses if remark})


def friendly_bounds(low: float, high: float) -> tuple[float, float]:
    """Return round numbers just outside ``low`` and ``high``, about a tenth to a twentieth of their distance apart.

    >>> friendly_bounds(17, 88), friendly_bounds(-0.013, 1.94)
    ((15.0, 90.0), (-0.1, 2.0))
    """
    span = high - low
    magnitude = 10.0 ** math.floor(math.log10(span))
    step = magnitude * (0.1 if span < 2 * magnitude else 0.2 if span < 5 * magnitude else 0.5)
    digits = 1 - math.floor(math.log10(step))
    rounded = round(math.floor(low / step) * step, digits), round(math.ceil(high / step) * step, digits)
    return min(low, rounded[0]), max(high, rounded[1])


def _guess(series: pl.Series, *, is_label: bool) -> tuple[Column, str]:
    if series.dtype.is_nested() or series.dtype == pl.Binary:
        return Ignored(series.name), "neither numbers nor text"
    if is_label:
        return Label(series.name, classes=_texts(series)), "the order of the classes gives their codes"
    if is_identifier_name(series.name):
        return _guess_identifier(series)
    cells = numeric_cells(series, Numeric(series.name, (0, 1)), missing_values=USUAL_BLANKS)
    if cells.malformed.any():
        return _guess_texts(series)
    return _guess_numbers(series, cells)


def _guess_numbers(series: pl.Series, cells: NumericCells) -> tuple[Column, str]:
    numbers = np.unique(cells.values[~cells.missing])
    if len(numbers) <= FEW_NUMBERS and _whole(numbers):
        column, remark = _guess_texts(series)
        return column, remark or "few different numbers: taken for codes; make it numeric if they measure something"
    if _whole(numbers) and is_numbering(cells.values[~cells.missing]):
        return Ignored(series.name), NUMBERING
    missing, remark = _missing_rule(float(cells.missing.mean()))
    bounds = friendly_bounds(float(numbers[0]), float(numbers[-1]))
    return Numeric(series.name, bounds, integer=_whole(numbers), missing=missing), remark


def _missing_rule(share: float) -> tuple[str, str]:
    """Return what becomes of missing numbers, of which there is this share, and a remark where they are many."""
    if share < OFTEN_MISSING:
        return ("middle" if share else "error"), ""
    return "flag", f"missing in {share:.0%} of the rows: that a cell is missing counts as a value of its own"


def _guess_dates(series: pl.Series) -> Date | None:
    """Return a column of dates over whole years, in the coarsest step that keeps their times; None if it holds none."""
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return None
    cells = numeric_cells(series, Date(series.name, (0, 1), step="second"), missing_values=USUAL_BLANKS)
    seconds = cells.values[~cells.missing]
    if cells.malformed.any() or not len(seconds):
        return None
    step = next(name for name, length in STEPS.items() if not (seconds % (length // STEPS["second"])).any())
    years = [int(write_number(DateNotation("second"), each)[:4]) for each in (seconds.min(), seconds.max())]
    missing = "flag" if cells.missing.any() else "error"
    return Date(series.name, (f"{years[0]}-01-01", f"{years[1] + 1}-01-01"), step=step, missing=missing)


def _guess_identifier(series: pl.Series) -> tuple[Column, str]:
    if repeats_like_identifier(series):
        return Person(series.name), NAMES_PERSONS
    return Ignored(series.name), "looks like an identifier"


def _one_person(guesses: list[tuple[Column, str]]) -> list[tuple[Column, str]]:
    """Return the guesses with the first of several columns that may name persons left as such."""
    persons = [column.name for column, _ in guesses if isinstance(column, Person)]
    return [
        (Ignored(column.name), MAY_NAME_PERSONS) if column.name in persons[1:] else (column, remark)
        for column, remark in guesses
    ]


def _whole(numbers: FloatArray) -> bool:
    return bool((numbers == np.round(numbers)).all())


def _guess_texts(series: pl.Series) -> tuple[Column, str]:
    dates = _guess_dates(series)
    if dates is not None:
        return dates, f"dates, counted in steps of one {dates.step}; the bounds are whole years"
    blank = category_texts(series, USUAL_BLANKS)
    if remark := other_dates(blank):
        return Ignored(series.name), remark
    texts = _texts(series)
    missing = bool(blank.null_count())
    if len(texts) + missing < 2 or not texts:
        return Ignored(series.name), "empty, or the same in every row"
    if len(texts) > MANY_TEXTS:
        if repeats_like_identifier(series):
            return Ignored(series.name), MAY_NAME_PERSONS
        return Ignored(series.name), f"{len(texts)} different texts: free text or an identifier?"
    return Categorical(series.name, categories=texts, missing="category" if missing else "error"), ""


def _texts(series: pl.Series) -> tuple[str, ...]:
    """Return the different texts of a column, numbers in their own order."""
    texts = category_texts(series, USUAL_BLANKS).drop_nulls().unique()
    numbers = texts.cast(pl.Float64, strict=False)
    order = pl.DataFrame([numbers.alias("number"), texts.alias("text")]).sort("number", "text", nulls_last=True)
    return tuple(order["text"].to_list())


def _occurs(blank: str, table: pl.DataFrame) -> bool:
    return any(bool((column == blank).any()) for column in table if column.dtype == pl.String)


def _image(array: str, shape: tuple[int, ...]) -> Image:
    return Image(tuple(f"{array}{position}" for position in range(math.prod(shape))), shape)


def _pixel_columns(table: pl.DataFrame, image: Image) -> dict[str, Numeric]:
    pixels = table.select(image.columns).to_numpy()
    low, high = float(pixels.min()), float(pixels.max())
    whole = bool(np.issubdtype(pixels.dtype, np.integer))
    bounds = (0.0, 255.0) if whole and low >= 0 and high <= 255 else friendly_bounds(low, max(high, low + 1))
    return {name: Numeric(name, bounds, integer=whole) for name in image.columns}
