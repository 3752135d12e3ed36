"""Missing cells of a column inferred with a confidence that held-out cells bear out."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import UNLABELLED, FloatArray
from tacit.data.cells import BoolArray, IntArray
from tacit.data.schema import Schema
from tacit.numerics.calibration import Coverage, apply_temperature, calibration_error, coverage, find_temperature
from tacit.situations.missing.learners import LEARNERS, learn
from tacit.situations.missing.question import Question, ask

# Parts of the known rows, each held out in turn.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Evidence:
    """How well the column is inferred where it is known, each row by a learner that did not see its cell.

    Attributes
    ----------
    y : array of int [known rows]
        True codes, numbered from 0 among the categories that occur.
    raw, calibrated : array [known rows, categories that occur]
        Probabilities as learned, and at a temperature that was found on the other parts.
    """

    y: IntArray
    raw: FloatArray
    calibrated: FloatArray

    @property
    def right(self) -> int:
        """How many rows are inferred right."""
        return int((self.raw.argmax(axis=1) == self.y).sum())

    @property
    def accuracy(self) -> float:
        """The share that is inferred right, of all known rows."""
        return self.right / len(self.y)

    @property
    def commonest(self) -> float:
        """The share that the commonest category would get right."""
        return float(np.bincount(self.y).max() / len(self.y))

    @cached_property
    def errors(self) -> tuple[float, float]:
        """The expected calibration error before and after calibration."""
        return calibration_error(self.raw, self.y), calibration_error(self.calibrated, self.y)

    def answered(self, least: float) -> Coverage:
        """Return how many rows are answered with a confidence of at least ``least``, and how many of those right."""
        return coverage(self.calibrated, self.y, least=least)


@dataclass(frozen=True, eq=False)
class InferredColumn:
    """What was inferred, row by row, and the evidence for it.

    **Not private.** What people withheld, inferred, is a disclosure about them: guard it as if they had told it.

    Attributes
    ----------
    column : str
        The column that was inferred.
    missing : array of bool [rows]
        Where it was missing.
    categories : tuple of str
        The categories that occur among the known cells, in the schema's order.
    probabilities : array [missing rows, categories]
        Calibrated.
    temperature : float
        What the learner's logits were divided by; found on all held-out rows.
    evidence : Evidence
        From the rows where the column is known.
    """

    column: str
    missing: BoolArray
    categories: tuple[str, ...]
    probabilities: FloatArray
    temperature: float
    evidence: Evidence

    @property
    def confidence(self) -> FloatArray:
        """The probability of the likeliest category, of each missing row."""
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
    table: pl.DataFrame,
    schema: Schema,
    column: str,
    *,
    learner: str = "sharpened",
    random_state: int = 0,
    source: str = "table",
) -> InferredColumn:
    """Return what stands, most likely, in the missing cells of ``column``, with calibrated confidence.

    The known rows are dealt into five parts. Each part is inferred by a learner that takes its cells for missing, as
    it takes those that are; these held-out predictions give the accuracy, the temperature, and the error of the
    confidence. A last learner that knows all known cells then infers the missing ones.

    Parameters
    ----------
    table : DataFrame
        As `read_table` gives it.
    schema : Schema
        Its rules.
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
    return infer(ask(table, schema, column, source=source), learner=learner, random_state=random_state)


def infer(question: Question, *, learner: str, random_state: int) -> InferredColumn:
    """Return the answer to a question that was asked of a table; see `infer_column`."""
    known = ~question.missing
    codes, y = np.unique(question.y[known], return_inverse=True)
    fitted = _Learning(question, learner, y.astype(np.int64), len(codes), random_state)
    parts = _dealt(fitted.y, random_state)
    logits = np.zeros((len(y), len(codes)))
    for part in range(parts.max() + 1):
        logits[parts == part] = fitted.logits(parts == part)
    calibrated = _calibrated_by_others(logits, fitted.y, parts)
    temperature = find_temperature(logits, fitted.y)
    return InferredColumn(
        column=question.column,
        missing=question.missing,
        categories=tuple(question.rules.classes[code] for code in codes),
        probabilities=apply_temperature(fitted.logits(None), temperature),
        temperature=temperature,
        evidence=Evidence(fitted.y, softmax(logits, axis=1), calibrated),
    )


@dataclass(frozen=True, eq=False)
class _Learning:
    """A question whose codes are numbered among those that occur, and how it is answered."""

    question: Question
    learner: str
    y: IntArray
    n_classes: int
    seed: int

    def logits(self, hidden: BoolArray | None) -> FloatArray:
        """Return the logits of the ``hidden`` ones among the known rows, taken for missing; of the missing, if None."""
        X, missing = self.question.X, self.question.missing
        shown = np.full(len(X), UNLABELLED, dtype=np.int64)
        places = np.flatnonzero(~missing)
        shown[places] = self.y if hidden is None else np.where(hidden, UNLABELLED, self.y)
        rules = self.question.rules
        learned = learn(self.learner, X, shown, rules=rules, n_classes=self.n_classes, seed=self.seed)
        asked: NDArray[Any] = X[missing] if hidden is None else X[places[hidden]]
        return learned(asked)


def _dealt(y: IntArray, seed: int) -> IntArray:
    """Return the part of each row: every category is dealt to the parts in turn, so that all have their share of it.

    A category of two rows or more is never held out as a whole.
    """
    order = check_random_state(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    parts = np.empty(len(y), dtype=np.int64)
    parts[order] = np.arange(len(y)) % min(FOLDS, len(y))
    return parts


def _calibrated_by_others(logits: FloatArray, y: IntArray, parts: IntArray) -> FloatArray:
    """Return probabilities of each part at the temperature that suits the other parts best."""
    calibrated = np.empty_like(logits)
    for part in np.unique(parts):
        here = parts == part
        calibrated[here] = apply_temperature(logits[here], find_temperature(logits[~here], y[~here]))
    return calibrated
