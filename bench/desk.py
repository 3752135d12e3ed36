"""The owner's desk under load, next to evaluating the same candidates in-process.

``python bench/desk.py`` prints queries a second, the 50th and 99th percentile of the time that a client waits, and the
ratio to in-process evaluation, for a linear model of 1000 parameters on 10,000 rows. Server and in-process evaluation
run on one core each, the clients on another where there is one. Like ``tacit tune``, each client reads the terms before
its first query; waits are counted from there, since connecting is paid once a run.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
from threadpoolctl import threadpool_limits

from tacit.interfaces.desk.app import make_app
from tacit.interfaces.desk.client import DeskClient
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

ROWS, ARCHITECTURE = 10_000, Architecture("linear", 99, 10)
CLIENTS, EACH = 16, 200
CORES = sorted(os.sched_getaffinity(0))


def made_scorer() -> Scorer:
    """Return a scorer on made-up rows."""
    rng = np.random.default_rng(0)
    return Scorer(rng.random((ROWS, 99)), rng.integers(0, 10, ROWS), ARCHITECTURE, metric="accuracy")


def serve(name: str) -> None:
    """Serve a desk with noise until a signal comes."""
    folder = Path(name)
    ledger = Ledger.create(folder / "x.ledger", Budget(5, 1e-5, unit="record", relation="replace"))
    with DeskLog(folder / "x.desk").writing() as transaction:
        transaction.add(Provider("bench", token_digest("t"), 100_000))
    terms = DeskTerms(ARCHITECTURE, "accuracy", 3, 100_000, ROWS, epsilon=4.0, delta=1e-6)
    desk = Desk.open(made_scorer(), terms, folder / "x.desk", ledger=ledger)
    server = make_server(make_app(desk, owner_key="k"), host="127.0.0.1", port=0)
    run_server(server, lambda address: print(address, flush=True))


def waits(url: str, clients: int) -> tuple[float, list[float]]:
    """Return the seconds that all clients took together, and those that each query took."""
    bodies = [encode_parameters(each, ARCHITECTURE) for each in np.random.default_rng(1).normal(size=(8, 1000))]

    everybody = Barrier(clients)

    def ask(number: int) -> list[float]:
        client, taken = DeskClient(url, "t"), []
        client.fetch_terms()
        everybody.wait()
        for i in range(EACH):
            begun = time.perf_counter()
            client.score(f"{clients}-{number}-{i}", bodies[i % 8])
            taken.append(time.perf_counter() - begun)
        client.close()
        return taken

    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        found = [wait for mine in pool.map(ask, range(clients)) for wait in mine]
    return time.perf_counter() - begun, found


def in_process() -> float:
    """Return the seconds that one evaluation takes in-process, candidate by candidate."""
    scorer, candidates = made_scorer(), np.random.default_rng(1).normal(size=(200, 1000))
    scorer(candidates[:10])
    begun = time.perf_counter()
    for each in candidates:
        scorer(each[None])
    return (time.perf_counter() - begun) / len(candidates)


def main() -> None:
    """Print the figures."""
    print(f"load of the machine before the run: {os.getloadavg()[0]:.1f} on {len(CORES)} cores")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "serve", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            os.sched_setaffinity(0, CORES[-1:])
            alone = in_process()
            for clients in (1, CLIENTS):
                elapsed, found = waits(url, clients)
                each = elapsed / len(found)
                half, most = 1e3 * np.quantile(found, 0.5), 1e3 * np.quantile(found, 0.99)
                print(
                    f"{clients:2d} clients   {len(found) / elapsed:6.0f} queries/s   p50 {half:6.1f} ms   "
                    f"p99 {most:6.1f} ms   in-process {1e3 * alone:.2f} ms a query, "
                    f"at the desk {1e3 * each:.2f} ms: {each / alone:.2f} times"
                )
            server.send_signal(2)
            cpu = os.wait4(server.pid, 0)[2]
            used = cpu.ru_utime + cpu.ru_stime
            print(f"the server used {used:.1f} s of its core for {(CLIENTS + 1) * EACH} queries, start included")


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        if sys.argv[1:2] == ["serve"]:
            os.sched_setaffinity(0, CORES[:1])
            serve(sys.argv[2])
        else:
            main()
