"""Correlations of encoded columns as a map with names, and in words: the strongest, and those that were not kept."""

from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.pages.charts import short
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.named_map import named_map

# Pairs that are named in words.
MOST_NAMED = 5
# A smaller correlation, or a smaller change of one, is not worth naming.
LEAST_NAMED = 0.05


def correlation_part(matrices: Sequence[tuple[str, FloatArray]], schema: Schema) -> Markup:
    """Return the correlations of each named table; of two, also what the first one lost of the second's."""
    names, apart = schema.encoded_names, different_columns(schema)
    words = [_strongest(matrices[0][1], names, apart)]
    if len(matrices) > 1:
        words += [_lost(matrices[0][1], matrices[1][1], names, apart)]
    maps = [joined(tag("h3", name), correlation_map(R, names)) for name, R in matrices]
    return joined([tag("p", sentence) for sentence in words], maps)


def different_columns(schema: Schema) -> FloatArray:
    """Return 1 above the diagonal where two encoded columns come from different columns of the table, else 0 [p, p].

    Categories of one column exclude each other, which is no finding.
    """
    owner = np.zeros(len(schema.encoded_names), dtype=np.int64)
    for number, places in enumerate(schema.positions.values()):
        owner[places.start : places.stop] = number
    return np.asarray(np.triu(owner[:, None] != owner[None, :], 1), dtype=np.float64)


def largest_pairs(values: FloatArray) -> list[tuple[int, int]]:
    """Return the places of the largest absolute values above the diagonal, the largest first, without small ones."""
    upper = np.abs(np.triu(values, 1))
    order = np.argsort(-upper, axis=None, kind="stable")[:MOST_NAMED]
    places = [divmod(int(place), len(values)) for place in order]
    return [place for place in places if upper[place] >= LEAST_NAMED]


def _strongest(R: FloatArray, names: Sequence[str], apart: FloatArray) -> str:
    pairs = [f"{_pair(names, place)} {_signed(R[place])}" for place in largest_pairs(R * apart)]
    return f"Strongest: {'; '.join(pairs)}." if pairs else "No two columns are correlated by more than chance would do."


def _lost(fabricated: FloatArray, original: FloatArray, names: Sequence[str], apart: FloatArray) -> str:
    gap = (fabricated - original) * apart
    mean = float(np.abs(gap).sum() / max(apart.sum(), 1.0))
    average = f"The two tables differ by {mean:.2f} on average, on a scale from −1 to 1."
    pairs = [
        f"{_pair(names, place)} {_signed(fabricated[place])} instead of {_signed(original[place])}"
        for place in largest_pairs(gap)
    ]
    kept = f"no correlation is off by {LEAST_NAMED:g} or more"
    return f"{average} Least kept: {'; '.join(pairs)}." if pairs else f"{average} Kept: {kept}."


def _pair(names: Sequence[str], place: tuple[int, int]) -> str:
    return " and ".join(short(names[each]) for each in place)


def correlation_map(R: FloatArray, names: Sequence[str]) -> Markup:
    """Return the matrix of correlations, blue where high values come together and red where high comes with low."""
    return named_map(R, names, _signed, reach=1.0, label="correlations")


def _signed(value: float) -> str:
    """Return a correlation in few letters: ``+.39``, ``−1``, ``0``."""
    text = f"{value:+.2f}"
    if text in {"+0.00", "-0.00"}:
        return "0"
    return text.replace("-", "−").replace("0.", ".").removesuffix(".00")
