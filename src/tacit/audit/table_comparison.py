"""A fabricated table beside the private one: likeness, what learners get from it, and whether it gives rows away."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.audit.attacks.closeness import Closeness, closeness
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.files.notebook_html import html_facts
from tacit.models.marginals.conditioning import Rules
from tacit.models.marginals.layout import Layout
from tacit.records import record
from tacit.similarity.joint_cells import (
    ImpossiblePair,
    JointCells,
    cell_rule,
    impossible_rows,
    mean_variation,
    pair_variations,
)
from tacit.similarity.learning import LEARNERS, trained_area
from tacit.similarity.table_similarity import correlations

# Share of private rows on which learners are tested if no held-out rows are given.
TEST_SHARE = 1 / 3
SEED = 0
SIZES = (1, 2, 3)


@dataclass(frozen=True)
class LearnerAreas:
    """Areas under the ROC curve on real rows of a learner trained on real and on fabricated rows."""

    real: float
    fabricated: float


@record
class TableComparison:
    """What a comparison found; every figure is computed from private rows."""

    n_real: int
    n_fabricated: int
    names: tuple[str, ...]
    """The columns, the label last."""
    variations: Mapping[int, float]
    """Mean total variation distance of one, two and three columns."""
    held_out_variations: Mapping[int, float]
    """The same between the private and the held-out rows, which chance alone explains; empty without these."""
    pairs: FloatArray
    """[d, d]: distance of each pair of columns, of each column on the diagonal."""
    correlation_gap: float
    """Mean absolute difference of the correlations of encoded columns."""
    impossible: float
    """Share of fabricated rows with a combination of two columns that looks impossible."""
    impossible_pairs: tuple[ImpossiblePair, ...]
    """The columns with such combinations, the commonest first."""
    broken: float
    """Share of fabricated rows that break a constraint of the schema."""
    learned: Mapping[str, LearnerAreas]
    """By learner; empty without a label of two classes."""
    closeness: Closeness | None
    """None without held-out rows."""

    def _repr_html_(self) -> str:
        """Return the figures as a notebook shows them; they are exact facts of private rows."""
        facts = [("Rows", f"{self.n_real:,} real, {self.n_fabricated:,} fabricated")]
        facts += [(f"Distance of {order}-way tables", f"{value:.4f}") for order, value in self.variations.items()]
        facts += [
            ("Largest gap of correlations", f"{self.correlation_gap:.3f}"),
            ("Impossible pairs", f"{self.impossible:.2%}"),
        ]
        facts += [
            (f"AUC by {name}", f"{each.real:.3f} real, {each.fabricated:.3f} fabricated")
            for name, each in self.learned.items()
        ]
        return html_facts("Fabricated rows against real ones", facts, warning="For the owner alone: not private.")

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-ready values; an area that is not known is None."""
        return {
            "private": "computed from private rows without noise: not to be handed out",
            "rows": {"private": self.n_real, "fabricated": self.n_fabricated},
            "total_variation": {str(count): value for count, value in self.variations.items()},
            "total_variation_of_held_out_rows": {
                str(count): value for count, value in self.held_out_variations.items()
            },
            "correlation_gap": self.correlation_gap,
            "impossible": self.impossible,
            "impossible_pairs": [
                {"columns": list(each.columns), "share": each.share} for each in self.impossible_pairs
            ],
            "broken_constraints": self.broken,
            "auc": {
                name: {"real": _known(each.real), "fabricated": _known(each.fabricated)}
                for name, each in self.learned.items()
            },
            "closest_record": None if self.closeness is None else self.closeness.to_dict(),
        }


def _known(area: float) -> float | None:
    return None if math.isnan(area) else area


def compare_tables(
    real: Encoded, fabricated: Encoded, schema: Schema, held_out: Encoded | None = None
) -> TableComparison:
    """Return how a fabricated table compares with the ``real`` rows that it stands for.

    ``held_out`` are real rows that it was not made of: learners are tested on them, and closeness needs them.
    """
    layout = Layout.of(schema)
    tables = {"real": real, "fabricated": fabricated, **({} if held_out is None else {"held out": held_out})}
    codes = {name: layout.row_codes(rows.X) for name, rows in tables.items()}
    rule = cell_rule(codes["real"], layout)
    cells = {name: rule.cells(codes[name], _classes(rows, layout)) for name, rows in tables.items()}
    impossible, pairs = impossible_rows(cells["real"], cells["fabricated"], rule)
    kept = Rules(layout).kept(codes["fabricated"].astype(np.float64), fabricated.y)
    gaps = np.abs(correlations(real.X) - correlations(fabricated.X))
    off = ~np.eye(len(gaps), dtype=bool)
    return TableComparison(
        len(real.y),
        len(fabricated.y),
        rule.names,
        {count: mean_variation(cells["real"], cells["fabricated"], rule.sizes, count) for count in SIZES},
        {}
        if held_out is None
        else {count: mean_variation(cells["real"], cells["held out"], rule.sizes, count) for count in SIZES},
        pair_variations(cells["real"], cells["fabricated"], rule.sizes),
        float(gaps[off].mean()) if off.any() else 0.0,
        impossible,
        tuple(pairs),
        float((~kept).mean()),
        _learned(real, fabricated, held_out) if len(schema.classes) > 1 else {},
        None if held_out is None else closeness(real, held_out, fabricated),
    )


def _classes(rows: Encoded, layout: Layout) -> JointCells | None:
    return None if layout.label is None else rows.y


def _learned(real: Encoded, fabricated: Encoded, held_out: Encoded | None) -> dict[str, LearnerAreas]:
    """Return the areas of each learner on held-out rows, or on a third of the real ones that the real learner lacks."""
    train, test = (real, held_out) if held_out is not None else _split(real)
    return {
        name: LearnerAreas(trained_area(name, train, test), trained_area(name, fabricated, test)) for name in LEARNERS
    }


def _split(rows: Encoded) -> tuple[Encoded, Encoded]:
    chosen = check_random_state(SEED).uniform(size=len(rows.y)) < TEST_SHARE
    return rows.where(~chosen), rows.where(chosen)
