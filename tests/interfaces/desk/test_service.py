"""The desk over a real socket: who gets in, what gets through, and what a crowd or an attacker can do.

The server is a process of its own: ``python FILE serve FOLDER``.
"""

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from tacit.errors import InputError, LedgerTamperedError
from tacit.files.hash_chain import Receipt
from tacit.interfaces.desk.app import make_app
from tacit.interfaces.desk.client import DeskClient, is_exposed
from tacit.interfaces.desk.server import make_server, run_server
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.parameters import encode_parameters
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

ARCHITECTURE = Architecture("linear", 4, 1)
TOKENS = {"ann": "token-of-ann", "ben": "token-of-ben", "crowd": "token-of-the-crowd"}
SHARES = {"ann": 200, "ben": 3, "crowd": 640}
OWNER = "key-of-the-owner"
HEAD_SECONDS = BODY_SECONDS = 1.0


def serve(name: str) -> None:
    folder, rng = Path(name), np.random.default_rng(0)
    X = rng.random((300, 4))
    y = (X.sum(axis=1) > 2).astype(np.int64)
    ledger = Ledger.create(folder / "x.ledger", Budget(50, 1e-5, unit="record", relation="replace"))
    with DeskLog(folder / "x.desk").writing() as transaction:
        for who, queries in SHARES.items():
            transaction.add(Provider(who, token_digest(TOKENS[who]), queries))
    terms = DeskTerms(ARCHITECTURE, "accuracy", 3, 1000, 300, epsilon=40.0, delta=1e-6)
    desk = Desk.open(Scorer(X, y, ARCHITECTURE, metric="accuracy"), terms, folder / "x.desk", ledger=ledger)
    app = make_app(desk, owner_key=OWNER, ledger=ledger, body_seconds=BODY_SECONDS)
    server = make_server(app, host="127.0.0.1", port=0, head_seconds=HEAD_SECONDS)
    run_server(server, lambda address: print(address, flush=True))


