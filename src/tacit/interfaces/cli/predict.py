"""``tacit predict``: name the class of new rows with an adopted model."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.outputs import counted, working
from tacit.workflows.predict import predict as predict_and_write


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
    as_json: AsJson = False,
) -> None:
    """Predict the class of each row: its name and how sure the model is, in the order of the table.

    A label column, if there is one, is not looked at.

    [bold]Example:[/] tacit predict model.tacit new.csv -o predictions.csv --keep patient_id
    """
    with working(f"reading {model.name}") as stage:
        predictions = predict_and_write(model, table, keep=keep or (), output=output, force=force, progress=stage)
    if as_json:
        classes = dict(predictions["prediction"].value_counts().sort("prediction").iter_rows())
        confidence = predictions["confidence"].mean()
        print_json({"output": output, "rows": predictions.height, "classes": classes, "mean_confidence": confidence})
        return
    typer.echo(f"wrote {output}: {counted(predictions.height, 'row')} with prediction and confidence.")
