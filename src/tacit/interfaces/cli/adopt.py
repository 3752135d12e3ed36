"""``tacit adopt``: learn from releases and a few labels of one's own."""

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.errors import InputError
from tacit.interfaces.cli.outputs import counted, file_size, require_output, working
from tacit.interfaces.cli.private_adoption import adopt_privately, private_epsilon

if TYPE_CHECKING:
    from tacit.adoption.comparison import Comparison, Share
    from tacit.data.schema import Schema
    from tacit.releases.file import Release


def adopt(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RELEASE... TABLE",
            help="One or more releases (*.tacit), then your own table; an empty label cell means unlabelled.",
            show_default=False,
        ),
    ],
    *,
    schema: Annotated[
        Path, typer.Option("--schema", "-s", metavar="TOML", help="The schema of your table.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="TACIT", help="Where the model goes.", show_default=False)
    ],
    key: Annotated[
        Path | None, typer.Option(metavar="PUBLIC", help="Refuse releases that the owner of this key did not sign.")
    ] = None,
    combine: Annotated[
        str,
        typer.Option(
            help="[bold]calibrated[/]: trust a release as far as your labels bear it out; [bold]paper[/]: as published."
        ),
    ] = "calibrated",
    learner: Annotated[
        str,
        typer.Option(
            help="[bold]membership[/]: autoencoders of membership mappings; [bold]sharpened[/]: a network that learns "
            "from your unlabelled rows too and takes minutes (needs the extra [italic]deep[/])."
        ),
    ] = "membership",
    epsilon: Annotated[
        float | None,
        typer.Option(help="For linear releases: privacy loss of your own rows, which are then protected too."),
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="For linear releases: your table's account; charged first.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Where random choices start, 0 if not given; of noise, for tests only: NOT private."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Adopt one or more releases: learn from them together with your own, mostly unlabelled rows.

    Your table may have other columns than the owner's. Prints, on your own labelled rows held out in turn, what
    you reach alone and what with the releases. Spends nothing. The model holds your rows: keep it to yourself.

    Linear releases are adopted privately instead: --epsilon of your own ledger is spent, and the model may be handed
    out. Metrics of pairs are adopted by nearest neighbours among your labelled rows.

    [bold]Example:[/] tacit adopt clinic-a.tacit ours.csv --schema ours.toml -o model.tacit
    """
    from tacit.data.encoding import encode_file  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.data.schema_file import read_schema  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.pages.table_summary import (  # noqa: PLC0415 - keeps the command line quick to start
        summarise_table,
        with_summary,
    )
    from tacit.releases.model import write_model  # noqa: PLC0415 - keeps the command line quick to start

    *paths, table = files
    _check_order(paths, table)
    require_output(output, force=force, inputs=[*files, schema, *([ledger] if ledger else [])])
    _check_learner(learner, combine)
    rules = read_schema(schema)
    releases = _read(paths, key)
    _check_metrics(releases, learner, combine)
    spend = private_epsilon(releases, epsilon=epsilon, ledger=ledger)
    if spend is not None:
        adopt_privately(releases, table, rules, epsilon=spend, ledger=ledger, seed=seed, output=output)
        return
    with working(f"reading {table.name}"):
        rows = encode_file(table, rules, labels="required")
    made = _learner(learner, releases, rules, combine=combine, seed=seed or 0)
    fitted = _fit(made, len(releases), rows.X, rows.y)
    summary = summarise_table(rows.X, rows.y, fitted.predict(rows.X), len(rules.classes), releases)
    write_model(with_summary(fitted.to_model(), summary), output)
    _show(fitted.evidence_, [path.name for path in paths], releases)
    typer.echo(f"wrote {output} ({file_size(output)}). It holds knowledge of your rows: do not hand it out.")
    typer.echo(f"Next: tacit predict {output} new.csv -o predictions.csv    tacit report {output} -o report.html")


def _check_order(paths: list[Path], table: Path) -> None:
    if not paths:
        raise InputError("give at least one release, then your table: tacit adopt clinic-a.tacit ours.csv ...")
    if table.suffix == ".tacit":
        raise InputError(f"the last file must be your own table, not a release; got {table.name}.")


def _check_learner(learner: str, combine: str) -> None:
    from tacit.checks import one_of  # noqa: PLC0415 - keeps the command line quick to start

    one_of("learner", learner, ("membership", "sharpened"))
    if learner != "sharpened":
        return
    if combine != "calibrated":
        raise InputError(f"combine must be 'calibrated' with --learner sharpened; got {combine!r}.")
    if importlib.util.find_spec("torch") is None:
        raise InputError("--learner sharpened needs torch, which is not installed: pip install 'tacit[deep]'.")


def _read(paths: list[Path], key: Path | None) -> "list[Release]":
    from tacit.releases.file import read_release  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.releases.signature import load_public_key  # noqa: PLC0415 - keeps the command line quick to start

    trusted = None if key is None else load_public_key(key)
    releases = [read_release(path, trusted_key=trusted) for path in paths]
    for path, each in zip(paths, releases, strict=True):
        if not each.card.holds:
            typer.echo(f"note: the guarantee on the card of {path.name} does not hold; see `tacit card`.", err=True)
    return releases


def _check_metrics(releases: "list[Release]", learner: str, combine: str) -> None:
    """Refuse what metrics of pairs, which name no classes, cannot be adopted with."""
    metrics = [_is_metric(each) for each in releases]
    if not any(metrics):
        return
    if not all(metrics):
        raise InputError("metrics of pairs must be adopted by themselves, without releases of other kinds.")
    if learner != "membership" or combine != "calibrated":
        raise InputError("metrics of pairs are adopted by nearest neighbours: leave out --learner and --combine.")


def _is_metric(release: "Release") -> bool:
    from tacit.models.pair_metric.release import KIND  # noqa: PLC0415 - keeps the command line quick to start

    return release.kind == KIND


def _learner(name: str, releases: "list[Release]", rules: "Schema", *, combine: str, seed: int) -> Any:
    if _is_metric(releases[0]):
        from tacit.adoption.neighbours import MetricNeighbours  # noqa: PLC0415 - keeps it quick to start

        return MetricNeighbours(releases, schema=rules)
    if name == "sharpened":
        from tacit.adoption.network import SharpenedTransfer  # noqa: PLC0415 - keeps it quick to start

        return SharpenedTransfer(releases, schema=rules, random_state=seed, verbose=sys.stderr.isatty())
    from tacit.adoption.classifier import TransferClassifier  # noqa: PLC0415 - keeps it quick to start

    return TransferClassifier(releases, schema=rules, combine=combine, random_state=seed)


def _fit(learner: Any, n_releases: int, X: Any, y: Any) -> Any:
    labelled = counted(int((y >= 0).sum()), "label")
    what = f"learning from {counted(n_releases, 'release')}, {labelled}, {counted(len(y), 'row')}"
    if getattr(learner, "verbose", False):
        typer.echo(f"{what}: up to six networks, each with a bar of its own", err=True)
        return learner.fit(X, y)
    with working(what):
        return learner.fit(X, y)


def _show(evidence: Any, names: list[str], releases: "list[Release]") -> None:
    from tacit.adoption.comparison import compare_evidence  # noqa: PLC0415 - keeps the command line quick to start

    found = compare_evidence(evidence)
    console = Console()
    show_accuracy(console, found, f"on your {counted(len(found.truth), 'labelled row')}, each held out in turn")
    console.print(_weights(names, releases, evidence))


def show_accuracy(console: Console, found: "Comparison", where: str) -> None:
    """Print the accuracy without and with the releases, and how many rows changed."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("learning from")
    for header in ("right", "accuracy", "95 % interval"):
        table.add_column(header, justify="right")
    table.add_row("your labels alone", *_cells(found.target_only))
    if found.view_only is not None:
        table.add_row("your labels, the releases' view", *_cells(found.view_only))
    table.add_row(Text("with the releases", style="bold"), *_cells(found.adopted))
    console.print(Text(f"Accuracy {where}:"))
    console.print(table)
    console.print(Text(f"{found.helped} right only with the releases, {found.harmed} only without."))


def _cells(share: "Share") -> tuple[str, str, str]:
    low, high = share.interval
    return f"{share.count}/{share.total}", f"{share.value:.1%}", f"{low:.1%} to {high:.1%}"


def _weights(names: list[str], releases: "list[Release]", evidence: Any) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("release", "guarantee", "in common", "weight"):
        table.add_column(header, overflow="fold")
    for name, each, note, weight in zip(names, releases, evidence.notes, evidence.weights, strict=True):
        card = each.card
        promise = f"epsilon {card.epsilon:g}, delta {card.delta:g} per {card.unit}"
        table.add_row(Text(name), promise, Text(note), f"{weight:.3g}" if weight else "0: ignored")
    return table
