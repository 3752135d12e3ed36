"""``tacit predict``: name the class of new rows with an adopted model."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.outputs import counted, working
from tacit.interfaces.cli.parameters import argument, output_option
from tacit.workflows.predict import PredictionSummary, write_predictions


def predict(
    model: Annotated[Path, argument("MODEL", "A model of `tacit adopt`, or a linear release (*.tacit).")],
    table: Annotated[Path, argument("TABLE", "Rows to predict; needs no label column.")],
    *,
    output: Annotated[Path, output_option("FILE", "A .csv or .parquet file.")],
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Copy this column of the table, such as an identifier; may be repeated."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of threads; the output is the same.", show_default="cores"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Predict the class, or the number, of each row of a table.

    Writes prediction and confidence of each row, in the order of the table; for a numeric target the ends of a 90 %
    interval. A label column is not read.

    [bold]Example:[/] tacit predict model.tacit new.csv -o predictions.csv --keep patient_id
    """
    with working(f"reading {model.name}") as stage:
        summary = write_predictions(model, table, output, keep=keep or (), force=force, workers=workers, progress=stage)
    if as_json:
        print_json({"output": output, "rows": summary.rows, **_figures(summary)})
        return
    typer.echo(f"wrote {output}: {counted(summary.rows, 'row')} with {_named(summary.columns)}.")


def _named(columns: tuple[str, ...]) -> str:
    """Return which columns of the output hold predictions."""
    return "prediction, low and high" if columns[-1] == "high" else "prediction and confidence"


def _figures(summary: PredictionSummary) -> dict[str, Any]:
    """Return the rows of each class and the mean confidence, or the mean of a predicted number."""
    if not summary.classes:
        return {"mean_prediction": summary.mean}
    return {"classes": summary.classes, "mean_confidence": summary.mean}
