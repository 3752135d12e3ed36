"""``tacit desk``: score other people's models on a private table, a limited number of times."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from tacit.errors import InputError
from tacit.interfaces.cli.outputs import counted, require_output
from tacit.interfaces.cli.spend import left_words, warnings_on_stderr
from tacit.workflows.tables import labelled_rows

if TYPE_CHECKING:
    from tacit.privacy.ledger import Ledger
    from tacit.situations.feedback.desk.desk import Desk
    from tacit.situations.feedback.desk.log import DeskLog
    from tacit.situations.feedback.desk.terms import DeskTerms

app = typer.Typer(
    name="desk",
    help="Score other people's models on a private table, a limited number of times.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
providers = typer.Typer(name="provider", help="Who may ask, and how often.", no_args_is_help=True)
app.add_typer(providers)

Table = Annotated[
    Path, typer.Argument(metavar="TABLE", help="The private table (CSV, Parquet, NPZ).", show_default=False)
]
SchemaFile = Annotated[
    Path, typer.Option("--schema", "-s", metavar="TOML", help="Its public facts.", show_default=False)
]
ModelFile = Annotated[
    Path, typer.Option("--model", "-m", metavar="TOML", help="linear, or a file that declares it.", show_default=False)
]
LogFile = Annotated[
    Path | None, typer.Option("--log", metavar="PATH", help="The desk's log; by default TABLE with .desk as ending.")
]
LogPath = Annotated[Path, typer.Argument(metavar="LOG", help="The desk's log.", show_default=False)]
Metric = Annotated[str, typer.Option(help="[bold]accuracy[/] or [bold]balanced_accuracy[/] (without noise only).")]
Queries = Annotated[int, typer.Option(help="Answers that are given in all, to all providers.")]
Decimals = Annotated[int, typer.Option(help="Digits after the point of an answer.")]
Epsilon = Annotated[
    float | None, typer.Option(help="What all answers together may cost; without it no noise and no promise.")
]
Delta = Annotated[float, typer.Option(help="Probability with which more may be lost; 0 takes Laplace noise.")]
LedgerFile = Annotated[
    Path | None, typer.Option("--ledger", metavar="PATH", help="The table's account; charged before the desk opens.")
]


@app.command()
def serve(
    table: Table,
    *,
    schema: SchemaFile,
    model: ModelFile,
    metric: Metric = "accuracy",
    queries: Queries = 1000,
    decimals: Decimals = 2,
    epsilon: Epsilon = None,
    delta: Delta = 1e-6,
    ledger: LedgerFile = None,
    log: LogFile = None,
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 lets others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8765,
) -> None:
    """Open the desk over HTTP, and keep it open until Ctrl-C.

    The whole run is charged on the ledger before the first answer, once: started again, the desk goes on where it
    ended. It speaks plain HTTP; put a TLS proxy in front of it before anyone comes in from outside.

    [bold]Example:[/] tacit desk serve patients.csv -s patients.toml -m linear --epsilon 4 --ledger patients.ledger
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - keeps the command line quick to start

    from tacit.interfaces.desk.app import make_app  # noqa: PLC0415 - as above
    from tacit.interfaces.desk.server import make_server, run_server  # noqa: PLC0415 - as above
    from tacit.privacy.ledger import as_ledger  # noqa: PLC0415 - as above
    from tacit.situations.feedback.desk.providers import new_token  # noqa: PLC0415 - as above

    settings = {"metric": metric, "queries": queries, "decimals": decimals, "epsilon": epsilon, "delta": delta}
    book, key = as_ledger(ledger), new_token()
    desk = _open(table, schema, model, log=log, book=book, **settings)
    typer.echo(_opened(desk, book))
    server = make_server(make_app(desk, owner_key=key, ledger=book), host=host, port=port)
    # Products this small gain nothing from more threads, which lose much by waiting for each other on a busy machine.
    with threadpool_limits(limits=1):
        run_server(server, lambda address: typer.echo(f"desk: {address}\nyour page: {address}/owner#{key}"))


@app.command()
def score(
    table: Table,
    candidates: Annotated[Path, typer.Argument(metavar="CANDIDATES", help="A file of `tacit tune ask`.")],
    *,
    provider: Annotated[str, typer.Option(help="Whose queries these are.", show_default=False)],
    schema: SchemaFile,
    model: ModelFile,
    metric: Metric = "accuracy",
    queries: Queries = 1000,
    decimals: Decimals = 2,
    epsilon: Epsilon = None,
    delta: Delta = 1e-6,
    ledger: LedgerFile = None,
    log: LogFile = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="JSON", help="Where the scores go.")],
) -> None:
    """Score a file of candidates, for providers who cannot reach the owner's network.

    Budgets, noise, ledger and log are those of `tacit desk serve`, and so are the options.

    [bold]Example:[/] tacit desk score patients.csv batch.tacit --provider ann -s patients.toml -m linear
    --log patients.desk -o scores.json
    """
    from tacit.privacy.ledger import as_ledger  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.situations.feedback.desk.exchange import score_file, write_scores  # noqa: PLC0415 - as above

    inputs = [each for each in (table, candidates, schema, model, ledger) if each]
    require_output(output, force=True, inputs=inputs)
    settings = {"metric": metric, "queries": queries, "decimals": decimals, "epsilon": epsilon, "delta": delta}
    desk = _open(table, schema, model, log=log, book=as_ledger(ledger), **settings)
    scored = score_file(desk, provider, candidates)
    write_scores(scored, output)
    typer.echo(f"wrote {output}: {counted(len(scored['scores']), 'score')} for {provider}.")


