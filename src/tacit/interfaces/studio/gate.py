"""What every request passes before a page: the Host header, the session, the origin of changes, and safe headers."""

from collections.abc import Collection
from http.cookies import SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacit.interfaces.studio.access import Access

COOKIE = "tacit-studio"
# Nothing inline runs, nothing comes from elsewhere, and nobody else frames a page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # "no-referrer" would make browsers send the origin of forms as null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Reached without a session: the way in, and files that hold no data.
_OPEN = ("/enter", "/static/")
# Asked by a page by itself: does not keep a session from locking.
PASSIVE = "/state"
_SAFE = ("GET", "HEAD")


class Gate:
    """Middleware that lets through what the studio's own pages ask, and nothing else."""

    def __init__(self, app: ASGIApp, access: Access, hosts: Collection[str]) -> None:
        self._app, self._access, self._hosts = app, access, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._refusal(scope) or self._app
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers, path = Headers(scope=scope), scope["path"]
        # A page of another name that was made to lead here (DNS rebinding) says that name.
        if headers.get("host", "") not in self._names(scope):
            return PlainTextResponse("this is not a name of the studio.", 421)
        if scope["method"] not in _SAFE and headers.get("origin") != self._origin(scope, headers["host"]):
            return PlainTextResponse("only pages of the studio may change something.", 403)
        if path.startswith(_OPEN):
            return None
        if not self._access.is_open(session_key(headers), by_user=not path.endswith(PASSIVE)):
            passive = path.endswith(PASSIVE) or scope["method"] not in _SAFE
            return PlainTextResponse("locked", 401) if passive else RedirectResponse("/enter", 303)
        return None

    def _names(self, scope: Scope) -> set[str]:
        port, usual = scope["server"][1], {"http": 80, "https": 443}[scope["scheme"]]
        with_port = {f"{host}:{port}" for host in self._hosts}
        return with_port | self._hosts if port == usual else with_port

    @staticmethod
    def _origin(scope: Scope, host: str) -> str:
        return f"{scope['scheme']}://{host}"


def session_key(headers: Headers) -> str:
    """Return the session's key in the cookie of a request, "" if there is none."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except ValueError:
        return ""
    return "" if cookie is None else cookie.value


def _with_headers(send: Send) -> Send:
    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return add
