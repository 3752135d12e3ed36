"""``tacit demo``: owner, receiver and reviewer, played with the real commands on data that comes with scikit-learn."""

import contextlib
import shlex
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from sklearn.datasets import load_digits

from tacit.adoption.evidence.comparison import Share
from tacit.data.public.splits import few_labels
from tacit.data.reading.tables import write_table
from tacit.data.schemas.columns import Ignored, Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.files.atomic import replacing, write_text
from tacit.interfaces.cli.demo_join import join_commands, write_clinics
from tacit.interfaces.cli.main import app
from tacit.workflows.models import read_model
from tacit.workflows.report import compare_on

# Rows of the owner and of the receiver; the rest is held out.
OWNER_ROWS, RECEIVER_ROWS = 1100, 350
# The receiver's tables and models, by the number of labels: none, two of each class, ten of each class.
CLASSES = 10
TABLES = {0: "receiver-0.csv", 20: "receiver.csv", 100: "receiver-100.csv"}
MODELS = {0: "model-0.tacit", 20: "model.tacit", 100: "model-100.tacit"}
# Of eight columns of pixels the owner's scanner saw the left six, the receiver's the right six: four are shared.
SIDE, SEEN = 8, 6
SHUFFLE = 0

OWNER = """
tacit ledger init owner.ledger --epsilon 2 --delta 2e-6 --unit record --name "the owner's digits"
tacit release owner.csv --schema owner.toml --epsilon 1 --ledger owner.ledger -o owner.tacit --force
"""
RECEIVER = """
tacit adopt owner.tacit receiver-0.csv --schema receiver.toml -o model-0.tacit --force
tacit adopt owner.tacit receiver.csv --schema receiver.toml -o model.tacit --force
tacit adopt owner.tacit receiver-100.csv --schema receiver.toml -o model-100.tacit --force
tacit predict model.tacit new.csv -o predictions.csv --keep scan --force
"""
REVIEWER = """
tacit card owner.tacit
tacit audit owner.tacit
tacit ledger show owner.ledger
tacit report owner.tacit -o release.html --force
tacit report model.tacit --test held-out.csv -o report.html --force
"""


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")] = Path("demo-output"),
) -> None:
    """Play owner, receiver and reviewer on handwritten digits.

    The owner's scanner saw the left six of eight columns of pixels, the receiver's the right six: their tables share
    32 of 48 columns. The receiver adopts with no label, with 20 and with 100. At the end three small owners make one
    release together. Every command that is run is shown. Only files are written.

    [bold]Example:[/] tacit demo --output demo-output
    """
    console = Console()
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("owner.ledger*"):
        old.unlink()
    with contextlib.chdir(output):
        _write_tables()
        for part, commands in (("owner", OWNER), ("receiver", RECEIVER), ("reviewer", REVIEWER)):
            _play(console, part, commands.strip().splitlines())
        console.print(Rule("what adopting did"))
        _show_outcome(console)
        write_clinics(pl.read_csv("owner.csv"))
        _play(console, "three small owners, one release", join_commands())
    console.print(f"All files are in {output}; look at {output / 'report.html'}")


def _play(console: Console, part: str, commands: list[str]) -> None:
    """Show and run the commands of one part."""
    console.print(Rule(part))
    for command in commands:
        console.print(Text(f"$ {command}", style="bold"), soft_wrap=True)
        app(shlex.split(command)[1:], standalone_mode=False)
        console.print()


def _write_tables() -> None:
    """Write the tables and schemas of both sides, and the held-out rows with and without their labels."""
    owner, receiver, held_out = _rows()
    left = [f"r{row}c{column}" for row in range(SIDE) for column in range(SEEN)]
    right = [f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE - SEEN, SIDE)]
    tables = {
        "owner.csv": owner.select([*left, "digit"]),
        **{TABLES[n]: _with_labels(receiver, n).select([*right, "digit"]) for n in TABLES},
        "held-out.csv": held_out.select([*right, "digit"]),
        "new.csv": held_out.select(pl.int_range(1, pl.len() + 1).alias("scan"), *right),
    }
    for name, table in tables.items():
        _write(name, table)
    _write_schema("owner.toml", _schema(left))
    _write_schema("receiver.toml", _schema(right))


def _rows() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the rows of owner and receiver, and the held-out rows."""
    X, y = load_digits(return_X_y=True)
    names = [f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE)]
    table = pl.DataFrame(X.astype(int), schema=names).with_columns(digit=pl.Series(y).cast(pl.String))
    table = table.sample(fraction=1.0, shuffle=True, seed=SHUFFLE)
    ends = (OWNER_ROWS, OWNER_ROWS + RECEIVER_ROWS)
    return table[: ends[0]], table[ends[0] : ends[1]], table[ends[1] :]


def _with_labels(rows: pl.DataFrame, n_labels: int) -> pl.DataFrame:
    """Return the rows with so many labels, equally many of each class."""
    if not n_labels:
        return rows.with_columns(digit=pl.lit(None, dtype=pl.String))
    digits = rows["digit"].cast(pl.Int64).to_numpy()
    labels = few_labels(digits, per_class=n_labels // CLASSES, random_state=SHUFFLE)
    return rows.with_columns(digit=pl.when(pl.Series(labels) >= 0).then(pl.col("digit")))


def _schema(pixels: list[str]) -> Schema:
    ink = tuple(Numeric(name, (0, 16), integer=True) for name in pixels)
    return Schema((*ink, Label("digit", tuple("0123456789")), Ignored("scan")))


def _write(name: str, table: pl.DataFrame) -> None:
    with replacing(name) as file:
        write_table(table, file, layout="csv")


def _write_schema(name: str, schema: Schema) -> None:
    write_text(name, format_schema(schema, heading="Ink of each pixel from 0 to 16: known without looking."))


def _show_outcome(console: Console) -> None:
    """Print how many held-out digits are right without and with the release, by the number of labels."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("labels", "from labels alone", "with the release", "right only with it", "only without it"):
        table.add_column(header, justify="right")
    comparisons = {n_labels: compare_on(read_model(model), "held-out.csv") for n_labels, model in MODELS.items()}
    for n_labels, each in comparisons.items():
        alone = (_right(each.target_only), str(each.helped), str(each.harmed)) if n_labels else ("-", "-", "-")
        table.add_row(str(n_labels), alone[0], _right(each.adopted), *alone[1:])
    console.print(Text("Held-out digits that are right, none of which a model has seen:"))
    console.print(table)


def _right(share: Share) -> str:
    return f"{share.count}/{share.total} {share.value:.0%}"
