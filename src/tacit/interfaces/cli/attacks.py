"""The part of ``tacit audit`` that attacks a release, given rows of its table and rows that were not in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.errors import InputError
from tacit.interfaces.cli.outputs import counted, file_size, require_output, working

if TYPE_CHECKING:
    from tacit.audit.attacks.outcome import Outcome, TrueRate
    from tacit.audit.attacks.release_attack import ReleaseAttack
    from tacit.data.encoding import Encoded
    from tacit.data.schema import Schema
    from tacit.releases.file import Release


@dataclass(frozen=True)
class Tables:
    """What an attack is given: files of members and of non-members, and their schema if not the release's own."""

    members: Path
    non_members: Path
    schema: Path | None


def tables(members: Path | None, non_members: Path | None, schema: Path | None, page: Path | None) -> Tables | None:
    """Return the tables if attacks are asked for; refuse half of them."""
    if members is not None and non_members is not None:
        return Tables(members, non_members, schema)
    if any(each is not None for each in (members, non_members, schema, page)):
        raise InputError("attacks need both --members and --non-members: rows of the table, and rows not in it.")
    return None


def require_page(page: Path | None, given: Tables, release: Path, *, force: bool) -> None:
    """Refuse a page that cannot be written, before the work starts."""
    if page is not None:
        inputs = [release, given.members, given.non_members, *([given.schema] if given.schema else [])]
        require_output(page, force=force, inputs=inputs)


@dataclass(frozen=True, eq=False)
class Material:
    """What was read of the tables; ``rows`` are those of a fabricated table under attack."""

    schema: "Schema"
    members: "Encoded"
    non_members: "Encoded"
    rows: "Encoded | None"


def read(file: Path, release: "Release", given: Tables) -> Material:
    """Return the rows for attacking ``release``, which was read from ``file``."""
    rules = _schema(release, given.schema)
    members, non_members = (_read(path, rules) for path in (given.members, given.non_members))
    rows = _fabricated_rows(file, rules) if release.kind == "fabricated" else None
    return Material(rules, members, non_members, rows)


def attack(release: "Release", material: Material, *, shadows: int, seed: int | None, page: Path | None) -> bool:
    """Attack ``release``, print what was found and write the page; return whether the card stands."""
    from tacit.audit.attacks.release_attack import attack_release  # noqa: PLC0415 - keeps it quick to start

    with working("attacking with shadow releases" if shadows else "attacking"):
        found = attack_release(
            release,
            material.members,
            material.non_members,
            material.schema,
            rows=material.rows,
            appearances=shadows,
            seed=seed,
        )
    Console().print(_table(found))
    _comment(found)
    if page is not None:
        _write(found, release, page)
    return not any(found.contradicts(each) for each in found.outcomes)


def _schema(release: "Release", path: Path | None) -> "Schema":
    from tacit.data.schema import Schema  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.data.schema_file import read_schema  # noqa: PLC0415 - keeps the command line quick to start

    if path is not None:
        return read_schema(path)
    if release.schema is None:
        raise InputError("--schema must be given: this release does not carry the schema of its table.")
    return Schema.from_dict(release.schema, source="the release's schema")


def _read(path: Path, rules: "Schema") -> "Encoded":
    from tacit.data.encoding import encode_file  # noqa: PLC0415 - keeps the command line quick to start

    with working(f"reading {path.name}"):
        return encode_file(path, rules, labels="required")


def _fabricated_rows(file: Path, rules: "Schema") -> "Encoded":
    from tacit.data.encoding import encode  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.workflows.fabricated_tables import open_fabricated  # noqa: PLC0415 - keeps the command line quick to start

    return encode(open_fabricated(file).table, rules, labels="required", source=file.name)


def _table(found: "ReleaseAttack") -> Table:
    from tacit.audit.attacks.outcome import FALSE_RATES  # noqa: PLC0415 - keeps the command line quick to start

    title = f"membership attacks: {found.n_members:,} members, {found.n_non_members:,} others; 95 % intervals"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("attack")
    for name in ("AUC", *(f"found at {100 * rate:g} % false" for rate in FALSE_RATES), "epsilon shown"):
        table.add_column(name, justify="right")
    table.add_column("card")
    for each in found.outcomes:
        low, high = each.area_interval
        rates = [_rate(each.true_rate(rate)) for rate in FALSE_RATES]
        verdict = "[bold red]FAILS[/]" if found.contradicts(each) else "[green]stands[/]"
        table.add_row(each.name, f"{each.area:.3f}\n[dim]{low:.3f}-{high:.3f}[/]", *rates, _shown(each, found), verdict)
    return table


def _rate(rate: "TrueRate") -> str:
    if rate.value is None:
        return f"cannot be measured\n[dim]needs {rate.needed:,} others[/]"
    low, high = rate.interval
    return f"{100 * rate.value:.2f} %\n[dim]{100 * low:.2f}-{100 * high:.2f} %[/]"


def _shown(each: "Outcome", found: "ReleaseAttack") -> str:
    shown = each.epsilon_shown(found.claim.delta)
    return "too few rows" if shown is None else f"{shown:.3f}"


def _comment(found: "ReleaseAttack") -> None:
    from tacit.pages.attacks import (  # noqa: PLC0415 - keeps the command line quick to start
        LOW_PROVES_NOTHING,
        score_text,
        verdict,
    )

    claim = found.claim
    promised = "no epsilon" if claim.epsilon is None else f"epsilon {claim.epsilon:.4g}, delta {claim.delta:.3g}"
    typer.echo(f"the card promises a record {promised}.")
    typer.echo(f"membership-inference score of the distances: {score_text(found.score)}.")
    if found.n_shared:
        typer.echo(f"{counted(found.n_shared, 'non-member')} equal some member in every column.", err=True)
    typer.echo(verdict(found))
    typer.echo(LOW_PROVES_NOTHING)


def _write(found: "ReleaseAttack", release: "Release", page: Path) -> None:
    from tacit.files.atomic import write_text  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.pages.attacks import attack_page  # noqa: PLC0415 - keeps the command line quick to start

    write_text(page, attack_page(found, release.card))
    typer.echo(f"wrote {page} ({file_size(page)}); keep it as you keep the table: it is computed from private rows.")
