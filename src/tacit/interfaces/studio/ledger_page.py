"""The ledger page: what was spent, when, for what, and what is left; and the form that makes a ledger."""

import asyncio
import math
from collections.abc import Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.data.schemas.file import read_schema
from tacit.errors import InputError, TacitError
from tacit.interfaces.studio.bodies import Form, read_form
from tacit.interfaces.studio.data_page import table_choices
from tacit.interfaces.studio.folder import LEDGERS, RELEASES, WorkFolder, schema_name
from tacit.interfaces.studio.forms import choice, field, submit
from tacit.interfaces.studio.frame import lines_table, note, page, panel, room_page, see, studio_of, words_of
from tacit.interfaces.studio.strings import Words
from tacit.pages.markup import Child, Markup, joined, tag
from tacit.privacy.budget import DEFAULT_DELTA, Budget, Unit
from tacit.privacy.card_facts import LedgerCharge
from tacit.privacy.ledger import Ledger, Statement
from tacit.privacy.spending import digits
from tacit.releases.receipts import receipt_of, verify_against
from tacit.releases.sidecar import open_release
from tacit.workflows.card_details import ledger_history
from tacit.workflows.tables import table_identity

# Releases beyond this size are not opened to say what a line was for.
LARGEST_LOOKED_AT = 50 << 20
UNITS = (Unit.RECORD, Unit.PERSON, Unit.ENTRY, Unit.PAIR)


async def overview(request: Request) -> Response:
    """Return the ledgers of the folder, and the form that makes one."""
    words, folder = words_of(request), studio_of(request).folder
    names = folder.names(LEDGERS)
    lines = [await asyncio.to_thread(_ledger_line, words, folder, name) for name in names]
    listed = tag("ul", lines, class_="files") if names else tag("p", words("ledger.none"), class_="empty")
    return room_page(
        request,
        "ledger",
        panel(words("ledger.accounts"), words("ledger.accounts_aside"), listed),
        panel(words("ledger.new"), words("ledger.new_aside"), _new_form(request, words)),
    )


def _ledger_line(words: Words, folder: WorkFolder, name: str) -> Markup:
    try:
        ledger = Ledger(folder.existing(name))
        spent, left = ledger.spent(), ledger.left()
    except TacitError as problem:
        return tag("li", tag("span", name, class_="name"), tag("span", str(problem), class_="mark-guess"))
    link = tag("a", name, href=f"/ledger/show/{name}", class_="name")
    words_left = words("ledger.spent_of", spent=digits(spent, up=True), budget=f"{ledger.budget.epsilon:g}")
    return tag(
        "li", link, tag("span", words_left, class_="small"), tag("span", words("ledger.left", left=digits(left)))
    )


def _new_form(request: Request, words: Words) -> Markup:
    tables = table_choices(studio_of(request).folder, ready=False)
    units = [(unit.value, words(f"unit.{unit.value}")) for unit in UNITS]
    epsilon = field(
        words("ledger.epsilon"), "epsilon", required=True, hint=words("ledger.epsilon_hint"), inputmode="decimal"
    )
    return tag(
        "form",
        choice(words("ledger.table"), "table", [*tables, ("", words("ledger.any"))], hint=words("ledger.table_hint")),
        field(words("ledger.file"), "name", value=_file_name(tables), required=True),
        tag("div", epsilon, choice(words("ledger.unit"), "unit", units), class_="pair"),
        _more(words),
        note(words("ledger.fixed")),
        submit(words("ledger.make")),
        method="post",
        action="/ledger/new",
    )


def _more(words: Words) -> Markup:
    relations = [
        (each, words(f"relation.{each.replace('-', '_') or 'usual'}")) for each in ("", "add-remove", "replace")
    ]
    return tag(
        "details",
        tag("summary", words("frame.more")),
        field(words("ledger.delta"), "delta", value=f"{DEFAULT_DELTA:g}", hint=words("ledger.delta_hint")),
        choice(words("ledger.relation"), "relation", relations),
    )


def _file_name(tables: list[tuple[str, str]]) -> str:
    return f"{tables[0][0].split('.')[0]}.ledger" if tables else "data.ledger"


async def make(request: Request) -> Response:
    """Make a ledger, as ``tacit ledger init`` does."""
    form, folder = await read_form(request), studio_of(request).folder
    name = form.text("name")
    path = folder.file(name)
    if not name.lower().endswith(LEDGERS):
        raise InputError(f"the name of a ledger must end in .ledger; got {name}.")
    await asyncio.to_thread(_create, form, path, folder)
    return see(f"/ledger/show/{name}")


def _create(form: Form, path: object, folder: WorkFolder) -> None:
    called = str(path).rpartition("/")[2].removesuffix(".ledger")
    table = form.text("table")
    identity = None if not table else table_identity(read_schema(folder.existing(schema_name(table))), called)
    relation = form.text("relation") or None
    budget = Budget(form.number("epsilon"), form.number("delta"), unit=form.text("unit"), relation=relation)
    Ledger.create(str(path), budget, name=called, table=identity)


