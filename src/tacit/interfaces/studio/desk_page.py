"""The desk page: what the owner's desk answers, watched while it is open, or read from its log afterwards."""

import asyncio

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tacit.errors import InputError
from tacit.interfaces.desk.owner_page import owner_page, owner_state
from tacit.interfaces.studio.folder import DESKS
from tacit.interfaces.studio.frame import page, panel, room_page, studio_of, words_of
from tacit.pages.markup import tag
from tacit.situations.feedback.desk.log import DeskLog


async def overview(request: Request) -> Response:
    """Return the desks of the folder."""
    words, names = words_of(request), studio_of(request).folder.names(DESKS)
    lines = [tag("li", tag("a", name, href=f"/desk/show/{name}", class_="name")) for name in names]
    listed = tag("ul", lines, class_="files") if names else tag("p", words("desk.none"), class_="empty")
    example = "tacit desk serve patients.csv -s patients.toml -m linear --epsilon 4 --ledger patients.ledger"
    return room_page(
        request,
        "desk",
        panel(words("desk.desks"), words("desk.desks_aside"), listed),
        panel(words("desk.open"), words("desk.open_aside"), tag("p", tag("code", example))),
    )


async def show(request: Request) -> Response:
    """Return the watching page of one desk, as a part of the studio."""
    name, words = request.path_params["name"], words_of(request)
    studio_of(request).folder.existing(name)
    # The page wants a key behind its address; here the session is what opens it.
    frame = tag("iframe", src=f"/desk/watch/{name}/owner#session", title=words("desk.watch"), class_="watch")
    return page(request, "desk", name, frame)


async def watch(_: Request) -> Response:
    """Return the desk's own page, to be shown in a frame of the studio."""
    return HTMLResponse(*owner_page("'self'"))


async def state(request: Request) -> Response:
    """Return what the page shows, from the log of the desk."""
    path = studio_of(request).folder.existing(request.path_params["name"])
    after = request.query_params.get("after", "0")
    if not path.name.endswith(DESKS) or not after.isdecimal():
        raise InputError(f"{path.name} is no log of a desk.")
    return JSONResponse(await asyncio.to_thread(_state, DeskLog(path), int(after)))


def _state(log: DeskLog, after: int) -> dict[str, object]:
    with log.reading() as view:
        opened = view.opened()
    if opened is None:
        raise InputError("this desk was never opened.")
    return owner_state(log, opened[1], after=after, ledger_left=None)


ROUTES = [
    Route("/", overview),
    Route("/show/{name}", show),
    Route("/watch/{name}/owner", watch),
    Route("/watch/{name}/owner/state", state),
]
