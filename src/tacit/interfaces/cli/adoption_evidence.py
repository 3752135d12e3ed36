"""What `tacit adopt` prints of an averaged model: figures of each way to learn, the verdict, and each release."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.adoption.evidence.figures import Figure
from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence, ReleaseFigures
from tacit.adoption.evidence.target_evidence import TargetEvidence
from tacit.adoption.evidence.words import METHODS, TARGET_METHODS, remarks, target_verdict_sentence, verdict_sentence
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


def show_target_evidence(
    console: Console, evidence: TargetEvidence, names: Sequence[str], cards: Sequence[Card]
) -> None:
    """Print what adopting did to predictions of a number, as far as known values can tell."""
    if evidence.methods:
        values = counted(evidence.n_known, "known value")
        console.print(Text(f"On your {values}, held out in turn (95 % intervals):"))
        console.print(_target_figures(evidence))
    console.print(Text(target_verdict_sentence(evidence)))
    for name, card, release in zip(names, cards, evidence.releases, strict=True):
        used = f"used with weight {release.used:.2f}" if release.used else "ignored"
        gain = release.gain
        changed = "" if gain is None else f"; lowers the held-out squared error by {gain.value:+.3f} of the variance"
        console.print(Text(f"{name}: {_promise(card, release.note)}"), soft_wrap=True)
        console.print(Text(f"  {used}, trusted {release.trust:.2f} before values{changed}"), soft_wrap=True)


def _target_figures(evidence: TargetEvidence) -> Table:
    table = _figure_table("R squared", "absolute error", "in 90 % interval")
    for method in evidence.methods:
        error = method.absolute_error
        cells = [_number(method.r_squared), f"{error.value:.3g} ({error.low:.3g} to {error.high:.3g})"]
        table.add_row(_method_name(TARGET_METHODS, method.name), *cells, _share(method.coverage))
    return table


def _figures(evidence: AdoptionEvidence) -> Table:
    table = _figure_table("accuracy", "AUC", "log-loss")
    for method in evidence.methods:
        cells = [_share(method.accuracy), "–" if method.area is None else _number(method.area)]
        table.add_row(_method_name(METHODS, method.name), *cells, _number(method.log_loss))
    return table


def _figure_table(*headers: str) -> Table:
    """Return an empty table with a column for each figure of a way to learn."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("learning from")
    for header in headers:
        table.add_column(header, justify="right")
    return table


def _method_name(names: Mapping[str, str], method: str) -> Text:
    return Text(names[method], style="bold" if method == "adopted" else "")


def _share(figure: Figure) -> str:
    return f"{figure.value:.1%} ({figure.low:.0%} to {figure.high:.0%})"


def _number(figure: Figure) -> str:
    return f"{figure.value:.3f} ({figure.low:.2f} to {figure.high:.2f})"


def _release_lines(name: str, card: Card, release: ReleaseFigures) -> list[str]:
    """Return what was adopted, and what it did."""
    return [
        f"{name}: {_promise(card, release.note)}",
        f"  {_used(release)}{_gain(release)}",
    ]


def _promise(card: Card, note: str) -> str:
    promise = f"epsilon {card.epsilon:g}, delta {card.delta:g} per {card.unit}"
    return "; ".join(part for part in (promise, note) if part)


def _used(release: ReleaseFigures) -> str:
    halves = release.agreement
    agreed = (
        "" if halves is None else f"; its halves agree on {halves.agreement:.0%} of rows (chance {halves.chance:.0%})"
    )
    used = f"used with weight {release.used:.2f}" if release.used else "ignored"
    return f"{used}, trusted {release.trust:.2f} before labels{agreed}"


def _gain(release: ReleaseFigures) -> str:
    if release.gain is None:
        return ""
    low, high = sorted((-release.gain.high, -release.gain.low))
    return f"; changes the held-out log-loss by {-release.gain.value:+.3f} ({low:+.2f} to {high:+.2f})"
