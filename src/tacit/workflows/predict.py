"""Predict the class, or the number, of new rows with an adopted model."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.arrays import Rows
from tacit.data.reading.table_source import Batch
from tacit.data.reading.tables import Format, format_of, write_table
from tacit.data.rows.encoding import Place, columns_to_read, decode_labels, encode_columns
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import replacing, require_output
from tacit.files.regular import FilePath
from tacit.workflows.models import AdoptedModel, Predictor, open_predictor
from tacit.workflows.tables import Progress, input_paths, no_progress, opened

CLASS_COLUMNS = ("prediction", "confidence")
NUMBER_COLUMNS = ("prediction", "low", "high")


def predict(
    model: AdoptedModel | Predictor | FilePath,
    table: FilePath | pl.DataFrame,
    *,
    keep: Sequence[str] = (),
    output: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> pl.DataFrame:
    """Return the class of each row of ``table`` by name, and how sure the model is, in the order of the table.

    Of a numeric target: its mean, and the ends `low` and `high` of an interval that is to cover nine of ten values.

    A label column, if there is one, is not read.

    Parameters
    ----------
    model : AdoptedModel or path
        From ``tacit.adopt``; or the path of a linear release.
    table : path or DataFrame
    keep : sequence of str
        Columns of the table to copy, such as an identifier.
    output : path or None
        A .csv or .parquet file to write; an existing one is refused without ``force``.
    """
    if output is not None:
        _layout(Path(output))
        require_output(Path(output), force=force, inputs=input_paths(model, table))
    predictor = model if isinstance(model, AdoptedModel | Predictor) else open_predictor(model)
    source = opened(table, predictor.schema, progress=progress)
    needed = columns_to_read(predictor.schema)
    # Batch by batch: encoded rows are far larger than what is predicted of them.
    batches = source.batches(None if needed is None else needed | set(keep))
    predictions = pl.concat([_predicted(predictor, batch, list(keep)) for batch in batches], how="vertical_relaxed")
    if output is not None:
        with replacing(Path(output)) as file:
            write_table(predictions, file, layout=_layout(Path(output)))
    return predictions


def _predicted(predictor: AdoptedModel | Predictor, batch: Batch, keep: list[str]) -> pl.DataFrame:
    frame, schema = batch.frame, predictor.schema
    _require_kept(frame, schema, keep, batch.source)
    place = Place(batch.source, batch.first_row)
    X = encode_columns(_without_label(frame, schema, keep), schema, place=place).matrix()
    return pl.DataFrame([*frame.select(keep).get_columns(), *predicted_columns(predictor, X)])


def predicted_columns(predictor: AdoptedModel | Predictor, X: Rows) -> list[pl.Series]:
    """Return the class and how sure it is, or a number and the ends of its interval."""
    learner = predictor.learner
    if isinstance(learner, TargetTransfer):
        low, high = learner.predict_interval(X).T
        numbers = zip(NUMBER_COLUMNS, (learner.predict(X), low, high), strict=True)
        return [pl.Series(name, values) for name, values in numbers]
    shares = learner.predict_proba(X)  # [N, C]
    names = decode_labels(learner.classes_[shares.argmax(axis=1)], predictor.schema)
    return [names.alias(CLASS_COLUMNS[0]), pl.Series(CLASS_COLUMNS[1], shares.max(axis=1).round(6))]


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