async def show(request: Request) -> Response:
    """Return every charge of one ledger, what is spent and what is left."""
    words, folder, name = words_of(request), studio_of(request).folder, request.path_params["name"]
    ledger = Ledger(folder.existing(name))
    statement, history, files = await asyncio.to_thread(
        lambda: (ledger.statement(), ledger_history(ledger), _files_by_digest(folder, ledger))
    )
    facts = words("ledger.facts", budget=str(ledger.budget), made=ledger.created[:10], identifier=ledger.identifier)
    buttons = tag(
        "div",
        tag("button", words("frame.print"), type="button", class_="plain", data_print=""),
        tag("form", submit(words("ledger.verify"), plain=True), method="post", action=f"/ledger/verify/{name}"),
        class_="buttons",
    )
    return page(
        request,
        "ledger",
        ledger.name or name,
        tag("p", facts, class_="lead"),
        _figures(words, ledger, statement),
        panel(
            words("ledger.charges"),
            words("ledger.charges_aside"),
            _charges(words, statement, {each.line: each for each in history.charges}, files),
            [note(text) for text in statement.notes],
            buttons,
            class_="wide",
        ),
    )


def _figures(words: Words, ledger: Ledger, statement: Statement) -> Markup:
    share = min(statement.spent / ledger.budget.epsilon, 1.0) if math.isfinite(statement.spent) else 1.0
    spent, left = digits(statement.spent, up=True), digits(statement.left)
    bar = tag(
        "svg",
        tag("rect", class_="room", x="0", y="0", width="100%", height="100%", rx=6),
        tag("rect", class_="part", x="0", y="0", width=f"{100 * share:.2f}%", height="100%", rx=6) if share else None,
        role="img",
        aria_label=words("ledger.meter", spent=spent, budget=f"{ledger.budget.epsilon:g}", left=left),
        class_="meter",
    )
    boxes = [
        tag("div", tag("b", spent), tag("span", words("ledger.is_spent")), class_="figure with"),
        tag("div", tag("b", left), tag("span", words("ledger.is_left")), class_="figure"),
        tag("div", tag("b", str(len(statement.lines))), tag("span", words("ledger.times")), class_="figure"),
    ]
    return tag("div", bar, tag("div", boxes, class_="figures"))


def _charges(
    words: Words, statement: Statement, costs: Mapping[int, LedgerCharge], files: Mapping[str, tuple[str, str]]
) -> Markup:
    if not statement.lines:
        return tag("p", words("ledger.untouched"), class_="empty")
    names = ("line", "time", "purpose", "for", "cost", "digest")
    rows: list[list[Child]] = []
    for line in reversed(statement.lines):
        file, purpose = files.get(line.digest, ("", ""))
        cost = costs.get(line.number)
        alone = "" if cost is None or cost.epsilon is None else f"{cost.epsilon:.3g}"
        shown = tag("a", line.purpose, href=f"/review/?file={quote(file)}") if file else line.purpose
        digest = tag("code", line.digest[:8])
        rows.append([str(line.number), line.time[:16].replace("T", " "), shown, purpose, alone, digest])
    return lines_table([words(f"ledger.{name}") for name in names], rows, name=words("ledger.charges"))


def _files_by_digest(folder: WorkFolder, ledger: Ledger) -> dict[str, tuple[str, str]]:
    """Return the release of the folder that each line was charged for, with the purpose on its card."""
    releases = {}
    for name in folder.names(RELEASES):
        path = folder.file(name)
        try:
            if path.stat().st_size <= LARGEST_LOOKED_AT:
                card = open_release(path).card
                releases[receipt_of(card, ledger, name).digest] = (name, card.facts.purpose)
        except TacitError:  # a model, a file that is none of ours, or charged elsewhere
            continue
    return releases


async def verify(request: Request) -> Response:
    """Check the chain of a ledger, and that it holds the charge of every release of it in the folder."""
    words, folder, name = words_of(request), studio_of(request).folder, request.path_params["name"]
    ledger = Ledger(folder.existing(name))
    files = await asyncio.to_thread(_files_by_digest, folder, ledger)
    names = sorted(file for file, _ in files.values())
    paths = [folder.file(each) for each in names]
    lines = await asyncio.to_thread(lambda: verify_against(ledger, paths) if paths else ledger.verify())
    said = note(words("ledger.whole", count=len(lines), budget=str(ledger.budget)), "good", "status")
    held = [tag("li", words("ledger.holds", file=each)) for each in names]
    back = tag("a", words("frame.back"), href=f"/ledger/show/{name}", class_="button")
    return page(request, "ledger", ledger.name or name, joined(said, tag("ul", held), tag("p", back)))


ROUTES = [
    Route("/", overview),
    Route("/new", make, methods=["POST"]),
    Route("/show/{name}", show),
    Route("/verify/{name}", verify, methods=["POST"]),
]
