"""``tacit schema``: draft the schema of a table, and check a table against one."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tacit.data.reading.csv_dialect import CsvDialect
from tacit.data.reading.table_source import open_table
from tacit.data.reading.tables import image_shapes
from tacit.data.rows.encoding import columns_to_read
from tacit.data.rows.inspection import ColumnTally, Inspection, inspect_table
from tacit.data.schemas.draft import HEADING, MAY_NAME_PERSONS, NAMES_PERSONS, Draft, draft_schema
from tacit.data.schemas.file import format_schema, read_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import write_text
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.parameters import argument, option, output_option, schema_option

TablePath = Annotated[Path, argument("FILE", "A file or folder, a database query, or - for standard input.")]
Separator = Annotated[str, option("What separates CSV cells; detected from the header if not given.", metavar="CHAR")]

LEAK = (
    "The bounds, categories and rules for missing values in this draft were READ FROM YOUR ROWS. "
    "A release made with them gives away the extremes and the rarest categories of your table. "
    "Replace them by what is known without looking at the rows, then delete the line bounds_from_data = true; "
    "until then every private release refuses the schema."
)


def draft(
    file: TablePath,
    *,
    output: Annotated[Path | None, output_option("TOML", "File to write; printed if not given.")] = None,
    label: Annotated[str, option("The column to predict.", metavar="COLUMN")] = "",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Take this column or NPZ array and no others; may be repeated."),
    ] = None,
    separator: Separator = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a first schema from a table, for you to correct.

    Numbers get bounds, texts a closed list of categories, pictures in an NPZ file their shape.

    All of it is read from the private rows, so no release accepts the draft until you have replaced it by what is
    publicly known and deleted the line bounds_from_data.

    [bold]Example:[/] tacit schema draft patients.csv --label diagnosis -o patients.toml
    """
    if output is not None and output.exists() and not force:
        raise InputError(f"{output} exists, and may hold your corrections. Give --force to overwrite it.")
    source = open_table(file, dialect=CsvDialect(separator or None))
    table = source.read(only or None)
    shapes = {name: shape for name, shape in image_shapes(file).items() if not only or name in only}
    drafted = draft_schema(table, label=label or None, images=shapes, extra_columns="ignore" if only else "error")
    text = format_schema(drafted.schema, heading=HEADING, comments=drafted.remarks)
    _deliver(text, output)
    _warn(drafted, output)
    if source.notes:
        typer.echo(
            f"{source.name}: {source.notes}, found from the file; [csv] in the schema would say otherwise.", err=True
        )


def check(
    file: TablePath,
    schema: Annotated[Path, schema_option("The schema.")],
    separator: Separator = "",
    as_json: AsJson = False,
) -> None:
    """Compare a table with its schema; exits with 1 if a release would be refused.

    Counts clipped numbers, missing cells, unknown categories and rows of each class. The counts are exact: for the
    owner's eyes only.

    [bold]Example:[/] tacit schema check patients.csv --schema patients.toml
    """
    rules = read_schema(schema)
    dialect = replace(rules.csv, separator=separator or rules.csv.separator)
    table = open_table(file, dialect=dialect).read(columns_to_read(rules))
    inspection = inspect_table(table, rules, source=file.name)
    if as_json:
        print_json({"rows": inspection.n_rows, "classes": inspection.classes, "columns": inspection.columns})
    else:
        _show(inspection, rules, file.name)
    if inspection.refused:
        raise typer.Exit(1)


def _deliver(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
        return
    write_text(output, text)


def _warn(drafted: Draft, output: Path | None) -> None:
    console, schema = Console(stderr=True), drafted.schema
    console.print(Panel(Text(LEAK), title="[bold]NOT YET FIT FOR A RELEASE[/]", border_style="red"))
    kinds = [column.kind for column in schema.columns]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    console.print(Text(f"{'wrote ' + str(output) if output else 'drafted'}: {counted}."))
    if schema.label is None:
        console.print(Text("No label: name the column to predict with --label, or leave it so for unlabelled data."))
    for name, remark in drafted.remarks.items():
        if remark in (NAMES_PERSONS, MAY_NAME_PERSONS):
            console.print(Text(f"column {name!r} {remark}.", style="bold"))


def _show(inspection: Inspection, schema: Schema, name: str) -> None:
    console = Console()
    console.print(Text(f"{name}: {inspection.n_rows} rows, {len(inspection.columns)} columns used", style="bold"))
    columns_with_findings = [column for column in inspection.columns if _notes(column)]
    if columns_with_findings:
        console.print(_table(columns_with_findings))
    clean = len(inspection.columns) - len(columns_with_findings)
    console.print(Text(f"{clean} column{'' if clean == 1 else 's'} without any finding."))
    if inspection.classes:
        console.print(Text("Classes: " + ", ".join(f"{label} {count}" for label, count in inspection.classes.items())))
    console.print(_verdict(inspection))
    if schema.bounds_from_data:
        console.print(Text("bounds_from_data = true: still a draft; every private release refuses it.", style="red"))
    console.print(Text("These counts are exact facts about private rows: for the owner only.", style="italic"))


def _notes(column: ColumnTally) -> int:
    return column.missing + column.malformed + column.unknown + column.clipped


def _table(columns: list[ColumnTally]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    for header in ("missing", "clipped", "unknown", "no number", "refused"):
        table.add_column(header, justify="right")
    for column in columns:
        counts = (column.missing, column.clipped, column.unknown, column.malformed, column.refused)
        table.add_row(Text(column.name), *(str(count) if count else "·" for count in counts))
    return table


def _verdict(inspection: Inspection) -> Text:
    if inspection.refused:
        return Text(
            f"{inspection.refused} cells are refused and stop encoding: give the schema a rule for them (missing, "
            "missing_values, unknown), or mend the table.",
            style="bold red",
        )
    present = sum(count > 0 for count in inspection.classes.values())
    if inspection.classes and present < 2:
        return Text(
            f"Only {present} of the {len(inspection.classes)} classes has rows: nothing to learn.", style="bold red"
        )
    return Text("The table fits its schema.", style="bold green")
