"""The desk as a web application: routes for the providers' terms and queries, and for the owner's page."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from tacit.errors import InputError, TacitError
from tacit.interfaces.desk.authentication import Authenticator
from tacit.interfaces.desk.batching_queue import BatchingQueue, BusyError
from tacit.interfaces.desk.owner_page import owner_page, owner_state
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.desk import Desk, Refusal, ScoreQuery
from tacit.situations.feedback.desk.parameters import decode_parameters, largest_body
from tacit.situations.feedback.desk.providers import Provider

# Seconds within which the whole body of a request must have arrived.
BODY_SECONDS = 10.0
TERMINAL = logging.getLogger("uvicorn.error")
STATUS = {Refusal.USED_UP: 403, Refusal.DESK_USED_UP: 403, Refusal.OTHER_BODY: 409}


class _HttpError(Exception):
    """A response with an error status, a message and further headers."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def make_app(
    desk: Desk, *, owner_key: str, ledger: Ledger | None = None, body_seconds: float = BODY_SECONDS
) -> FastAPI:
    """Return the application that serves ``desk``; ``owner_key`` is the password of the owner's page."""
    queue, authenticator = BatchingQueue(desk), Authenticator(desk.log, owner_key)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await queue.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.exception_handler(_HttpError)(_error_response)
    app.exception_handler(TacitError)(_internal_error_response)
    app.exception_handler(Exception)(_internal_error_response)
    _add_provider_routes(app, queue, authenticator, body_seconds)
    _add_owner_routes(app, desk, authenticator, None if ledger is None else ledger.left())
    return app


async def _error_response(_: Request, problem: _HttpError) -> JSONResponse:
    return JSONResponse({"error": problem.message}, problem.status, problem.headers)


async def _internal_error_response(_: Request, problem: Exception) -> JSONResponse:
    # The owner reads what went wrong on the terminal; a provider learns only that nothing was charged for it, in the
    # same words whatever it was: an error may depend on a row.
    TERMINAL.error("%s", problem)
    return JSONResponse({"error": "the desk cannot answer now; ask again with the same id."}, 503, {"Retry-After": "5"})


def _add_provider_routes(app: FastAPI, queue: BatchingQueue, authenticator: Authenticator, body_seconds: float) -> None:
    desk = queue.desk
    largest = largest_body(desk.terms.architecture)

    @app.get("/v1/desk")
    async def terms(request: Request) -> dict[str, Any]:
        return _terms_for(desk, _authenticated(authenticator, request))

    @app.post("/v1/queries/{name}")
    async def score(name: str, request: Request) -> dict[str, Any]:
        provider = _authenticated(authenticator, request)
        raw = await _body(request, largest, body_seconds)
        return await _score(queue, provider, name, raw)


def _add_owner_routes(app: FastAPI, desk: Desk, authenticator: Authenticator, ledger_left: float | None) -> None:
    @app.get("/owner")
    async def page() -> Response:
        return HTMLResponse(*owner_page())

    @app.get("/owner/state")
    async def state(request: Request, after: int = 0) -> dict[str, Any]:
        if not authenticator.is_owner(request.headers.get("authorization")):
            raise _HttpError(401, "the owner's key is missing or wrong: open the address that the desk printed.")
        return owner_state(desk.log, desk.terms, after=after, ledger_left=ledger_left)


def _authenticated(authenticator: Authenticator, request: Request) -> Provider:
    """Return the provider of a request; one without a valid token gets status 401."""
    provider = authenticator.provider(request.headers.get("authorization"))
    if provider is None:
        raise _HttpError(401, "a valid token is needed: Authorization: Bearer TOKEN.", WWW_Authenticate="Bearer")
    return provider


def _terms_for(desk: Desk, provider: Provider) -> dict[str, Any]:
    with desk.log.reading() as transaction:
        used = transaction.used(provider.name)
    receipt = desk.receipt()
    return {
        "terms": desk.terms.public(),
        "provider": provider.name,
        "queries_left": max(provider.queries - used, 0),
        # To keep: it shows later whether the log was put back to an earlier moment.
        "receipt": None if receipt is None else str(receipt),
    }


async def _body(request: Request, largest: int, seconds: float) -> bytes:
    """Return the body; one that is too long or too slow is refused without being kept."""
    too_long = _HttpError(413, f"the body must have at most {largest} bytes.", Connection="close")
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
        raise _HttpError(408, f"the body must arrive within {seconds:g} seconds.", Connection="close") from None
    return bytes(raw)


async def _score(queue: BatchingQueue, provider: Provider, name: str, raw: bytes) -> dict[str, Any]:
    architecture = queue.desk.terms.architecture
    try:
        query = ScoreQuery(provider.name, name, hashlib.sha256(raw).hexdigest(), decode_parameters(raw, architecture))
    except InputError as problem:
        raise _HttpError(400, str(problem)) from problem
    try:
        outcome = await queue.ask(query)
    except BusyError:
        raise _HttpError(503, "the desk is busy; ask again with the same id.", Retry_After="1") from None
    if isinstance(outcome, Refusal):
        raise _HttpError(STATUS[outcome], f"{outcome.value}. Nothing was charged for it.")
    return {"id": name, "number": outcome.number, "score": outcome.score}