@providers.command()
def add(
    log: LogPath,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, dots, dashes.", show_default=False)],
    queries: Annotated[int, typer.Option(help="Answers that this provider gets in all.", show_default=False)],
) -> None:
    """Let a provider in, and print the token, which is shown this once.

    [bold]Example:[/] tacit desk provider add patients.desk ann --queries 300
    """
    from tacit.situations.feedback.desk.log import DeskLog  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.situations.feedback.desk.providers import Provider, new_token, token_digest  # noqa: PLC0415 - as above

    token = new_token()
    with DeskLog(log).writing() as transaction:
        transaction.add(Provider(name, token_digest(token), queries))
    typer.echo(f"{name} may ask {queries:,} queries. The token, of which only a digest is kept:", err=True)
    typer.echo(token)


@providers.command()
def revoke(log: LogPath, name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)]) -> None:
    """Have a provider's token open nothing any more; a desk that is open notices within a second.

    [bold]Example:[/] tacit desk provider revoke patients.desk ann
    """
    with _existing(log).writing() as transaction:
        transaction.revoke(name)
    typer.echo(f"{name} may ask no longer.")


@app.command()
def show(log: LogPath) -> None:
    """Show what a desk has answered, and check that nothing in its log was changed.

    [bold]Example:[/] tacit desk show patients.desk
    """
    with _existing(log).reading() as transaction:
        opened, entries = transaction.opened(), transaction.verify()
        shares = [(each.name, transaction.used(each.name), each.queries) for each in transaction.providers()]
    if opened is None:
        typer.echo("The desk has not opened yet.")
    else:
        terms = opened[1]
        promise = "no epsilon" if terms.epsilon is None else f"epsilon {terms.epsilon:g}, delta {terms.delta:g}"
        typer.echo(f"{terms.metric} on {terms.n_rows:,} records, {terms.decimals} decimals, {promise}.")
        typer.echo(f"{len(entries):,} of {terms.queries:,} queries answered; the log is unbroken.")
    for name, used, share in shares:
        typer.echo(f"  {name}: {used:,} of {share:,}")


def _open(
    table: Path, schema: Path, model: Path, *, log: Path | None, book: "Ledger | None", **settings: Any
) -> "Desk":
    """Read the rows, say what the terms are worth, then open the desk, which charges the ledger."""
    from tacit.data.schema_file import read_schema  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.situations.feedback.desk.architecture import read_architecture  # noqa: PLC0415 - as above
    from tacit.situations.feedback.desk.desk import Desk  # noqa: PLC0415 - as above
    from tacit.situations.feedback.desk.scoring import Scorer  # noqa: PLC0415 - as above
    from tacit.situations.feedback.desk.terms import DeskTerms, rows_digest  # noqa: PLC0415 - as above

    rules = read_schema(schema)
    rules.require_public_bounds()
    architecture = read_architecture(model, rules)
    with warnings_on_stderr():
        rows = labelled_rows(table, rules)
    terms = DeskTerms(architecture, n_rows=len(rows.X), rows=rows_digest(rows.X, rows.y), **settings)
    for words in advice(terms):
        Console(stderr=True).print(Text.assemble(("note: ", "bold yellow"), words), highlight=False, soft_wrap=True)
    scorer = Scorer(rows.X, rows.y, architecture, metric=terms.metric)
    return Desk.open(scorer, terms, table.with_suffix(".desk") if log is None else log, ledger=book)


def advice(terms: "DeskTerms") -> list[str]:
    """Return what an owner should know before the desk opens: what useful noise costs, and what this noise is."""
    from tacit.situations.feedback.desk.usefulness import USEFUL_NOISE, useful_epsilon  # noqa: PLC0415 - quick to start

    delta = terms.delta
    needed = useful_epsilon(terms.n_rows, terms.queries, delta=delta)
    useful = (
        f"{terms.queries:,} queries on {counted(terms.n_rows, 'record')} take about epsilon {needed:g} "
        f"at delta {delta:g} for noise of {USEFUL_NOISE:g}, "
        "with which a search still gains most of what exact scores would give"
    )
    if terms.epsilon is None:
        return [
            f"no --epsilon: answers are exact but for rounding, and no promise holds. {useful}. "
            "`tacit audit desk` shows what leaks."
        ]
    notes = [f"{useful}; at epsilon {terms.epsilon:g} the noise is {terms.noise:.2g}."]
    if terms.noise > 2 * USEFUL_NOISE:
        notes.append(
            "A search will hardly learn from such answers: fewer queries, more records or more epsilon would help."
        )
    return notes


def _opened(desk: "Desk", book: "Ledger | None") -> str:
    with desk.log.reading() as transaction:
        used, names = transaction.used(), [provider.name for provider in transaction.providers()]
    words = f"{used:,} of {desk.terms.queries:,} queries answered so far. {left_words(book) if book else ''}"
    if not names:
        return f"{words}\nNobody may ask yet: tacit desk provider add {desk.log.path.name} NAME --queries 300"
    return f"{words}\nMay ask: {', '.join(names)}."


def _existing(path: Path) -> "DeskLog":
    from tacit.situations.feedback.desk.log import DeskLog  # noqa: PLC0415 - keeps the command line quick to start

    if not path.exists():
        raise InputError(f"there is no log at {path}. `tacit desk provider add` and `tacit desk serve` make one.")
    return DeskLog(path)
