"""Owners and receivers of public tables, what is learned from them with and without privacy, and peers beside."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from tacit.arrays import BoolArray, FloatArray, Rows
from tacit.data.public.datasets import TableSet
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.schema import Schema
from tacit.experiments.kept_answers import kept_answer, kept_figures
from tacit.experiments.results import ResultRow, mean_row
from tacit.kinds.additive import KIND as ADDITIVE
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable

EPSILONS = (0.1, 0.5, 1.0, 3.0)
DELTA = 1e-6
SECONDS = ", seconds of CPU"
TACIT, LOGISTIC = "tacit, additive release", "tacit, logistic regression"
LINEAR, BOOSTING = "linear model, no privacy", "boosting, no privacy"
# Splits and seeds of noise that no setting was chosen on.
FIRST_SEED = 101
PEER_SCRIPT = "peer_tables.py"
NO_ROWS = np.zeros(0, np.intp)


@record
class OwnerAndReceiver:
    """The rows of an owner, those of a receiver without labels, and what they share."""

    name: str
    schema: Schema
    owner: Encoded
    receiver: Encoded

    @classmethod
    def split(cls, data: TableSet, owner: BoolArray) -> "OwnerAndReceiver":
        """Return the parts of a table: the owner's rows, and all others."""
        rows = data.encode(labels="required")
        return cls(data.name, data.schema, rows.where(owner), rows.where(~owner))


def random_owner(n_rows: int, seed: int, share: float = 0.7) -> BoolArray:
    """Return which rows are the owner's: a random ``share``."""
    mask: BoolArray = check_random_state(seed).random_sample(n_rows) < share
    return mask


# Method, setting and figure.
NamedFigure = tuple[str, str, float]
# The quality of scores or predictions for the receiver's rows.
Score = Callable[[NDArray[Any], FloatArray], float]


def private_figures(parts: OwnerAndReceiver, seed: int) -> Iterator[NamedFigure]:
    """Yield the quality of the release at each epsilon without labels, and the processor seconds that it took.

    Of classes also that of logistic regression with its defaults, whose promise has delta 0.
    """
    for epsilon in EPSILONS:
        start = time.process_time()
        release = ADDITIVE.release(
            parts.owner.X, parts.owner.outcomes, parts.schema, epsilon=epsilon, delta=DELTA, random_state=seed
        )
        seconds = time.process_time() - start
        yield TACIT, setting(parts, epsilon), quality(parts, released_scores(parts, release))
        yield TACIT + SECONDS, setting(parts, epsilon), seconds
        if parts.schema.target is None:
            model = PrivateLogisticRegression(epsilon, bounds=parts.schema, random_state=seed)
            scores = model.fit(parts.owner.X, parts.owner.outcomes).decision_function(parts.receiver.X)
            yield LOGISTIC, setting(parts, epsilon), quality(parts, scores)


def open_figures(parts: OwnerAndReceiver) -> Iterator[NamedFigure]:
    """Yield the quality of models without privacy."""
    for method, model in open_models(parts).items():
        model.fit(parts.owner.X, parts.owner.outcomes)
        yield method, setting(parts), quality(parts, open_scores(model, parts.receiver.X))


def setting(parts: OwnerAndReceiver, epsilon: float | None = None) -> str:
    """Return how a row of the table calls the data and the promise."""
    return parts.name if epsilon is None else f"{parts.name}, epsilon {epsilon:g}"


def released_scores(parts: OwnerAndReceiver, release: Release) -> FloatArray:
    """Return what a receiver without any label makes of ``release``: log-odds of the second class, or predictions."""
    lesson: Lesson = ADDITIVE.teach(release, ReceiverTable(parts.schema, parts.receiver.X, NO_ROWS, NO_ROWS))
    if lesson.predictions is not None:
        return lesson.predictions(parts.receiver.X)[0]
    ((scores, _),) = lesson.candidates
    logs = scores(parts.receiver.X)
    return logs[:, 1] - logs[:, 0]


def quality(parts: OwnerAndReceiver, scores: FloatArray) -> float:
    """Return the area under the ROC curve, or R² of a number, on the receiver's rows."""
    measure: Score = r2_score if parts.schema.target is not None else roc_auc_score
    return float(measure(parts.receiver.outcomes, scores))


def open_models(parts: OwnerAndReceiver) -> dict[str, Any]:
    """Return models without privacy, of the same encoded columns."""
    if parts.schema.target is not None:
        return {
            LINEAR: make_pipeline(StandardScaler(), Ridge(1.0)),
            BOOSTING: HistGradientBoostingRegressor(random_state=0),
        }
    return {
        LINEAR: make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        BOOSTING: HistGradientBoostingClassifier(random_state=0),
    }


