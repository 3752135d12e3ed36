"""What each epsilon buys, simulated on rows that are not private: a table that stands for it, or invented rows."""

import math
from typing import Any

import numpy as np

from tacit.arrays import UNLABELLED
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.file import read_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.interfaces.studio.folder import schema_name
from tacit.interfaces.studio.needs import NEEDS
from tacit.interfaces.studio.worker import Order
from tacit.numerics.public_random import public_random
from tacit.workflows.what_if import what_if

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
DRAWS = 3
MOST_ROWS = 20_000
# Of invented rows: outcomes differ in every so many columns, by so many standard deviations between first and last.
# A number to predict has no classes that lie at both ends, so it moves them by more.
EVERY, APART, NUMBER_APART = 3, 1.0, 4.0
SPREAD = 0.15


def run(order: Order) -> dict[str, Any]:
    """Return what a receiver reaches, for each epsilon."""
    arguments = order.arguments
    schema = read_schema(order.folder.existing(schema_name(arguments["table"])))
    name = arguments.get("stand_ins") or ""
    if name == arguments["table"]:
        raise InputError(f"{name} is the private table itself: choose another, or invented rows.")
    rows: Any = order.folder.existing(name) if name else invented(schema, int(arguments["rows"]))
    need = NEEDS[arguments["need"]]
    result = what_if(
        rows,
        schema,
        epsilons=EPSILONS,
        delta=arguments["delta"],
        method=need.method,
        fabricated=need.workflow == "fabricate",
        draws=DRAWS,
        progress=order.progress,
    )
    means = [
        {"epsilon": each.epsilon, "mean": None if math.isnan(each.mean) else each.mean, "refused": each.refused}
        for each in result.epsilons
    ]
    return {
        "table": arguments["table"],
        "stand_ins": name,
        "rows": result.n_rows,
        "measure": result.measure.name,
        "baseline": result.baseline,
        "means": means,
    }


def invented(schema: Schema, n_rows: int) -> Encoded:
    """Return rows that are made of the schema alone: outcomes move every third column.

    They tell how noise fades with epsilon and with the number of rows, not how well a table will do.
    """
    draw, n = public_random(0), min(max(n_rows, 100), MOST_ROWS)
    if schema.target is None:
        schema.require_classes()
        codes = np.arange(n) % len(schema.classes)
        heights, targets, apart = codes / (len(schema.classes) - 1), None, APART
    else:
        low, high = schema.target.bounds
        codes, heights = np.full(n, UNLABELLED), draw.uniform(0, 1, n)
        targets, apart = low + heights * (high - low), NUMBER_APART
    blocks = []
    for place, column in enumerate(schema.features):
        centres = draw.uniform(0.3, 0.7) + SPREAD * apart * (heights - 0.5) * (place % EVERY == 0)
        blocks.append(_encoded(column, np.clip(draw.normal(centres, SPREAD), 0, 1)))
    X = np.hstack(blocks)
    return Encoded(X, codes.astype(np.int64), schema.encoded_names, schema.classes, targets=targets)


def _encoded(column: Any, values: Any) -> Any:
    """Return the encoded columns of a column whose cells lie at ``values`` in [0, 1]."""
    width = len(column.encoded_names)
    if isinstance(column, Numeric):
        return np.column_stack([values, *([np.zeros(len(values))] * (width - 1))])
    codes = np.minimum((values * len(column.categories)).astype(int), len(column.categories) - 1)
    return np.eye(width)[codes]
