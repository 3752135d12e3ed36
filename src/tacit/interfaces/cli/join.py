"""``tacit join``: several owners make one release together; plan, sign, run and status."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.outputs import counted, file_size, working
from tacit.interfaces.cli.parameters import Delta, argument, option, output_option, schema_option
from tacit.interfaces.cli.signing import key_file
from tacit.interfaces.cli.spend import warnings_on_stderr
from tacit.privacy.spending import digits
from tacit.situations.joint.plan import SignedPlan
from tacit.workflows.join_plan import ROWS, plan_facts, plan_join, sign_join
from tacit.workflows.join_run import JoinedRun, PartyFiles, party_facts, run_join

PlanPath = Annotated[Path, argument("PLAN", "The joint plan's file.")]
PartyPaths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="PARTY...", help="Folders with join.toml (table, ledger, key), or such files."),
]
# Names of columns that are shown of a plan.
MOST_COLUMNS = 12
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


def plan(
    *,
    schema: Annotated[Path, schema_option("The schema of every party's table.")],
    party: Annotated[
        list[str],
        option("A party and the file of its public key; once for each party.", metavar="NAME=KEY"),
    ],
    epsilon: Annotated[float, option("Privacy loss against the aggregator together with a coalition.")],
    delta: Delta = 1e-6,
    method: Annotated[str | None, typer.Option(help="What is released.", show_default="by the schema")] = None,
    unit: Annotated[
        str | None, typer.Option(help="[bold]record[/] or [bold]person[/].", show_default="by the schema")
    ] = None,
    rows_per_person: Annotated[int | None, option("Read at most K rows of each person.", metavar="K")] = None,
    colluding: Annotated[int, typer.Option(help="How many parties may collude with the aggregator.")] = 1,
    minimum: Annotated[
        int | None,
        typer.Option(help="Least number of parties in every total; fewer than all costs noise.", show_default="all"),
    ] = None,
    rows: Annotated[int, typer.Option(help="Largest number of rows of a party; public.")] = ROWS,
    output: Annotated[Path, output_option("PLAN", "The plan to write.")],
    force: Force = False,
) -> None:
    """Plan a joint release: what is released, at which epsilon, against which coalition.

    [bold]Example:[/] tacit join plan -s t.toml --epsilon 1 --party a=a.pub --party b=b.pub -o joint.json
    """
    signed = plan_join(
        schema,
        _named_keys(party),
        epsilon=epsilon,
        delta=delta,
        method=method,
        unit=unit,
        rows_per_person=rows_per_person,
        colluding=colluding,
        minimum=minimum,
        rows=rows,
        output=output,
        force=force,
    )
    typer.echo(f"wrote {output} ({file_size(output)}).")
    _show(signed)
    typer.echo(f"Next, each party: tacit join sign {output} --key OWN.key")


def sign(
    path: PlanPath,
    *,
    key: Annotated[Path, option("Your private key, named in the plan.", metavar="KEY")],
) -> None:
    """Sign a joint plan as one of its parties; nothing is charged yet.

    [bold]Example:[/] tacit join sign joint.json --key clinic-a.key
    """
    signed = sign_join(path, key_file(key) or key)
    _show(signed)
    left = counted(len(signed.missing), "signature")
    typer.echo(f"signed. {'All have signed.' if not signed.missing else f'{left} missing.'}")


def run(
    path: PlanPath,
    parties: PartyPaths = None,
    *,
    output: Annotated[Path, output_option("TACIT", "The release to write.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a signed plan with parties that are all on this machine.

    Over a network use the Flower app in examples/joint. Each ledger is charged first, once, with the plan's digest. An
    interrupted run continues where it stopped.

    [bold]Example:[/] tacit join run joint.json clinic-a clinic-b -o joint.tacit
    """
    given = [PartyFiles.read(each) for each in parties or []]
    keys = [key_file(files.path("key")) or files.path("key") for files in given]
    with working("reading tables") as stage, warnings_on_stderr():
        made = run_join(path, parties or [], output=output, force=force, keys=keys, progress=stage)
    card = made.release.card
    if as_json:
        print_json(_run_facts(made, output))
        return
    for name, why in made.exclusions.items():
        typer.echo(f"left out: {name}: {why}", err=True)
    members = 0 if card.joint is None else len(card.joint.parties)
    typer.echo(
        f"wrote {output} ({file_size(output)}): {card.title}, by {counted(members, 'party')}, epsilon "
        f"{card.epsilon:g} per {card.unit}; {made.traffic.rounds} rounds, {made.traffic.received / 1e6:.1f} MB sent."
    )
    typer.echo(
        f"Next: tacit card {output}    receiver: tacit adopt {output} ours.csv --schema ours.toml -o model.tacit"
    )


