"""Predict the class, or the number, of new rows with an adopted model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from narwhals.stable.v2.typing import IntoDataFrame
from numpy.typing import NDArray

from tacit import checks
from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.arrays import Rows
from tacit.data.reading.frames import in_library_of
from tacit.data.reading.table_source import Batch
from tacit.data.reading.tables import Format, format_of, write_batches
from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.rows.encoding import Place, columns_to_read, decode_labels, encode_columns
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import replacing, require_output
from tacit.files.regular import FilePath
from tacit.models.parallel import RunTasks, open_pool
from tacit.workflows.models import AdoptedModel, Predictor, open_predictor
from tacit.workflows.tables import Progress, input_paths, no_progress, opened

CLASS_COLUMNS = ("prediction", "confidence")
NUMBER_COLUMNS = ("prediction", "low", "high")
# Rows of which a worker holds the encoded matrix at once: so many that what is done once for each block is nothing.
BLOCK = 1 << 13
# Blocks are filled up to whole numbers of so many rows: matrix products round rows of few or ragged ones differently,
# and a prediction is to depend on its row alone, wherever a table is cut.
FILLED = 256
# What a block of rows gives: arrays [N], class codes and probabilities or numbers and the ends of their intervals.
Predicted = tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class PredictionSummary:
    """How predictions came out."""

    rows: int
    columns: tuple[str, ...]
    """Of the written table."""
    classes: dict[str, int]
    """Rows of each class by its name; empty for numbers."""
    mean: float
    """Mean confidence, or the mean of predicted numbers."""


def predict(
    model: AdoptedModel | Predictor | FilePath,
    table: FilePath | IntoDataFrame,
    *,
    keep: Sequence[str] = (),
    output: FilePath | None = None,
    force: bool = False,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Any:
    """Return the class of each row of ``table`` by name, and how sure the model is, in the order of the table.

    The answer is a data frame of the library that ``table`` is of, with its index; of polars for a file.

    Of a numeric target: its mean, and the ends `low` and `high` of an interval that is to cover nine of ten values.

    A label column, if there is one, is not read.

    Parameters
    ----------
    model : AdoptedModel or path
        From ``tacit.adopt``; or the path of a linear release.
    table : path or data frame
        Of pandas, polars or pyarrow.
    keep : sequence of str
        Columns of the table to copy, such as an identifier.
    output : path or None
        A .csv or .parquet file to write; an existing one is refused without ``force``. For more rows than fit into
        memory see `write_predictions`.
    workers : int or None
        How many threads predict; None: one for each core. They change no prediction.
    """
    if output is not None:
        _require_table(Path(output), force=force, inputs=input_paths(model, table))
    frames = list(_predictions(model, table, keep, workers, progress))
    predictions = pl.concat(frames, how="vertical_relaxed")
    if output is not None:
        _write([predictions], Path(output))
    return in_library_of(table, predictions)


def write_predictions(
    model: AdoptedModel | Predictor | FilePath,
    table: FilePath | IntoDataFrame,
    output: FilePath,
    *,
    keep: Sequence[str] = (),
    force: bool = False,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> PredictionSummary:
    """Write what `predict` returns to the file ``output``, whole or not at all, and return how it came out.

    Memory holds a few blocks of rows, however long the table is. The arguments are those of `predict`.
    """
    _require_table(Path(output), force=force, inputs=input_paths(model, table))
    summary = _Summary()
    _write(summary.noting(_predictions(model, table, keep, workers, progress)), Path(output))
    return summary.result()


class _Summary:
    """Adds up the predictions that pass by."""

    def __init__(self) -> None:
        self.n_rows, self.total = 0, 0.0
        self.columns: tuple[str, ...] = ()
        self.classes: Counter[str] = Counter()

    def noting(self, frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        for frame in frames:
            of_classes = frame.columns[-1] == CLASS_COLUMNS[-1]
            if of_classes:
                self.classes.update(dict(frame[CLASS_COLUMNS[0]].value_counts().iter_rows()))
            self.n_rows, self.columns = self.n_rows + frame.height, tuple(frame.columns)
            self.total += float(frame[CLASS_COLUMNS[1] if of_classes else NUMBER_COLUMNS[0]].sum())
            yield frame

    def result(self) -> PredictionSummary:
        return PredictionSummary(
            self.n_rows, self.columns, dict(sorted(self.classes.items())), self.total / self.n_rows
        )


def _predictions(
    model: AdoptedModel | Predictor | FilePath,
    table: FilePath | IntoDataFrame,
    keep: Sequence[str],
    workers: int | None,
    progress: Progress,
) -> Iterator[pl.DataFrame]:
    # As many as joblib finds cores, a container's limit included.
    n_jobs = -1 if workers is None else checks.whole("workers", workers)
    predictor = model if isinstance(model, AdoptedModel | Predictor) else open_predictor(model)
    source = opened(table, predictor.schema, progress=progress)
    needed = columns_to_read(predictor.schema)
    with open_pool(n_jobs) as run:
        for batch in source.batches(None if needed is None else needed | set(keep)):
            yield _predicted(predictor, batch, list(keep), run)


def _predicted(predictor: AdoptedModel | Predictor, batch: Batch, keep: list[str], run: RunTasks) -> pl.DataFrame:
    frame, schema = batch.frame, predictor.schema
    _require_kept(frame, schema, keep, batch.source)
    place = Place(batch.source, batch.first_row)
    rows = encode_columns(_without_label(frame, schema, keep), schema, place=place)
    # Block by block: encoded rows are far larger than what is predicted of them.
    blocks = run(partial(_predicted_block, predictor), ((block,) for block in rows.slices(BLOCK)))
    columns = _columns(predictor, [np.concatenate(parts) for parts in zip(*blocks, strict=True)])
    return pl.concat([frame.select(keep), pl.DataFrame(columns)], how="horizontal")


def _predicted_block(predictor: AdoptedModel | Predictor, rows: EncodedColumns) -> Predicted:
    return tuple(values[: len(rows)] for values in _predicted_rows(predictor, rows.matrix(multiple=FILLED)))


def _predicted_rows(predictor: AdoptedModel | Predictor, X: Rows) -> Predicted:
    """Return class codes and the largest probabilities, or numbers and the ends of their intervals [N] each."""
    learner = predictor.learner
    if isinstance(learner, TargetTransfer):
        low, high = learner.predict_interval(X).T
        return np.asarray(learner.predict(X)), low, high
    shares = learner.predict_proba(X)  # [N, C]
    return learner.classes_[shares.argmax(axis=1)], shares.max(axis=1).round(6)


def _columns(predictor: AdoptedModel | Predictor, predicted: Sequence[NDArray[Any]]) -> list[pl.Series]:
    """Return the class and how sure it is, or a number and the ends of its interval."""
    if isinstance(predictor.learner, TargetTransfer):
        return [pl.Series(name, values) for name, values in zip(NUMBER_COLUMNS, predicted, strict=True)]
    codes, shares = predicted
    return [decode_labels(codes, predictor.schema).alias(CLASS_COLUMNS[0]), pl.Series(CLASS_COLUMNS[1], shares)]


def _write(frames: Iterable[pl.DataFrame], output: Path) -> None:
    with replacing(output) as file:
        write_batches(frames, file, layout=_layout(output))


def _require_table(output: Path, *, force: bool, inputs: Iterable[Path]) -> None:
    """Raise InputError unless a table can be written there without losing anything."""
    _layout(output)
    require_output(output, force=force, inputs=inputs)


def _layout(output: Path) -> Format:
    """Return the layout of a table named ``output``; raise InputError unless it is CSV or Parquet."""
    layout = format_of(output)
    if layout not in {"csv", "parquet"} or output.suffix == ".gz" or ".tsv" in output.suffixes:
        raise InputError(f"output {output.name} must end in .csv or .parquet.")
    return layout


def _require_kept(frame: pl.DataFrame, schema: Schema, keep: list[str], source: str) -> None:
    """Raise InputError for columns to keep that the table lacks, or that the output has itself."""
    lacking = [name for name in keep if name not in frame.columns]
    if lacking:
        raise InputError(f"--keep must name columns of {source}; it has no {lacking[0]!r}.")
    clash = sorted({*CLASS_COLUMNS, *(NUMBER_COLUMNS if schema.target else ())} & set(keep))
    if clash:
        raise InputError(f"--keep must not name {clash[0]!r}, which is a column of the output. Rename it in the table.")


def _without_label(frame: pl.DataFrame, schema: Schema, keep: list[str]) -> pl.DataFrame:
    """Return the frame without its label and without kept columns that its schema does not list."""
    listed = {column.name for column in schema.columns}
    outcome = schema.label or schema.target
    dropped = ({outcome.name} if outcome else set()) | {name for name in keep if name not in listed}
    return frame.drop([name for name in frame.columns if name in dropped])
