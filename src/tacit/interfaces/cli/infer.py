"""``tacit infer``: fill the blanks of a column from the others, with a confidence that can be believed."""

import importlib.util
import math
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit import checks
from tacit.adoption.evidence.comparison import Share
from tacit.data.reading.tables import format_of, is_npz, write_table
from tacit.data.rows.encoding import columns_to_read, open_for
from tacit.data.schemas.file import read_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import OWNER_ONLY, replacing
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.outputs import counted, require_output, working
from tacit.interfaces.cli.parameters import argument, option, output_option, schema_option
from tacit.releases.sidecar import is_table
from tacit.situations.missing import inference
from tacit.situations.missing.inference import HeldOutEvidence, InferredColumn
from tacit.situations.missing.learners import LEARNERS
from tacit.situations.missing.problem import inference_problem

WARNING = (
    "warning: inferring what people withheld is itself a disclosure about them. Guard the answers as if they had been "
    "told, and do not use them against the wish of those who left the cell blank. Such people may also differ from "
    "those who answered, on whom the figures below were measured."
)
# What the generators of random numbers take.
LARGEST_SEED = 2**32 - 1
# Levels of confidence that are shown beside the chosen one.
LEVELS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99)


def infer(
    table: Annotated[Path, argument("TABLE", "A table (CSV, Parquet, NPZ) with blanks.")],
    *,
    schema: Annotated[Path, schema_option("The schema of the table.")],
    column: Annotated[str, option("A categorical column or label.", "--column", "-c", metavar="NAME")],
    output: Annotated[Path | None, output_option("FILE", "A .csv or .parquet file.")] = None,
    abstain_below: Annotated[
        float, typer.Option(metavar="SHARE", help="Leave a cell blank below this confidence, from 0 to 1.")
    ] = 0.8,
    learner: Annotated[
        str,
        typer.Option(
            help="[bold]sharpened[/]: a network that learns from all rows, needs torch; [bold]logistic[/], "
            "[bold]boosted[/]: from the known cells alone."
        ),
    ] = "sharpened",
    seed: Annotated[int, typer.Option(help="Seed of random choices.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Infer the missing cells of a column, each with a calibrated confidence.

    Prints the accuracy on the known cells, each held out in turn, and what abstaining below a confidence changes. With
    -o, writes the table with two more columns, NAME_inferred and NAME_confidence; known cells stay as they are.
    Without -o, it only measures how much the other columns reveal.

    [bold]Example:[/] tacit infer survey.csv --schema survey.toml --column race -o survey-inferred.csv
    """
    checks.fraction("--abstain-below", abstain_below, zero=True, one=True)
    checks.one_of("--learner", learner, LEARNERS)
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"--seed must be a whole number from 0 to {LARGEST_SEED}; got {seed}.")
    _check_torch(learner)
    if output is not None:
        _check_output(output, force=force, inputs=[table, schema])
    rules = read_schema(schema)
    with working(f"reading {table.name}"):
        frame = _read(table, rules, column)
        problem = inference_problem(frame, rules, column, source=table.name)
    typer.echo(WARNING, err=True)
    n_known = int((~problem.missing).sum())
    with working(f"learning {column} from {counted(n_known, 'known cell')}, five times with a part held out, then all"):
        inferred = inference.infer(problem, learner=learner, random_state=seed)
    if as_json:
        print_json(_figures(inferred, abstain_below))
    else:
        _show(inferred, abstain_below)
    if output is not None:
        typer.echo(_written(frame, inferred, output, abstain_below), err=as_json)


def _check_torch(learner: str) -> None:
    if learner == "sharpened" and importlib.util.find_spec("torch") is None:
        raise InputError(
            "--learner sharpened needs torch, which is not installed: pip install 'tacit-knowledge[deep]', or choose "
            "--learner logistic or --learner boosted."
        )


def _check_output(output: Path, *, force: bool, inputs: list[Path]) -> None:
    if not is_table(output):
        raise InputError(f"output {output.name} must end in .csv or .parquet.")
    require_output(output, force=force, inputs=inputs)


def _read(table: Path, rules: Schema, column: str) -> pl.DataFrame:
    """Return the whole table, so that identifiers stay beside their rows; of arrays, what the schema lists."""
    frame = open_for(table, rules).read(columns_to_read(rules) if is_npz(table) else None)
    clash = sorted({f"{column}_inferred", f"{column}_confidence"} & set(frame.columns))
    if clash:
        raise InputError(f"{table.name}: has a column {clash[0]!r}, which the output would add. Rename or remove it.")
    return frame


def _show(inferred: InferredColumn, abstain_below: float) -> None:
    evidence, console = inferred.evidence, Console()
    share = Share(evidence.right, len(evidence.y))
    low, high = share.interval
    before, after = evidence.errors
    console.print(
        Text(
            f"On {counted(share.total, 'known cell')} of {inferred.column}, each held out in turn: {share.value:.1%} "
            f"right (95 % interval {low:.1%} to {high:.1%}). The commonest of {len(inferred.categories)} categories "
            f"alone: {evidence.commonest:.1%}."
        ),
        soft_wrap=True,
    )
    console.print(Text(f"Expected calibration error: {before:.3f} as learned, {after:.3f} calibrated."), soft_wrap=True)
    console.print(_levels(evidence, inferred, abstain_below))


def _figures(inferred: InferredColumn, abstain_below: float) -> dict[str, Any]:
    evidence = inferred.evidence
    before, after = evidence.errors
    answered = {str(level): evidence.answered(level) for level in sorted({*LEVELS, abstain_below})}
    return {
        "column": inferred.column,
        "categories": inferred.categories,
        "known": len(evidence.y),
        "missing": int(inferred.missing.sum()),
        "right": evidence.right,
        "accuracy": evidence.accuracy,
        "commonest": evidence.commonest,
        "calibration_error": {"as_learned": before, "calibrated": after},
        "answered_at": answered,
    }


def _levels(evidence: HeldOutEvidence, inferred: InferredColumn, chosen: float) -> Table:
    """Return what each level of confidence leaves unanswered, and how much of the rest is right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("abstain below", "known cells answered", "of those right", "missing cells answered"):
        table.add_column(header, justify="right")
    for level in sorted({*LEVELS, chosen}):
        held_out = evidence.answered(level)
        right = "none answered" if math.isnan(held_out.accuracy) else f"{held_out.accuracy:.1%}"
        filled = float((inferred.confidence >= level).mean())
        style = "bold" if level == chosen else None
        table.add_row(
            f"{'> ' * (level == chosen)}{level:g}", f"{held_out.share:.1%}", right, f"{filled:.1%}", style=style
        )
    return table


def _written(frame: pl.DataFrame, inferred: InferredColumn, output: Path, abstain_below: float) -> str:
    """Write the table with the inferred cells; return what was written, in words."""
    columns = inferred.columns(abstain_below=abstain_below)
    with replacing(output, mode=OWNER_ONLY) as file:
        write_table(frame.with_columns(columns), file, layout=format_of(output))
    total, answered = int(inferred.missing.sum()), columns[0].len() - columns[0].null_count()
    return (
        f"wrote {output}, readable by you alone: {answered:,} of {counted(total, 'missing cell')} of {inferred.column} "
        f"inferred, {total - answered:,} left blank below confidence {abstain_below:g}."
    )
