"""The desk as a web application: one route for terms, one for queries, two for its owner's eyes."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from tacit.errors import InputError, TacitError
from tacit.interfaces.desk.counter import BusyError, Counter
from tacit.interfaces.desk.door import Door
from tacit.interfaces.desk.page import page, state
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.desk import Desk, Query, Refusal
from tacit.situations.feedback.desk.parameters import decode_parameters, largest_body
from tacit.situations.feedback.desk.providers import Provider

# Seconds within which the whole body of a request must have arrived.
BODY_SECONDS = 10.0
TERMINAL = logging.getLogger("uvicorn.error")
STATUS = {Refusal.USED_UP: 403, Refusal.DESK_USED_UP: 403, Refusal.OTHER_BODY: 409}


class _TurnedAwayError(Exception):
    """An answer that is no score."""

    def __init__(self, status: int, words: str, **headers: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def make_app(
    desk: Desk, *, owner_key: str, ledger: Ledger | None = None, body_seconds: float = BODY_SECONDS
) -> FastAPI:
    """Return the application that serves ``desk``; ``owner_key`` opens the owner's page."""
    counter, door = Counter(desk), Door(desk.log, owner_key)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await counter.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.exception_handler(_TurnedAwayError)(_turn_away)
    app.exception_handler(TacitError)(_fail)
    _serve_providers(app, counter, door, body_seconds)
    _serve_owner(app, desk, door, None if ledger is None else ledger.left())
    return app


async def _turn_away(_: Request, problem: _TurnedAwayError) -> JSONResponse:
    return JSONResponse({"error": problem.words}, problem.status, problem.headers)


async def _fail(_: Request, problem: TacitError) -> JSONResponse:
    # The owner reads what went wrong on the terminal; a provider learns only that nothing was charged for it.
    TERMINAL.error("%s", problem)
    return JSONResponse({"error": "the desk cannot answer now; ask again with the same id."}, 503, {"Retry-After": "5"})


def _serve_providers(app: FastAPI, counter: Counter, door: Door, body_seconds: float) -> None:
    desk = counter.desk
    largest = largest_body(desk.terms.architecture)

    @app.get("/v1/desk")
    async def terms(request: Request) -> dict[str, Any]:
        return _offer(desk, _known(door, request))

    @app.post("/v1/queries/{name}")
    async def score(name: str, request: Request) -> dict[str, Any]:
        provider = _known(door, request)
        raw = await _body(request, largest, body_seconds)
        return await _scored(counter, provider, name, raw)


def _serve_owner(app: FastAPI, desk: Desk, door: Door, left: float | None) -> None:
    @app.get("/owner")
    async def owner_page() -> Response:
        return HTMLResponse(*page())

    @app.get("/owner/state")
    async def owner_state(request: Request, after: int = 0) -> dict[str, Any]:
        if not door.is_owner(request.headers.get("authorization")):
            raise _TurnedAwayError(401, "the owner's key is missing or wrong: open the address that the desk printed.")
        return state(desk, after=after, ledger_left=left)


def _known(door: Door, request: Request) -> Provider:
    provider = door.provider(request.headers.get("authorization"))
    if provider is None:
        raise _TurnedAwayError(401, "a valid token is needed: Authorization: Bearer TOKEN.", WWW_Authenticate="Bearer")
    return provider


def _offer(desk: Desk, provider: Provider) -> dict[str, Any]:
    with desk.log.reading() as view:
        used = view.used(provider.name)
    return {"terms": desk.terms.public(), "provider": provider.name, "queries_left": max(provider.queries - used, 0)}


async def _body(request: Request, largest: int, seconds: float) -> bytes:
    """Return the body; one that is too long or too slow is turned away without being kept."""
    too_long = _TurnedAwayError(413, f"the body must have at most {largest} bytes.", Connection="close")
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or len(declared) > 18 or int(declared) > largest:
        raise too_long
    raw = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                raw += piece
                if len(raw) > largest:
                    raise too_long
    except TimeoutError:
        raise _TurnedAwayError(408, f"the body must arrive within {seconds:g} seconds.", Connection="close") from None
    return bytes(raw)


async def _scored(counter: Counter, provider: Provider, name: str, raw: bytes) -> dict[str, Any]:
    architecture = counter.desk.terms.architecture
    try:
        query = Query(provider.name, name, hashlib.sha256(raw).hexdigest(), decode_parameters(raw, architecture))
    except InputError as problem:
        raise _TurnedAwayError(400, str(problem)) from problem
    try:
        outcome = await counter.ask(query)
    except BusyError:
        raise _TurnedAwayError(503, "the desk is busy; ask again with the same id.", Retry_After="1") from None
    if isinstance(outcome, Refusal):
        raise _TurnedAwayError(STATUS[outcome], f"{outcome.value}. Nothing was charged for it.")
    return {"id": name, "number": outcome.number, "score": outcome.score}
