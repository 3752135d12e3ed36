"""``tacit tune``: tune a model on a desk's scores, over the network or by files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from tacit.data.schemas.file import read_schema
from tacit.errors import InputError
from tacit.files.atomic import write_bytes
from tacit.files.regular import read_small
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.outputs import counted, require_output
from tacit.interfaces.cli.parameters import argument, option, output_option, schema_option
from tacit.interfaces.desk.client import DeskClient, is_exposed
from tacit.situations.feedback.desk.architecture import Architecture, read_architecture
from tacit.situations.feedback.desk.exchange import tell_scores, write_candidates
from tacit.situations.feedback.desk.parameters import decode_parameters, encode_parameters, largest_body
from tacit.situations.feedback.desk.tuning import Tuning, new_search, read_tuning, write_tuning

PLAIN_HTTP = "the desk's address is plain http: whoever sits between can read the token and the parameters. Use https."

State = Annotated[Path, typer.Option("--state", metavar="PATH", help="The run's file; resumed if it exists.")]


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How a new run searches."""

    method: Annotated[str, typer.Option(help="[bold]pps[/], [bold]lcps[/] (layer by layer) or [bold]random[/].")] = (
        "pps"
    )
    queries: Annotated[int | None, typer.Option(help="Queries to spend in all; by default all that are left.")] = None
    sigma: Annotated[float, typer.Option(help="How far candidates lie from the mean, in each parameter.")] = 0.5
    batch: Annotated[int, typer.Option(help="Candidates between two updates; even.")] = 20
    start: Annotated[
        Path | None, typer.Option(metavar="SAFETENSORS", help="Parameters to start from; by default all 0.")
    ] = None
    seed: Annotated[int | None, typer.Option(help="Seed of the perturbations; drawn if not given.")] = None


