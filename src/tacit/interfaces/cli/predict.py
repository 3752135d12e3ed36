"""``tacit predict``: name the class of new rows with an adopted model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.errors import InputError
from tacit.interfaces.cli.outputs import counted, require_output, working

if TYPE_CHECKING:
    import polars as pl

    from tacit.data.schema import Schema


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="From `tacit adopt` (*.tacit).", show_default=False)],
    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="Rows to predict; needs no label column.", show_default=False)
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv or .parquet file.", show_default=False)
    ],
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Copy this column of the table, such as an identifier; may be repeated."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Predict the class of each row: its name and how sure the model is, in the order of the table.

    A label column, if there is one, is not looked at.

    [bold]Example:[/] tacit predict model.tacit new.csv -o predictions.csv --keep patient_id
    """
    from tacit.data.encoding import encode  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.workflows.models import open_predictor  # noqa: PLC0415 - keeps the command line quick to start

    layout = _layout(output)
    require_output(output, force=force, inputs=[model, table])
    opened = open_predictor(model)
    with working(f"reading {table.name}"):
        given = _read(table, opened.schema, keep or [])
        kept = given.select(keep or [])
        rows = encode(_without_label(given, opened.schema, keep or []), opened.schema, source=table.name)
    with working(f"predicting {counted(len(rows.X), 'row')}"):
        found = _predictions(opened.classifier, opened.schema, rows.X, kept)
    _write(found, output, layout)
    typer.echo(f"wrote {output}: {counted(found.height, 'row')} with prediction and confidence.")


def _layout(output: Path) -> Any:
    from tacit.data.tables import format_of  # noqa: PLC0415 - keeps the command line quick to start

    layout = format_of(output)
    if layout == "npz" or output.suffix == ".gz" or ".tsv" in output.suffixes:
        raise InputError(f"output {output.name} must end in .csv or .parquet.")
    return layout


def _read(table: Path, schema: "Schema", keep: list[str]) -> "pl.DataFrame":
    """Return all columns that are needed in one reading, so that kept ones stay beside their rows."""
    from tacit.data.encoding import columns_to_read  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.data.tables import read_table  # noqa: PLC0415 - keeps the command line quick to start

    wanted = columns_to_read(schema)
    found = read_table(table, only=None if wanted is None else wanted | set(keep))
    lacking = [name for name in keep if name not in found.columns]
    if lacking:
        raise InputError(f"--keep must name columns of {table.name}; it has no {lacking[0]!r}.")
    clash = sorted({"prediction", "confidence"} & set(keep))
    if clash:
        raise InputError(f"--keep must not name {clash[0]!r}, which is a column of the output. Rename it in the table.")
    return found


def _without_label(table: "pl.DataFrame", schema: "Schema", keep: list[str]) -> "pl.DataFrame":
    """Return the table without its label and without kept columns that its schema does not list."""
    listed = {column.name for column in schema.columns}
    label = {schema.label.name} if schema.label else set()
    dropped = label | {name for name in keep if name not in listed}
    return table.drop([name for name in table.columns if name in dropped])


def _predictions(classifier: Any, schema: "Schema", X: Any, kept: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    from tacit.data.encoding import decode_labels  # noqa: PLC0415 - keeps the command line quick to start

    shares = classifier.predict_proba(X)  # [N, C]
    codes = classifier.classes_[shares.argmax(axis=1)]
    columns = [decode_labels(codes, schema).alias("prediction"), pl.Series("confidence", shares.max(axis=1).round(6))]
    return pl.DataFrame([*kept.get_columns(), *columns])


def _write(found: "pl.DataFrame", output: Path, layout: Any) -> None:
    from tacit.data.tables import write_table  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.files.atomic import replacing  # noqa: PLC0415 - keeps the command line quick to start

    with replacing(output) as file:
        write_table(found, file, layout=layout)