def _run_facts(made: JoinedRun, output: Path) -> dict[str, object]:
    card = made.release.card
    return {
        "file": str(output),
        "title": card.title,
        "epsilon": card.epsilon,
        "delta": card.delta,
        "unit": card.unit,
        "parties": [] if card.joint is None else [each.name for each in card.joint.parties],
        "left_out": dict(made.exclusions),
        "rounds": made.traffic.rounds,
        "bytes": made.traffic.received,
    }


def status(path: PlanPath, parties: PartyPaths = None, *, as_json: AsJson = False) -> None:
    """Show what a joint plan releases, who has signed it, and how far the parties here have come.

    [bold]Example:[/] tacit join status joint.json clinic-a
    """
    signed = SignedPlan.read(path)
    facts = plan_facts(signed) | {"here": _party_facts(signed, parties)}
    if as_json:
        print_json(facts)
        return
    _show(signed)
    for each in facts["here"]:
        charge = f"charged on line {each['charged_line']}" if each["charged_line"] else "not charged"
        fits = "" if each["charged_line"] else f", {'fits' if each['fits'] else 'DOES NOT FIT'}"
        answered = counted(each["queries_answered"], "query")
        finished = ", release finished" if each["finished"] else ""
        typer.echo(f"here: {each['name']}: {charge}{fits}; {answered} answered{finished}.")


def _party_facts(signed: SignedPlan, parties: list[Path] | None) -> list[dict[str, object]]:
    if not parties:
        return []
    return [party_facts(signed, PartyFiles.read(each)) for each in parties]


def _named_keys(parties: list[str]) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for each in parties:
        name, equals, key = each.partition("=")
        if not (name and equals and key):
            raise InputError(f"party must be NAME=KEY, a name and the file of a public key; got {each!r}.")
        if name in named:
            raise InputError(f"party must be given once for each name; got {name!r} twice.")
        named[name] = Path(key)
    return named


def _listed(columns: list[str]) -> str:
    """Return how many columns there are and the names of the first: what is signed should be seen."""
    more = "" if len(columns) <= MOST_COLUMNS else f" and {len(columns) - MOST_COLUMNS} more"
    return f"{counted(len(columns), 'column')} ({', '.join(columns[:MOST_COLUMNS])}{more})"


def _show(signed: SignedPlan) -> None:
    facts, plan = plan_facts(signed), signed.plan
    typer.echo(f"plan {facts['digest'][:16]}: {plan.method} release of {_listed(facts['columns'])}")
    typer.echo(
        f"epsilon {plan.epsilon:g}, delta {plan.delta:g} per {plan.unit} against the aggregator and "
        f"{counted(plan.colluding, 'party')} together; {digits(facts['outside_epsilon'], up=True)} for everyone else. "
        f"At least {plan.minimum} of {len(plan.parties)} parties in every total."
    )
    for each in facts["parties"]:
        typer.echo(f"  {'signed    ' if each['signed'] else 'not signed'}  {each['name']}  {each['key'][:16]}")
