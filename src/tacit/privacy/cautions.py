"""What an owner should read before a promise is made: numbers that keep it formally and protect little."""

import math
from collections.abc import Mapping

from tacit.privacy.budget import Budget

# Beyond this, odds may change by a factor of half a billion.
LARGE_EPSILON = 20.0
# Below this, noise is a million times as large as what one unit contributes.
SMALL_EPSILON = 1e-6
# A delta that is too large for a table of any size that is worth protecting.
LARGE_DELTA = 1e-3
# Fewer rows than this are lost in the noise of any epsilon that protects.
FEW_ROWS = 20


def cautions(budget: Budget, *, n_rows: int | None = None) -> tuple[str, ...]:
    """Return sentences about ``budget``, none if nothing is wrong with it.

    ``n_rows`` is the table's, which may itself be private: with it the sentences are for the owner's eyes alone.
    """
    found = [*_about_delta(budget, n_rows), *_about_epsilon(budget)]
    if n_rows is not None and n_rows < FEW_ROWS:
        found.append(
            f"the table has {n_rows} rows: so few are lost in the noise, and what is released says next to nothing. "
            "Release a larger table."
        )
    return tuple(found)


def clipping_cautions(clipped: Mapping[str, float]) -> tuple[str, ...]:
    """Return a sentence for every column of which all values lie at or beyond one bound; for the owner's eyes alone.

    ``clipped`` maps names of columns to the share of their values that do.
    """
    return tuple(
        f"column {name!r}: every value lies at one of its bounds or outside it and was clipped to it, so that nothing "
        "is left of the column. Check the bounds and the units in the schema."
        for name, share in clipped.items()
        if share >= 1
    )


def _about_delta(budget: Budget, n_rows: int | None) -> list[str]:
    per_row = math.inf if not n_rows else 1 / n_rows
    if budget.delta >= per_row:
        return [
            f"delta {budget.delta:g} is at least 1 over the number of rows: publishing one record in full, chosen at "
            f"random, would keep this promise. Choose a delta well below it, {per_row / 100:.0e} say."
        ]
    if budget.delta >= LARGE_DELTA:
        return [
            f"delta {budget.delta:g} is a probability with which everything may be lost, for each {budget.unit}: in a "
            f"table of more than {1 / budget.delta:.0f} rows publishing one of them in full would keep this promise. "
            "Choose a delta well below 1 over the number of rows, 1e-6 say."
        ]
    return []


def _about_epsilon(budget: Budget) -> list[str]:
    if budget.epsilon > LARGE_EPSILON:
        return [
            f"epsilon {budget.epsilon:g} lets odds change by a factor of {math.exp(budget.epsilon):.0e} through one "
            f"{budget.unit}: that is no protection to speak of. Above 10 a promise is hard to defend."
        ]
    if budget.epsilon < SMALL_EPSILON:
        return [
            f"epsilon {budget.epsilon:g} asks for noise a million times as large as what one {budget.unit} adds: what "
            "is released does not depend on the table any more."
        ]
    return []
