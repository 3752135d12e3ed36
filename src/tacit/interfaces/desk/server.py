"""An application on a socket: uvicorn with deadlines for the head of each request, against idle connections."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tacit.errors import InputError

# Seconds from a connection, or from an answer, to a complete next head of a request.
HEAD_SECONDS = 10.0
IDLE_SECONDS = 8
MOST_CONNECTIONS = 1024
LARGEST_HEAD = 16 * 1024


@dataclass(frozen=True)
class Certificate:
    """The files (PEM) of a TLS certificate and of its private key."""

    chain: Path
    key: Path


class PromptProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection if the head of its next request is not complete in time.

    uvicorn's own timer stops at the first byte of a request: a client that sends a byte now and then would stay.
    """

    head_seconds = HEAD_SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Start the deadline of the first request."""
        super().connection_made(transport)
        self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._cancel_deadline()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Start the deadline of the next request; a body that is still arriving is not waited for either."""
        super().on_response_complete()
        self._start_deadline()

    def _start_deadline(self) -> None:
        self._cancel_deadline()
        self._deadline = self.loop.call_later(self.head_seconds, self._close_if_idle)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _close_if_idle(self) -> None:
        # A request whose head is complete is the application's, which has a deadline for the body.
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete:
            self.transport.close()


def make_server(
    app: ASGIApp,
    *,
    host: str,
    port: int,
    head_seconds: float = HEAD_SECONDS,
    certificate: Certificate | None = None,
) -> uvicorn.Server:
    """Return a server that is ready to run, over TLS with a ``certificate``; port 0 takes any free one."""
    protocol = type("Protocol", (PromptProtocol,), {"head_seconds": head_seconds})
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="warning",
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        ssl_certfile=None if certificate is None else certificate.chain,
        ssl_keyfile=None if certificate is None else certificate.key,
    )
    return uvicorn.Server(config)


def run_server(server: uvicorn.Server, on_open: Callable[[str], None]) -> None:
    """Listen until a signal ends it; ``on_open`` is called with the address once requests are accepted."""
    host, port = server.config.host, server.config.port
    with _listening(host, port) as listener, suppress(KeyboardInterrupt):
        url_host = f"[{host}]" if ":" in host else host
        scheme = "https" if server.config.is_ssl else "http"
        address = f"{scheme}://{url_host}:{listener.getsockname()[1]}"
        asyncio.run(_serve(server, listener, lambda: on_open(address)))


async def _serve(server: uvicorn.Server, listener: socket.socket, on_open: Callable[[], None]) -> None:
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not (server.started or serving.done()):
        await asyncio.sleep(0.01)
    if server.started:
        on_open()
    await serving


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, since asyncio sends small answers at once only on sockets that name it.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(MOST_CONNECTIONS)
    except OSError as problem:
        listener.close()
        raise InputError(
            f"host and port must be free to listen on; {host}:{port} is not: {problem.strerror}."
        ) from problem
    return listener
