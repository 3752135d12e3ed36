"""What `tacit adopt` prints of an averaged model: figures of each way to learn, the verdict, and each release."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.adoption.evidence_words import METHODS, remarks, verdict_sentence
from tacit.adoption.figures import Figure
from tacit.adoption.receiver_evidence import AdoptionEvidence, ReleaseFigures
from tacit.interfaces.cli.outputs import counted
from tacit.privacy.card import Card


def show_evidence(console: Console, evidence: AdoptionEvidence, names: Sequence[str], cards: Sequence[Card]) -> None:
    """Print what adopting did, as far as labels can tell."""
    if evidence.methods:
        console.print(Text(f"On your {counted(evidence.n_labelled, 'label')}, held out in turn (95 % intervals):"))
        console.print(_figures(evidence))
    for line in (verdict_sentence(evidence), *remarks(evidence)):
        console.print(Text(line))
    for name, card, release in zip(names, cards, evidence.releases, strict=True):
        for line in _release_lines(name, card, release):
            console.print(Text(line), soft_wrap=True)


def _figures(evidence: AdoptionEvidence) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("learning from")
    for header in ("accuracy", "AUC", "log-loss"):
        table.add_column(header, justify="right")
    for method in evidence.methods:
        style = "bold" if method.name == "adopted" else ""
        cells = [_share(method.accuracy), "–" if method.area is None else _number(method.area)]
        table.add_row(Text(METHODS[method.name], style=style), *cells, _number(method.log_loss))
    return table


def _share(figure: Figure) -> str:
    return f"{figure.value:.1%} ({figure.low:.0%} to {figure.high:.0%})"


def _number(figure: Figure) -> str:
    return f"{figure.value:.3f} ({figure.low:.2f} to {figure.high:.2f})"


def _release_lines(name: str, card: Card, release: ReleaseFigures) -> list[str]:
    """Return what was adopted, and what it did."""
    promise = f"epsilon {card.epsilon:g}, delta {card.delta:g} per {card.unit}"
    return [
        f"{name}: {'; '.join(part for part in (promise, release.note) if part)}",
        f"  {_used(release)}{_gain(release)}",
    ]


def _used(release: ReleaseFigures) -> str:
    halves = release.agreement
    agreed = (
        "" if halves is None else f"; its halves agree on {halves.agreement:.0%} of rows (chance {halves.chance:.0%})"
    )
    used = f"used with probability {release.used:.2f}" if release.used else "ignored"
    return f"{used}, {release.trust:.2f} before labels{agreed}"


def _gain(release: ReleaseFigures) -> str:
    if release.gain is None:
        return ""
    low, high = sorted((-release.gain.high, -release.gain.low))
    return f"; changes the held-out log-loss by {-release.gain.value:+.3f} ({low:+.2f} to {high:+.2f})"
