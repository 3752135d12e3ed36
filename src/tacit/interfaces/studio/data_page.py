"""The data page: tables of the folder, a place to drop one, and a query to a database."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.errors import InputError
from tacit.interfaces.studio.bodies import read_form
from tacit.interfaces.studio.folder import DATABASES, SPREADSHEETS, TABLES, WorkFolder
from tacit.interfaces.studio.forms import choice, field, submit, text_area
from tacit.interfaces.studio.frame import panel, room_page, see, studio_of, words_of
from tacit.interfaces.studio.schema_marks import guesses_left
from tacit.interfaces.studio.strings import Words
from tacit.interfaces.studio.table_description import describe
from tacit.pages.markup import Markup, tag

POSTGRES = "postgresql://"


async def overview(request: Request) -> Response:
    """Return the tables of the folder, and the ways to bring one in."""
    words = words_of(request)
    return room_page(
        request,
        "data",
        panel(words("data.tables"), words("data.tables_aside"), _tables(request, words)),
        panel(words("data.drop"), words("data.drop_aside"), drop_zone(request, "/data/read", words("data.drop_here"))),
        panel(words("data.query"), words("data.query_aside"), _query_form(request, words)),
    )


def drop_zone(request: Request, then: str, text: str, *, several: bool = False) -> Markup:
    """Return a place for files, which are uploaded and then sent by name to the form ``then``."""
    words, largest = words_of(request), studio_of(request).largest_upload
    chooser = tag("input", type="file", id="file", multiple="" if several else None)
    return tag(
        "form",
        tag("label", text, for_="file"),
        chooser,
        tag("p", words("data.local"), class_="small"),
        tag("progress", max=1, value=0, hidden="", aria_label=words("data.uploading")),
        tag("p", role="status", class_="small"),
        method="post",
        action=then,
        class_="drop",
        data_upload="",
        data_largest=str(largest),
        data_too_large=words("data.too_large", size=largest >> 20),
    )


def _tables(request: Request, words: Words) -> Markup:
    folder = studio_of(request).folder
    names = folder.names((*TABLES, *SPREADSHEETS))
    if not names:
        return tag("p", words("data.none"), class_="empty")
    return tag("ul", [_table_line(request, words, name) for name in names], class_="files")


def _table_line(request: Request, words: Words, name: str) -> Markup:
    studio = studio_of(request)
    known = describe(studio.folder, name)
    hidden = tag("input", type="hidden", name_="name", value=name)
    if known is None:
        reading = tag("form", hidden, submit(words("data.read"), plain=True), method="post", action="/data/read")
        return tag("li", tag("span", name, class_="name"), tag("span", words("data.unread"), class_="small"), reading)
    size = words("data.size", rows=known.n_rows, columns=len(known.columns))
    link = tag("a", name, href=f"/table/{name}", class_="name")
    return tag("li", link, tag("span", size, class_="small"), _schema_mark(request, words, name))


def _schema_mark(request: Request, words: Words, name: str) -> Markup:
    left = guesses_left(studio_of(request).folder, name)
    if left is None:
        return tag("span", words("data.no_schema"), class_="mark-guess")
    ready = tag("span", words("schema.ready"), class_="mark-good")
    return tag("span", words("schema.left", count=left), class_="mark-guess") if left else ready


def _query_form(request: Request, words: Words) -> Markup:
    folder = studio_of(request).folder
    places = [(name, name) for name in folder.names(DATABASES)]
    return tag(
        "details",
        tag("summary", words("data.query_open")),
        tag(
            "form",
            choice(words("data.database"), "database", [*places, ("", words("data.postgres"))]),
            field(words("data.address"), "address", placeholder="user@host/clinic", hint=words("data.address_hint")),
            text_area(words("data.sql"), "query", hint=words("data.sql_hint")),
            field(words("data.save_as"), "output", value="query.parquet", required=True),
            submit(words("data.run_query")),
            method="post",
            action="/data/query",
        ),
    )


async def read_table(request: Request) -> Response:
    """Start to read a table of the folder, or to turn a spreadsheet into one."""
    form, studio = await read_form(request), studio_of(request)
    name = studio.folder.existing(form.text("name")).name
    if name.lower().endswith(SPREADSHEETS):
        job = studio.jobs.start("import_table", {"spreadsheet": name})
    elif name.lower().endswith(TABLES):
        job = studio.jobs.start("describe", {"table": name, "label": form.text("label")})
    else:
        raise InputError(f"{name} is no table: it must end in one of {', '.join((*TABLES, *SPREADSHEETS))}.")
    return see(f"/jobs/{job.name}")


async def run_query(request: Request) -> Response:
    """Start to read the answer of a database into a table of the folder."""
    form, studio = await read_form(request), studio_of(request)
    output = studio.folder.file(form.text("output")).name
    if not output.lower().endswith(".parquet"):
        raise InputError(f"the answer is saved as Parquet: its name must end in .parquet; got {output}.")
    if not form.text("query"):
        raise InputError("the query is missing.")
    arguments = {"database": form.text("database"), "query": form.text("query"), "output": output}
    # An address may hold a password: it goes to the job through a pipe.
    address = "" if form.text("database") else f"{POSTGRES}{form.text('address').removeprefix(POSTGRES)}"
    job = studio.jobs.start("import_table", arguments, secret=address)
    return see(f"/jobs/{job.name}")


def table_choices(folder: WorkFolder, *, ready: bool) -> list[tuple[str, str]]:
    """Return the tables that have a schema, for a choice; with ``ready``, one of which nothing is guessed."""
    left = {name: guesses_left(folder, name) for name in folder.names(TABLES)}
    return [(name, name) for name, count in left.items() if count == 0 or (count is not None and not ready)]


ROUTES = [
    Route("/", overview),
    Route("/read", read_table, methods=["POST"]),
    Route("/query", run_query, methods=["POST"]),
]
