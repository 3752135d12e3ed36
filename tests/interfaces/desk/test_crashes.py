"""A desk killed under load: no answer without a charge, no charge lost or doubled, and a clean start every time.

A process that has imported everything forks one server after the other: ``python FILE servers FOLDER``.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.interfaces.desk.app import make_app
from tacit.interfaces.desk.client import DeskClient
from tacit.interfaces.desk.server import make_server, run_server
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk
from tacit.situations.feedback.desk.log import DeskLog, Entry
from tacit.situations.feedback.desk.parameters import encode_parameters
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

ARCHITECTURE = Architecture("linear", 3, 1)
CLIENTS = 6
SHARE = 100_000


def make_files(folder: Path) -> None:
    Ledger.create(folder / "x.ledger", Budget(50, 1e-5, unit="record", relation="replace"))
    with DeskLog(folder / "x.desk").writing() as transaction:
        for number in range(CLIENTS):
            transaction.add(Provider(f"p{number}", token_digest(f"token-{number}"), SHARE))


def serve(folder: Path, port: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200, 3))
    y = (X.sum(axis=1) > 1.5).astype(np.int64)
    terms = DeskTerms(ARCHITECTURE, "accuracy", 6, SHARE * CLIENTS, 200, epsilon=40.0, delta=1e-6)
    ledger = Ledger(folder / "x.ledger")
    desk = Desk.open(Scorer(X, y, ARCHITECTURE, metric="accuracy"), terms, folder / "x.desk", ledger=ledger)
    server = make_server(make_app(desk, owner_key="k"), host="127.0.0.1", port=port)
    run_server(server, lambda address: print(address, flush=True))


def servers(name: str) -> None:
    """Fork a server for each line read, which is a port, and print its process and then its address."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            print(os.getpid(), flush=True)
            serve(Path(name), int(line))
            os._exit(0)
        os.waitpid(child, 0)
        print("ended", flush=True)


def free_port() -> int:
    """Return a port that no client is given for its own end: one of those could take it while the desk is down."""
    first = 20_000 + os.getpid() % 10_000
    for port in range(first, first + 500):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


class Servers:
    """One server after the other, on the same port."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, __file__, "servers", str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port, self.child = free_port(), 0

    def start(self) -> None:
        self._write(str(self.port))
        self.child = int(self._read())
        address = self._read()
        assert address.startswith("http://"), "the desk did not start cleanly"

    def kill(self) -> None:
        os.kill(self.child, signal.SIGKILL)
        assert self._read() == "ended"

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def _write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


class Load:
    """Clients that ask without end, each remembering every answer that it got."""

    def __init__(self, port: int) -> None:
        self.answers: list[dict[str, float]] = [{} for _ in range(CLIENTS)]
        self.problems: list[str] = []
        self._port, self._stop = port, threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        client = DeskClient(f"http://127.0.0.1:{self._port}", f"token-{number}", patience=120)
        body = encode_parameters(np.array([1.0, 1.0, 1.0, -1.5]), ARCHITECTURE)
        while not self._stop.is_set():
            name = f"q{len(self.answers[number])}"
            try:
                self.answers[number][name] = client.score(name, body)
            except TacitError as problem:
                self.problems.append(str(problem))
                break
        client.close()


@contextmanager
def loaded(folder: Path) -> Iterator[tuple[Servers, Load]]:
    make_files(folder)
    forks = Servers(folder)
    forks.start()
    load = Load(forks.port)
    try:
        yield forks, load
    finally:
        load.stop()
        forks.kill()
        forks.close()


def require_sound(folder: Path, load: Load) -> list[Entry]:
    """Check that what the clients heard is what was charged, once each; return the log."""
    with DeskLog(folder / "x.desk").reading() as transaction:
        entries = transaction.verify()
    charged = {(each.provider, each.query): each.score for each in entries}
    assert len(charged) == len(entries)
    heard = {(f"p{n}", name): score for n, mine in enumerate(load.answers) for name, score in list(mine.items())}
    assert heard.items() <= charged.items(), "an answer without its charge, or another than was written down"
    # A client asks one query at a time: at most its last may be charged and not yet heard.
    assert len(charged) - len(heard) <= CLIENTS
    assert len(Ledger(folder / "x.ledger").verify()) == 1
    return entries


def kill_under_load(folder: Path, times: int) -> None:
    moments = random.Random(3)
    with loaded(folder) as (forks, load):
        for _ in range(times):
            time.sleep(moments.uniform(0, 0.3))
            forks.kill()
            forks.start()
        time.sleep(1.0)
        # Whoever lost an answer gets it, from the last start of the desk.
        load.stop()
        assert load.problems == []
        entries = require_sound(folder, load)
        assert len(entries) == sum(len(mine) for mine in load.answers)
        assert all(load.answers), "every client was answered"


def test_a_desk_killed_under_load_loses_and_doubles_nothing(tmp_path: Path) -> None:
    kill_under_load(tmp_path, 4)


@pytest.mark.slow
def test_a_desk_killed_fifty_times_under_load_loses_and_doubles_nothing(tmp_path: Path) -> None:
    kill_under_load(tmp_path, 50)


if __name__ == "__main__":
    {"servers": servers}[sys.argv[1]](sys.argv[2])
