"""The page of one table: its first rows when they are asked for, its columns, and its schema."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.errors import InputError
from tacit.interfaces.studio.frame import page, panel, see, studio_of, words_of
from tacit.interfaces.studio.schema_page import schema_editor
from tacit.interfaces.studio.strings import Words
from tacit.interfaces.studio.table_description import TableDescription, describe
from tacit.pages.markup import Markup, tag


async def table(request: Request) -> Response:
    """Return the page of one table: its first rows, its columns and its schema."""
    studio, words, name = studio_of(request), words_of(request), request.path_params["name"]
    studio.folder.existing(name)
    known = describe(studio.folder, name)
    if known is None:
        return see("/data/")
    shown = words("data.size", rows=known.n_rows, columns=len(known.columns))
    notes = f" {known.notes}." if known.notes else ""
    return page(
        request,
        "data",
        name,
        tag("p", f"{shown}.{notes}", class_="lead"),
        panel(words("data.rows"), words("data.rows_aside"), _blurred(words, name, known)),
        schema_editor(request, name, known),
        scripts=["schema.js"],
    )


def _blurred(words: Words, name: str, known: TableDescription) -> Markup:
    """Return a picture of the first rows without any of their cells, and the button that asks for them."""
    width = min(len(known.columns), 8)
    cell = tag("td", tag("span", "0000", class_="veil"))
    rows = [tag("tr", [cell] * width) for _ in range(min(len(known.first), 4))]
    picture = tag("table", tag("tbody", rows), aria_hidden="true", class_="veiled")
    asked = tag("button", words("data.show_rows"), data_load=f"/table/rows/{name}", data_into="rows", type="button")
    return tag("div", picture, asked, id="rows")


async def first_rows(request: Request) -> Response:
    """Return the first rows of a table, which its owner asked to see."""
    name, words = request.path_params["name"], words_of(request)
    known = describe(studio_of(request).folder, name)
    if known is None:
        raise InputError("the table has changed: read it again.")
    names = [column["name"] for column in known.columns]
    head = tag("tr", [tag("th", each, scope="col") for each in names])
    rows = [tag("tr", [tag("td", cell) for cell in row]) for row in known.first]
    grid = tag("table", tag("caption", words("data.first")), tag("thead", head), tag("tbody", rows))
    region = tag("div", grid, class_="scroll sample", tabindex="0", role="region", aria_label=words("data.rows"))
    return Response(region, media_type="text/html")


ROUTES = [Route("/{name}", table), Route("/rows/{name}", first_rows)]