def open_scores(model: Any, X: Rows) -> FloatArray:
    """Return log-odds or predictions of a fitted model."""
    return np.asarray(model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X))


def peer_figures(parts: OwnerAndReceiver, seed: int, methods: Sequence[str]) -> Iterator[NamedFigure]:
    """Yield quality and seconds of peers in their own environment; nothing where it is absent.

    Each method is asked at each epsilon by itself, and its answer kept: see `kept_answer`.
    """
    arrays = peer_arrays(parts, seed)
    for method, epsilon in product(methods, EPSILONS):
        answer = kept_answer(PEER_SCRIPT, method, {**arrays, "epsilon": np.array(epsilon)})
        if answer is not None:
            yield method, setting(parts, epsilon), float(answer["quality"])
            yield method + SECONDS, setting(parts, epsilon), float(answer["seconds"])


def peer_arrays(parts: OwnerAndReceiver, seed: int) -> dict[str, NDArray[Any]]:
    """Return the same rows for peers: encoded, and as one column for each feature with its public bounds."""
    target = parts.schema.target
    return {
        "encoded": parts.owner.X.astype(np.float32),
        "encoded_test": parts.receiver.X.astype(np.float32),
        "columns": plain_columns(parts.owner.X, parts.schema),
        "columns_test": plain_columns(parts.receiver.X, parts.schema),
        "is_category": np.array([isinstance(column, Categorical) for column in parts.schema.features]),
        "bounds": np.array([getattr(column, "bounds", (0.0, 1.0)) for column in parts.schema.features]),
        "y": parts.owner.outcomes,
        "y_test": parts.receiver.outcomes,
        "target_bounds": np.array(target.bounds if target is not None else []),
        "delta": np.array(DELTA),
        "seed": np.array(seed),
    }


def plain_columns(X: Rows, schema: Schema) -> FloatArray:
    """Return one column [N, q] for each feature: numbers in their own units, categories as codes."""
    columns = np.empty((len(X), len(schema.features)))
    for place, column in enumerate(schema.features):
        start = schema.positions[column.name].start
        part = X[:, start : start + len(column.encoded_names)]
        if isinstance(column, Numeric):
            columns[:, place] = column.low + part[:, 0] * (column.high - column.low)
        else:
            columns[:, place] = part.argmax(axis=1)
    return columns


def table_rows(
    make_parts: Callable[[int], OwnerAndReceiver],
    *,
    runs: int,
    peers: Sequence[str],
    metric: str,
    same_split: bool = False,
) -> Iterator[ResultRow]:
    """Yield a row for each method and setting: means over runs of another split, or if that is fixed of other noise.

    Models without privacy run once on a fixed split.
    """
    figures: dict[tuple[str, str], list[float]] = {}
    for run in range(runs):
        parts = make_parts(FIRST_SEED + run)
        own = _own_figures(parts, FIRST_SEED + run, with_open=not (run and same_split))
        for method, where, figure in chain(own, peer_figures(parts, FIRST_SEED + run, peers)):
            figures.setdefault((method, where), []).append(figure)
    for (method, where), values in figures.items():
        timed = method.endswith(SECONDS)
        yield mean_row(method.removesuffix(SECONDS), where, values, metric="CPU seconds" if timed else metric)


def rows_of_tables(
    random_splits: Sequence[Callable[[int], OwnerAndReceiver]],
    fixed_split: Callable[[int], OwnerAndReceiver],
    *,
    runs: int,
    peers: Sequence[str],
    metric: str,
) -> Iterator[ResultRow]:
    """Yield `table_rows` of tables that are split at random in each run, then of one whose split is fixed."""
    for split in random_splits:
        yield from table_rows(split, runs=runs, peers=peers, metric=metric)
    yield from table_rows(fixed_split, runs=runs, peers=peers, metric=metric, same_split=True)


def _own_figures(parts: OwnerAndReceiver, seed: int, *, with_open: bool) -> list[NamedFigure]:
    """Return the figures of one draw: of releases, and of models without privacy if they are asked for."""

    def measure() -> list[NamedFigure]:
        return [*private_figures(parts, seed), *(open_figures(parts) if with_open else ())]

    rows = len(parts.owner.X), len(parts.receiver.X)
    kept = kept_figures([parts.name, rows, seed, EPSILONS, DELTA, with_open], measure)
    return [(method, where, figure) for method, where, figure in kept]
