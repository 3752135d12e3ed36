"""Missing cells of a column inferred with a confidence that is calibrated on held-out cells."""

from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import UNLABELLED, BoolArray, FloatArray, IntArray
from tacit.data.reading.frames import polars_frame
from tacit.data.schemas.schema import Schema
from tacit.numerics.calibration import Coverage, apply_temperature, calibration_error, coverage, find_temperature
from tacit.records import record
from tacit.situations.missing.learners import LEARNERS, learn
from tacit.situations.missing.problem import InferenceProblem, inference_problem

# Parts of the known rows, each held out in turn.
FOLDS = 5


@record
class HeldOutEvidence:
    """Predictions for the rows whose cell is known, each by a learner that was trained without that cell."""

    y: IntArray
    """[known rows]: true codes, numbered from 0 among the categories that occur."""
    raw: FloatArray
    calibrated: FloatArray
    """[known rows, categories that occur]: probabilities as predicted, and at the temperature that fits the other parts
    best."""

    @property
    def right(self) -> int:
        """Number of rows that are inferred right."""
        return int((self.raw.argmax(axis=1) == self.y).sum())

    @property
    def accuracy(self) -> float:
        """Share of the known rows that are inferred right."""
        return self.right / len(self.y)

    @property
    def commonest(self) -> float:
        """Share of the known rows in the commonest category."""
        return float(np.bincount(self.y).max() / len(self.y))

    @cached_property
    def errors(self) -> tuple[float, float]:
        """The expected calibration error before and after calibration."""
        return calibration_error(self.raw, self.y), calibration_error(self.calibrated, self.y)

    def answered(self, least: float) -> Coverage:
        """Return how many rows are answered with a confidence of at least ``least``, and how many of those right."""
        return coverage(self.calibrated, self.y, least=least)


@record
class InferredColumn:
    """The inferred cells of one column, and the evidence for them.

    **Not private.** Inferring what people withheld discloses it: guard the cells as if people had filled them in.
    """

    column: str
    """The column that was inferred."""
    missing: BoolArray
    """[rows]: where it was missing."""
    categories: tuple[str, ...]
    """The categories that occur among the known cells, in the schema's order."""
    probabilities: FloatArray
    """[missing rows, categories]: calibrated."""
    temperature: float
    """Divisor of the learner's logits, fitted on all held-out rows."""
    evidence: HeldOutEvidence
    """Predictions for the rows where the cell is known."""

    @property
    def confidence(self) -> FloatArray:
        """The largest probability of each missing row."""
        largest: FloatArray = self.probabilities.max(axis=1)
        return largest

    def answers(self, *, abstain_below: float = 0.0) -> pl.Series:
        """Return the likeliest category of each missing row; empty where the confidence is below ``abstain_below``."""
        least = checks.fraction("abstain_below", abstain_below, zero=True, one=True)
        names = pl.Series(self.categories, dtype=pl.String).gather(self.probabilities.argmax(axis=1))
        return names.set(pl.Series(self.confidence < least), None).alias(f"{self.column}_inferred")

    def columns(self, *, abstain_below: float = 0.0) -> list[pl.Series]:
        """Return two columns for the whole table: answers and confidence, both empty where the cell is known."""
        answers = self.answers(abstain_below=abstain_below)
        confidence = pl.Series(f"{self.column}_confidence", self.confidence.round(6))
        places = pl.Series(np.cumsum(self.missing) - 1, dtype=pl.Int64).set(pl.Series(~self.missing), None)
        return [answers.gather(places), confidence.gather(places)]


def infer_column(
    table: Any,
    schema: Schema,
    column: str,
    *,
    learner: str = "sharpened",
    random_state: int = 0,
    source: str = "table",
) -> InferredColumn:
    """Return the likeliest category of each missing cell of ``column``, with calibrated confidence.

    The known rows are split into five parts. Each part is inferred by a learner to which its cells are missing too;
    these held-out predictions give the accuracy, the temperature, and the calibration error. A last learner, trained
    on all known cells, infers the missing ones.

    Parameters
    ----------
    table, schema
        As in `tacit.encode`.
    column : str
        A column with a closed list, missing in some rows and known in others.
    learner : "sharpened", "logistic" or "boosted"
        See `learn`; the first needs the extra ``deep``.
    random_state : int
        Where random choices start.
    source : str
        What error messages call the table.
    """
    checks.one_of("learner", learner, LEARNERS)
    problem = inference_problem(polars_frame(table, name=source), schema, column, source=source)
    return infer(problem, learner=learner, random_state=random_state)


def infer(problem: InferenceProblem, *, learner: str, random_state: int) -> InferredColumn:
    """Return the inferred column of a problem that is made already; see `infer_column`."""
    codes, y = np.unique(problem.y[~problem.missing], return_inverse=True)
    learning = _Learning(problem, learner, y.astype(np.int64), len(codes), random_state)
    parts = _stratified_parts(learning.y, random_state)
    logits = np.zeros((len(y), len(codes)))
    for part in range(parts.max() + 1):
        logits[parts == part] = learning.logits(parts == part)
    calibrated = _calibrated_by_others(logits, learning.y, parts)
    temperature = find_temperature(logits, learning.y)
    return InferredColumn(
        column=problem.column,
        missing=problem.missing,
        categories=tuple(problem.rules.classes[code] for code in codes),
        probabilities=apply_temperature(learning.logits(None), temperature),
        temperature=temperature,
        evidence=HeldOutEvidence(learning.y, softmax(logits, axis=1), calibrated),
    )


@record
class _Learning:
    """A problem whose codes are numbered among the categories that occur, and the settings of its learners."""

    problem: InferenceProblem
    learner: str
    y: IntArray
    n_classes: int
    seed: int

    def logits(self, hidden: BoolArray | None) -> FloatArray:
        """Return the logits of the ``hidden`` known rows, by a learner without their cells, or of the missing rows."""
        X, missing = self.problem.X, self.problem.missing
        labels = np.full(len(X), UNLABELLED, dtype=np.int64)
        places = np.flatnonzero(~missing)
        labels[places] = self.y if hidden is None else np.where(hidden, UNLABELLED, self.y)
        rules = self.problem.rules
        predict_logits = learn(self.learner, X, labels, rules=rules, n_classes=self.n_classes, seed=self.seed)
        rows: NDArray[Any] = X[missing] if hidden is None else X[places[hidden]]
        return predict_logits(rows)


def _stratified_parts(y: IntArray, seed: int) -> IntArray:
    """Return the part of each row; the rows of each category are distributed evenly over the parts.

    A category of two rows or more is never held out as a whole.
    """
    order = check_random_state(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    parts = np.empty(len(y), dtype=np.int64)
    parts[order] = np.arange(len(y)) % min(FOLDS, len(y))
    return parts


def _calibrated_by_others(logits: FloatArray, y: IntArray, parts: IntArray) -> FloatArray:
    """Return probabilities of each part at the temperature that fits the other parts best."""
    probabilities = np.empty_like(logits)
    for part in np.unique(parts):
        members = parts == part
        probabilities[members] = apply_temperature(logits[members], find_temperature(logits[~members], y[~members]))
    return probabilities
