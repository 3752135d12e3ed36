"""The studio as a web application: the way in, static files, downloads, and pages that are loaded when asked for."""

import asyncio
import importlib
import logging
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from tacit.errors import TacitError
from tacit.interfaces.studio.bodies import read_form
from tacit.interfaces.studio.frame import LANGUAGE, error_page, see, studio_of, whole, words_of
from tacit.interfaces.studio.gate import COOKIE, LOOPBACK, Gate, session_key
from tacit.interfaces.studio.state import Studio
from tacit.interfaces.studio.strings import LANGUAGES
from tacit.interfaces.studio.uploads import upload
from tacit.pages.markup import Markup, joined, tag

TERMINAL = logging.getLogger("uvicorn.error")
YEAR = 365 * 24 * 3600
_TYPES = {".css": "text/css", ".js": "text/javascript"}
# A module for each page; loaded when it is first asked for, so that the first page is there at once.
ROOMS = ("data", "table", "schema", "jobs", "ledger", "release", "review", "adopt", "desk")


def make_app(studio: Studio, *, hosts: Collection[str] = LOOPBACK) -> ASGIApp:
    """Return the application; ``hosts`` are the names by which it may be asked."""
    routes = [
        Route("/", lambda _: see("/data/")),
        Route("/enter", enter),
        Route("/enter", log_in, methods=["POST"]),
        Route("/enter/again", announce, methods=["POST"]),
        Route("/lock", lock, methods=["POST"]),
        Route("/language", choose_language),
        Route("/static/{name}", static),
        Route("/upload", upload, methods=["PUT"]),
        Route("/files/{name}", download),
        *(Mount(f"/{room}", LazyPage(f"{__package__}.{room}_page")) for room in ROOMS),
    ]
    handlers = {TacitError: _refused, HTTPException: _http_problem, Exception: _unforeseen}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.studio = studio
    return Gate(app, studio.access, hosts)


class LazyPage:
    """The routes of a page's module, which is imported when it is first asked for."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._router: Router | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the page."""
        if self._router is None:
            module = await asyncio.to_thread(importlib.import_module, self._module)
            self._router = Router(module.ROUTES)
        await self._router(scope, receive, send)


def load_pages() -> None:
    """Import every page, so that none is waited for later."""
    for room in ROOMS:
        importlib.import_module(f"{__package__}.{room}_page")


async def enter(request: Request) -> Response:
    """Exchange a token for a session, or say how to get one."""
    token = request.query_params.get("token")
    if token is not None:
        key = studio_of(request).access.enter(token)
        if key is not None:
            return _entered(request, key)
    return _way_in(request, wrong=token is not None)


async def log_in(request: Request) -> Response:
    """Exchange the password for a session."""
    form = await read_form(request)
    key = await asyncio.to_thread(studio_of(request).access.log_in, form.text("password"))
    if key is None:
        await asyncio.sleep(1)
        return _way_in(request, wrong=True)
    return _entered(request, key)


async def announce(request: Request) -> Response:
    """Have a new address printed on the terminal."""
    access = studio_of(request).access
    if access.password is None:
        access.announce_token()
    return see("/enter")


def _entered(request: Request, key: str) -> Response:
    # A page that leads on by itself: a strict cookie is not sent along a redirect that began elsewhere.
    words = words_of(request)
    link = tag("a", words("enter.on"), href="/data/")
    head = tag("meta", http_equiv="refresh", content="0;url=/data/")
    response = whole(words, words("enter.title"), tag("main", tag("p", link), class_="alone"), head=head)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, key, httponly=True, samesite="strict", secure=secure, path="/")
    return response


def _way_in(request: Request, *, wrong: bool) -> HTMLResponse:
    words = words_of(request)
    shown = tag("p", words("enter.wrong"), class_="warning", role="alert") if wrong else None
    ways = _password_form(request) if studio_of(request).access.password else _token_form(request)
    body = tag("main", tag("h1", words("enter.title")), shown, ways, class_="alone")
    return whole(words, words("enter.title"), body, status=403 if wrong else 401)


def _password_form(request: Request) -> Markup:
    words = words_of(request)
    field = tag("input", type="password", name_="password", id="password", autocomplete="current-password", required="")
    label = tag("label", words("enter.password"), for_="password")
    return tag("form", label, field, tag("button", words("enter.open")), method="post", action="/enter")


def _token_form(request: Request) -> Markup:
    words = words_of(request)
    button = tag("form", tag("button", words("enter.again")), method="post", action="/enter/again")
    return joined(tag("p", words("enter.how")), button)


async def lock(request: Request) -> Response:
    """End the session."""
    studio_of(request).access.lock(session_key(request.headers))
    return see("/enter")


async def choose_language(request: Request) -> Response:
    """Remember a language, and go back."""
    wish, back = request.query_params.get("to", ""), request.query_params.get("back", "/")
    response = see(back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/")
    if wish in LANGUAGES:
        response.set_cookie(LANGUAGE, wish, max_age=YEAR, samesite="strict", httponly=True)
    return response


async def static(request: Request) -> Response:
    """Return a style or script of the package."""
    name = request.path_params["name"]
    room = files("tacit.pages") if name == "page.css" else files(__package__) / "static"
    known = {"page.css", *(each.name for each in (files(__package__) / "static").iterdir())}
    if name not in known:
        raise HTTPException(404)
    media = _TYPES[Path(name).suffix]
    return Response((room / name).read_bytes(), media_type=media, headers={"Cache-Control": "no-cache"})


async def download(request: Request) -> Response:
    """Return a file of the folder, to be saved."""
    path = studio_of(request).folder.existing(request.path_params["name"])
    return FileResponse(path, filename=path.name, media_type="application/octet-stream")


async def _refused(request: Request, problem: Exception) -> Response:
    if request.method == "PUT" or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": str(problem)}, 400)
    return error_page(request, str(problem))


async def _http_problem(request: Request, problem: Exception) -> Response:
    status = problem.status_code if isinstance(problem, HTTPException) else 500
    detail = problem.detail if isinstance(problem, HTTPException) else ""
    headers = problem.headers if isinstance(problem, HTTPException) else None
    if request.method == "PUT":
        return JSONResponse({"error": detail}, status, headers)
    if status == 404:
        return error_page(request, words_of(request)("frame.nothing"), status=404)
    return PlainTextResponse(detail, status, headers)


async def _unforeseen(request: Request, problem: Exception) -> Response:
    TERMINAL.error("%s", type(problem).__name__, exc_info=problem)
    return error_page(request, words_of(request)("frame.unforeseen"), status=500)
