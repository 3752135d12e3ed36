"""``tacit adopt``: learn from releases and a few labels of one's own."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.adoption.evidence.comparison import Comparison, Share
from tacit.adoption.evidence.own_comparison import compare_evidence
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence
from tacit.adoption.evidence.target_evidence import TargetEvidence
from tacit.adoption.evidence.words import label_free_lines
from tacit.adoption.tables.averaged_transfer import Shares
from tacit.errors import InputError
from tacit.interfaces.cli.adoption_evidence import show_evidence, show_target_evidence
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.outputs import counted, file_size, working
from tacit.interfaces.cli.parameters import argument, output_option, schema_option
from tacit.interfaces.cli.spend import PersonColumn, RowsPerPerson, left_words, warn, warnings_on_stderr
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.privacy.card import Card
from tacit.privacy.ledger import Ledger
from tacit.releases.sidecar import release_path
from tacit.workflows.adopt import adopt as adopt_releases
from tacit.workflows.adopt import adopt_privately
from tacit.workflows.models import AdoptedModel


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """How releases and the receiver's own rows are learned."""

    key: Annotated[
        Path | None, typer.Option(metavar="PUBLIC", help="Refuse releases that the owner of this key did not sign.")
    ] = None
    combine: Annotated[
        str,
        typer.Option(
            help="[bold]calibrated[/]: weigh each release by your labels; [bold]paper[/]: combine as published."
        ),
    ] = "calibrated"
    learner: Annotated[
        str,
        typer.Option(
            help="[bold]auto[/]: averaged for tables, membership for pictures, sharpened for pictures without labels"
            "\n\n[bold]averaged[/]: kernels, trees and releases averaged by evidence; needs no labels"
            "\n\n[bold]membership[/]: autoencoders of membership mappings"
            "\n\n[bold]sharpened[/]: a network that also learns from unlabelled rows; takes minutes, needs the extra "
            "[italic]deep[/]"
        ),
    ] = "auto"
    shares: Annotated[
        str | None,
        typer.Option(
            metavar="SHARES",
            help="How common the classes are among your rows: [bold]yes=0.1,no=0.9[/], or [bold]estimated[/]. If not "
            "given, as the releases say.",
        ),
    ] = None
    rename: Annotated[
        list[str] | None,
        typer.Option(
            metavar="THEIRS=OURS",
            help="A class that the releases call otherwise than your schema, as in [bold]yes=ill[/]; may be repeated.",
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return what the workflow `adopt` takes, as these options say it."""
        names = {"shares": _shares(self.shares), "rename": _renamings(self.rename)}
        return {"trusted_key": self.key, "combine": self.combine, "learner": self.learner, **names}


@dataclass(frozen=True, kw_only=True)
class OwnSpendOptions:
    """What is spent on the receiver's own rows, if they are protected too."""

    epsilon: Annotated[
        float | None,
        typer.Option(help="Protect your own rows too, with this privacy loss; not for releases of class moments."),
    ] = None
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="With --epsilon: your table's ledger, charged first.")
    ] = None
    person: PersonColumn = None
    rows_per_person: RowsPerPerson = None

    def require_none(self) -> None:
        """Raise InputError for options that only private adoption takes."""
        for name in ("ledger", "person", "rows_per_person"):
            if getattr(self, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise InputError(f"{option} is for private adoption: give --epsilon with it, or leave it out.")


@with_option_groups
def adopt(
    files: Annotated[
        list[Path],
        argument(
            "RELEASE... TABLE",
            "One or more releases (*.tacit), then your own table; an empty label cell means unlabelled.",
        ),
    ],
    *,
    schema: Annotated[Path, schema_option("The schema of your table.")],
    output: Annotated[Path, output_option("TACIT", "The model to write.")],
    learning: LearningOptions,
    own: OwnSpendOptions,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of random choices, 0 if not given. With --epsilon it seeds the noise as well: NOT private."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the evidence as JSON.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Learn from releases and from your own rows, few or none of them labelled.

    Your table may have other columns than the owner's. Prints what your labels reach alone and with the releases,
    measured on your labelled rows out of fold. Spends no budget. The model holds knowledge of your rows: do
    not hand it out.

    Releases of different methods may be adopted together, fabricated tables among them. With --epsilon, releases of
    methods linear, additive and marginals are adopted privately: your ledger is charged, and the model may be handed
    out.

    [bold]Example:[/] tacit adopt clinic-a.tacit ours.csv --schema ours.toml -o model.tacit
    """
    *paths, table = files
    _check_order(paths, table)
    if own.epsilon is None:
        own.require_none()
        settings = {**learning.arguments(), "random_state": seed or 0, "output": output, "force": force}
        adopted = _adopt(paths, table, schema, **settings)
        _tell(adopted, paths, output, as_json=as_json)
    else:
        warn(own.ledger, seed)
        settings = {"trusted_key": learning.key, "random_state": seed, "force": force}
        _adopt_privately(paths, table, schema, output, epsilon=own.epsilon, own=own, **settings)


def _adopt(paths: list[Path], table: Path, schema: Path, **settings: Any) -> AdoptedModel:
    verbose = settings["learner"] == "sharpened" and sys.stderr.isatty()
    with working(f"reading {table.name}") as stage:
        adopted = adopt_releases(paths, table, schema, progress=stage, verbose=verbose, **settings)
    _note_failing_guarantees(paths, adopted.model.cards)
    return adopted


def _tell(adopted: AdoptedModel, paths: list[Path], output: Path, *, as_json: bool) -> None:
    names = [path.name for path in paths]
    if as_json:
        files = [
            {"file": name, "guarantee": card.to_dict()} for name, card in zip(names, adopted.model.cards, strict=True)
        ]
        typer.echo(json.dumps({"model": str(output), "files": files, **adopted.evidence.to_dict()}))
        return
    _show(Console(), adopted, names)
    typer.echo(f"wrote {output} ({file_size(output)}). It holds knowledge of your rows: do not hand it out.")
    typer.echo(f"Next: tacit predict {output} new.csv -o predictions.csv    tacit report {output} -o report.html")


def _show(console: Console, adopted: AdoptedModel, names: list[str]) -> None:
    evidence, cards = adopted.evidence, adopted.model.cards
    if isinstance(evidence, AdoptionEvidence):
        show_evidence(console, evidence, names, cards)
        return
    if isinstance(evidence, TargetEvidence):
        show_target_evidence(console, evidence, names, cards)
        return
    comparison = compare_evidence(evidence)
    if comparison is not None:
        n_labelled = counted(len(comparison.truth), "labelled row")
        show_accuracy(console, comparison, f"on your {n_labelled}, each held out in turn")
    elif evidence.agreements:
        for line in label_free_lines(evidence):
            console.print(Text(line), soft_wrap=True)
    console.print(_weights(names, cards, evidence))


def _shares(text: str | None) -> Shares:
    """Return class shares from ``yes=0.1,no=0.9``, or the word as it is."""
    if text is None or "=" not in text:
        return text
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        return {name.strip(): float(value) for name, _, value in pairs}
    except ValueError as problem:
        raise InputError(f"--shares must be like yes=0.1,no=0.9; got {text!r}.") from problem


def _renamings(texts: list[str] | None) -> dict[str, str]:
    """Return the owners' class names and ours from texts like ``yes=ill``."""
    pairs = [text.partition("=") for text in texts or []]
    for theirs, mark, ours in pairs:
        if not (theirs.strip() and mark and ours.strip()):
            raise InputError(f"--rename must be like theirs=ours; got {theirs + mark + ours!r}.")
    return {theirs.strip(): ours.strip() for theirs, _, ours in pairs}


def _adopt_privately(
    paths: list[Path],
    table: Path,
    schema: Path,
    output: Path,
    *,
    epsilon: float,
    own: OwnSpendOptions,
    **settings: Any,
) -> None:
    settings |= {"epsilon": epsilon, "ledger": own.ledger, "output": output}
    settings |= {"person": own.person, "rows_per_person": own.rows_per_person}
    with working(f"reading {table.name}") as stage, warnings_on_stderr():
        classifier = adopt_privately(paths, table, schema, progress=stage, **settings)
    linear = isinstance(classifier, FeatureSplitClassifier)
    sources = classifier.sources if isinstance(classifier, FeatureSplitClassifier) else classifier.releases
    _note_failing_guarantees(paths, [source.card for source in sources])
    for place, note in enumerate(classifier.notes_, start=1):
        typer.echo(f"release {place}: {note}.")
    typer.echo(
        f"wrote {output} ({file_size(output)}): private at epsilon {epsilon:g} per {classifier.card_.unit} "
        f"of {table.name}; it may be handed out{', and adopted in turn' if linear else ''}."
    )
    if own.ledger is not None:
        typer.echo(left_words(Ledger(own.ledger)))
    typer.echo(f"Next: tacit predict {output} new.csv -o predictions.csv    tacit card {output}")


def _check_order(paths: list[Path], table: Path) -> None:
    if not paths:
        raise InputError("give at least one release, then your table: tacit adopt clinic-a.tacit ours.csv ...")
    if table.suffix == ".tacit":
        raise InputError(f"the last file must be your own table, not a release; got {table.name}.")
    for path in paths:
        if path.suffix != ".tacit" and not release_path(path).is_file():
            raise InputError(
                f"{path.name} must be a release (*.tacit) or a fabricated table with its release beside it; your own "
                "table comes last."
            )


def _note_failing_guarantees(paths: list[Path], cards: Sequence[Card]) -> None:
    for path, card in zip(paths, cards, strict=True):
        if not card.holds:
            typer.echo(f"note: the guarantee on the card of {path.name} does not hold; see `tacit card`.", err=True)


def show_accuracy(console: Console, comparison: Comparison, where: str) -> None:
    """Print the accuracy without and with the releases, and how many rows changed."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("learning from")
    for header in ("right", "accuracy", "95 % interval"):
        table.add_column(header, justify="right")
    table.add_row("your labels alone", *_cells(comparison.target_only))
    if comparison.view_only is not None:
        table.add_row("your labels, the releases' view", *_cells(comparison.view_only))
    table.add_row(Text("with the releases", style="bold"), *_cells(comparison.adopted))
    console.print(Text(f"Accuracy {where}:"))
    console.print(table)
    console.print(Text(f"{comparison.helped} right only with the releases, {comparison.harmed} only without."))


def _cells(share: Share) -> tuple[str, str, str]:
    low, high = share.interval
    return f"{share.count}/{share.total}", f"{share.value:.1%}", f"{low:.1%} to {high:.1%}"


def _weights(names: list[str], cards: Sequence[Card], evidence: Evidence) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("release", "guarantee", "in common", "weight"):
        table.add_column(header, overflow="fold")
    for name, card, note, weight in zip(names, cards, evidence.notes, evidence.weights, strict=True):
        promise = f"epsilon {card.epsilon:g}, delta {card.delta:g} per {card.unit}"
        table.add_row(Text(name), promise, Text(note), f"{weight:.3g}" if weight else "0: ignored")
    return table