@with_option_groups
def tune(
    *,
    desk: Annotated[str, option("The desk's address.", metavar="URL")],
    token: Annotated[
        str, typer.Option(envvar="TACIT_DESK_TOKEN", help="The token that the owner gave you.", show_default=False)
    ],
    output: Annotated[Path, output_option("SAFETENSORS", "The parameters to write.")],
    state: Annotated[
        Path | None, typer.Option("--state", metavar="PATH", help="The run's file; by default OUTPUT with .run added.")
    ] = None,
    search: SearchOptions,
    patience: Annotated[
        float, typer.Option(help="Seconds to keep trying while the desk is busy or unreachable.")
    ] = 300.0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing output.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tune a model on the scores of an owner's desk.

    The run is stored after each batch. Started again after a crash, it repeats the open batch, for which the desk
    charges nothing again.

    [bold]Example:[/] tacit tune --desk https://desk.example --token $TOKEN --queries 300 -o tuned.safetensors
    """
    require_output(output, force=force, inputs=[search.start] if search.start else [])
    place = output.with_name(f"{output.name}.run") if state is None else state
    client = DeskClient(desk, token, patience=patience, on_wait=_say)
    if is_exposed(desk):
        Console(stderr=True).print(Text.assemble(("warning: ", "bold yellow"), PLAIN_HTTP), soft_wrap=True)
    architecture, offer = client.fetch_terms()
    budget = int(offer["queries_left"]) if search.queries is None else search.queries
    tuning = _resumed(place, architecture)
    if tuning is None:
        tuning = _begun(architecture, search, budget)
    tuning = _run(tuning, client, place)
    write_bytes(output, encode_parameters(tuning.search.parameters, architecture))
    _tell_progress(tuning, output, as_json=as_json)


@with_option_groups
def ask(
    *,
    state: State,
    output: Annotated[Path, output_option("TACIT", "The candidates to write.")],
    schema: Annotated[Path | None, schema_option("The owner's schema; for a new run.")] = None,
    model: Annotated[
        Path | None, typer.Option("--model", "-m", metavar="TOML", help="What the desk scores; for a new run.")
    ] = None,
    search: SearchOptions,
) -> None:
    """Write the next candidates to a file, to be carried to an owner without a network.

    The first time, --schema, --model and --queries say what the run is about; later the state file knows.

    [bold]Example:[/] tacit tune ask --state ann.run -s patients.toml -m linear --queries 300 -o batch.tacit
    """
    tuning = _resumed(state, None)
    if tuning is None:
        if schema is None or model is None or search.queries is None:
            raise InputError(f"there is no run at {state} yet: give --schema, --model and --queries to begin one.")
        architecture = read_architecture(model, read_schema(schema))
        tuning = _begun(architecture, search, search.queries)
        write_tuning(tuning, state)
    n_asked = write_candidates(tuning, output)
    typer.echo(
        f"wrote {output}: {counted(n_asked, 'candidate')}. Its owner runs `tacit desk score`; then `tacit tune tell`."
    )


def tell(
    scores: Annotated[Path, argument("SCORES", "What `tacit desk score` wrote.")],
    *,
    state: State,
    output: Annotated[Path | None, output_option("SAFETENSORS", "The parameters so far, to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read the scores of the open batch, and update the model.

    [bold]Example:[/] tacit tune tell scores.json --state ann.run -o tuned.safetensors
    """
    tuning = _resumed(state, None)
    if tuning is None:
        raise InputError(f"there is no run at {state}: begin one with `tacit tune ask`.")
    tuning = tell_scores(tuning, scores)
    write_tuning(tuning, state)
    if output is not None:
        write_bytes(output, encode_parameters(tuning.search.parameters, tuning.architecture))
    _tell_progress(tuning, output, as_json=as_json)


def _resumed(place: Path, architecture: Architecture | None) -> Tuning | None:
    if not place.exists():
        return None
    tuning = read_tuning(place)
    if architecture is not None and tuning.architecture != architecture:
        raise InputError(f"the run at {place} tunes another model than this desk scores. Choose another --state.")
    typer.echo(f"resuming {place}: {tuning.search.used:,} of {tuning.search.queries:,} queries used.", err=True)
    return tuning


def _begun(architecture: Architecture, options: SearchOptions, queries: int) -> Tuning:
    vector = np.zeros(architecture.n_parameters)
    if options.start is not None:
        vector = decode_parameters(read_small(options.start, largest=largest_body(architecture)), architecture)
    begun = new_search(
        options.method,
        vector,
        architecture,
        queries=queries,
        sigma=options.sigma,
        batch=options.batch,
        seed=options.seed,
    )
    return Tuning.start(architecture, begun)


def _run(tuning: Tuning, client: DeskClient, place: Path) -> Tuning:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("queries", total=tuning.search.queries, completed=tuning.search.used)
        # Stored before the first query: its names must survive a crash, or the answers would be paid for twice.
        write_tuning(tuning, place)
        while not tuning.search.done:
            scores = []
            for name, body in tuning.batch():
                scores.append(client.score(name, body))
                progress.advance(bar)
            tuning = tuning.tell(scores)
            write_tuning(tuning, place)
            progress.update(bar, description=f"queries, last batch {sum(scores) / len(scores):.4f}")
    client.close()
    return tuning


def _tell_progress(tuning: Tuning, output: Path | None, *, as_json: bool) -> None:
    search = tuning.search
    best = None if search.best_scores is None else search.best_scores[0]
    if as_json:
        print_json({"output": output, "used": search.used, "queries": search.queries, "best_score": best})
    else:
        typer.echo(_summary(tuning, output))


def _summary(tuning: Tuning, output: Path | None) -> str:
    search = tuning.search
    best = "" if search.best_scores is None else f" The highest answer was {search.best_scores[0]:g}."
    wrote = "" if output is None else f"wrote {output}. "
    return f"{wrote}{search.used:,} of {search.queries:,} queries used.{best}"


def _say(why: str, seconds: float) -> None:
    if seconds >= 1:
        typer.echo(f"waiting {seconds:.0f} s: {why}", err=True)