class Served:
    """A desk in another process."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-W", "error", __file__, "serve", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rsplit(":", 1)[1])
        self.log = DeskLog(folder / "x.desk")

    def used(self, provider: str | None = None) -> int:
        with self.log.reading() as transaction:
            return transaction.used(provider)

    def ask(
        self, path: str, body: bytes | None = None, token: str | None = TOKENS["ann"], **headers: str
    ) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        connection.close()
        return answer.status, content


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("desk"))
    yield served
    served.process.send_signal(2)
    assert served.process.wait(30) == 0
    assert served.process.stdout is not None
    served.process.stdout.close()


def body(seed: int = 0) -> bytes:
    return encode_parameters(np.random.default_rng(seed).normal(size=5), ARCHITECTURE)


def test_a_provider_is_told_the_terms_and_nothing_about_the_rows(desk: Served) -> None:
    status, offer = desk.ask("/v1/desk")
    assert status == 200
    assert offer["provider"] == "ann"
    assert offer["terms"]["architecture"] == ARCHITECTURE.to_dict()
    assert "rows" not in offer["terms"]


def test_a_provider_gets_a_receipt_of_the_log_to_keep(desk: Served) -> None:
    assert desk.ask("/v1/queries/receipt", body(7))[0] == 200
    receipt = Receipt.parse(desk.ask("/v1/desk")[1]["receipt"])
    assert receipt.line == desk.used()
    with desk.log.reading() as transaction:
        transaction.require_receipt(receipt)
        with pytest.raises(LedgerTamperedError):
            transaction.require_receipt(Receipt(receipt.line, "0" * 64))


def test_without_the_right_token_nothing_is_answered_or_charged(desk: Served) -> None:
    before = desk.used()
    for token in (None, "", "wrong", TOKENS["ann"][:-1], TOKENS["ann"] + "x", OWNER, "x" * 5000, token_digest("ann")):
        assert desk.ask("/v1/desk", token=token)[0] == 401
        assert desk.ask("/v1/queries/a", body(), token=token)[0] == 401
    assert desk.ask("/v1/desk", token=None, Authorization=f"Basic {TOKENS['ann']}")[0] == 401
    for token in (None, "wrong", TOKENS["ann"]):
        assert desk.ask("/owner/state", token=token)[0] == 401
    assert desk.ask("/owner/state", token=OWNER)[0] == 200
    assert desk.used() == before


def test_a_replayed_id_gets_the_same_answer_for_nothing(desk: Served) -> None:
    first = desk.ask("/v1/queries/replay", body())
    used = desk.used()
    assert first[0] == 200
    assert [desk.ask("/v1/queries/replay", body()) for _ in range(3)] == [first] * 3
    assert desk.ask("/v1/queries/replay", body(1))[0] == 409
    assert desk.used() == used
    # The same id is another query when another provider asks it.
    assert desk.ask("/v1/queries/replay", body(), token=TOKENS["ben"])[0] == 200


def test_a_provider_who_has_used_all_cannot_use_anothers(desk: Served) -> None:
    outcomes = [desk.ask(f"/v1/queries/b{i}", body(), token=TOKENS["ben"]) for i in range(5)]
    assert outcomes[-1][0] == 403
    assert "used up" in outcomes[-1][1]["error"]
    assert desk.used("ben") == SHARES["ben"]
    assert desk.ask("/v1/queries/still", body())[0] == 200


def test_bodies_that_are_no_candidates_are_refused_and_cost_nothing(desk: Served) -> None:
    before = desk.used()
    for number in (np.nan, np.inf, 1e300):
        arrays = {"weight": np.full((1, 4), number), "bias": np.zeros(1)}
        assert desk.ask("/v1/queries/x", safetensors.numpy.save(arrays))[0] == 400
    for broken in (b"", b"x", body()[:-1], body()[8:], b"\x80\x04\x95."):
        assert desk.ask("/v1/queries/x", broken)[0] == 400
    for name in ("a%20b", "%2e%2e%2fx", "a" * 101, "%00"):
        assert desk.ask(f"/v1/queries/{name}", body())[0] in {400, 404}
    assert desk.ask("/v1/queries/x", body() + bytes(10))[0] == 413
    assert talk(desk, [post(f"Content-Length: {1 << 22}"), bytes(1 << 22)])[:12] in {b"HTTP/1.1 413", b"closed", b""}
    assert desk.used() == before


def talk(desk: Served, pieces: list[bytes], *, pause: float = 0.0) -> bytes:
    """Send pieces over a raw connection and return all that comes back until it is closed."""
    with socket.create_connection(("127.0.0.1", desk.port), timeout=20) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(pause)
        except (BrokenPipeError, ConnectionResetError):
            return b"closed"
        received = b""
        try:
            while part := connection.recv(65536):
                received += part
        except ConnectionResetError:
            pass
        return received


def post(length: str) -> bytes:
    head = ("POST /v1/queries/raw HTTP/1.1", "Host: x", f"Authorization: Bearer {TOKENS['ann']}", length)
    return ("\r\n".join(head) + "\r\n\r\n").encode()


def test_lengths_that_lie_and_bodies_without_end_are_cut_off(desk: Served) -> None:
    before = desk.used()
    for lie in ("Content-Length: 99999999999999999999", "Content-Length: 4000000000", "Content-Length: -1"):
        assert talk(desk, [post(lie)]).split()[1] in {b"400", b"413"}
    endless = [post("Transfer-Encoding: chunked"), *([b"1000\r\n" + bytes(4096) + b"\r\n"] * 50)]
    # A connection that is closed while the client still sends may lose the words of the refusal.
    assert talk(desk, endless)[:12] in {b"HTTP/1.1 413", b"closed", b""}
    assert talk(desk, [b"GET / HTTP/1.1\r\nX: " + b"a" * 40_000])[:12] in {b"HTTP/1.1 400", b"closed", b""}
    assert talk(desk, [b"\x16\x03\x01 nonsense\r\n\r\n"]).split()[1] == b"400"
    assert desk.used() == before


def test_a_slow_head_or_body_is_not_waited_for_while_others_are_served(desk: Served) -> None:
    """Each slow client sends a byte at a time, for longer than a deadline in all, and never ends."""
    ended: list[bytes] = []
    heads = [b"GET /v1/desk HTTP/1.1\r\nX: ", *([b"a"] * 200)]
    bodies = [post("Content-Length: 150"), *([b"a"] * 100)]
    begun = time.monotonic()
    slow = [
        threading.Thread(target=lambda pieces=pieces: ended.append(talk(desk, pieces, pause=0.1)))
        for pieces in [heads] * 40 + [bodies] * 10
    ]
    for thread in slow:
        thread.start()
    served = [desk.ask(f"/v1/queries/amid-{i}", body())[0] for i in range(5)]
    for thread in slow:
        thread.join()
    assert served == [200] * 5
    assert len(ended) == 50
    # The pieces alone take 10 to 20 seconds: everyone was cut off long before.
    assert time.monotonic() - begun < 9


def test_a_connection_that_sends_a_byte_after_an_answer_is_closed_too(desk: Served) -> None:
    whole = f"GET /v1/desk HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKENS['ann']}\r\n\r\n".encode()
    begun = time.monotonic()
    assert talk(desk, [whole, b"G"]).startswith(b"HTTP/1.1 200")
    assert time.monotonic() - begun < 9


def test_64_clients_at_once_each_get_their_own_answers(desk: Served) -> None:
    def client(number: int) -> list[tuple[int, int]]:
        asked = DeskClient(desk.url, TOKENS["crowd"])
        names = [f"c{number}-{i}" for i in range(10)]
        first = [asked.score(name, body(number)) for name in names]
        assert [asked.score(name, body(number)) for name in names] == first
        asked.close()
        return [(number, i) for i in range(10)]

    with ThreadPoolExecutor(64) as pool:
        done = [pair for pairs in pool.map(client, range(64)) for pair in pairs]
    assert len(done) == 640
    assert desk.used("crowd") == 640
    with desk.log.reading() as transaction:
        assert len(transaction.verify()) == transaction.used()


def test_the_client_says_why_it_was_refused(desk: Served) -> None:
    with pytest.raises(InputError, match=r"refuses \(401\): a valid token"):
        DeskClient(desk.url, "wrong").fetch_terms()
    with pytest.raises(InputError, match="address such as"):
        DeskClient("desk.example", "x")
    assert is_exposed("http://desk.example") != is_exposed("https://desk.example")


def away() -> tuple[int, threading.Thread]:
    """Listen on a port that dies amid its answer, is busy, hangs up, is busy again, and then answers."""
    listener = socket.create_server(("127.0.0.1", 0))
    cut = b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"sco'
    busy = b"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 2\r\n\r\n{}"
    fine = b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"score": 0.5}'
    answers = [cut, busy, b"", busy, fine]

    def work() -> None:
        with listener:
            for answer in answers:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

    thread = threading.Thread(target=work)
    thread.start()
    return int(listener.getsockname()[1]), thread


def test_the_client_comes_back_politely_until_it_is_answered() -> None:
    port, thread = away()
    waits: list[float] = []
    client = DeskClient(f"http://127.0.0.1:{port}", "t", on_wait=lambda _, seconds: waits.append(seconds))
    assert client.score("a", b"x") == 0.5
    client.close()
    thread.join()
    assert len(waits) == 4
    assert all(second > 0.9 * first for first, second in zip(waits, waits[2:], strict=False))


def test_the_client_gives_up_when_nobody_comes_back() -> None:
    client = DeskClient("http://127.0.0.1:9", "t", patience=0.5)
    with pytest.raises(InputError, match=r"no answer for 0.5 seconds"):
        client.fetch_terms()


if __name__ == "__main__":
    functions: dict[str, Callable[[str], None]] = {"serve": serve}
    functions[sys.argv[1]](sys.argv[2])
