"""The app under Flower itself: `flwr run` in a simulation, and on a SuperLink with SuperNodes on loopback."""

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tacit.privacy.ledger import Ledger

BIN = Path(sys.executable).parent
EXAMPLE = Path(__file__).parents[3] / "examples" / "federated"
PATIENCE = 240
# How long nodes may take to answer: the second, if a busy machine made even the healthy ones late.
ANSWER_SECONDS = (30, 120)
FINE = ["clinic 0", "clinic 1", "clinic 2"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to end what Flower leaves running"),
    pytest.mark.skipif(
        importlib.util.find_spec("flwr") is None, reason="needs flwr: pip install 'tacit-knowledge[federated]'"
    ),
]

# Found on the PATH instead of Flower's own commands: hands its arguments over and ends.
COMMAND = """#!{python} -IS
import json, socket, sys
with socket.create_connection(("127.0.0.1", {port})) as place:
    place.sendall(json.dumps(sys.argv).encode())
"""

# A node's app that answers wrongly if its folder says so; the aggregator's app is the real one.
FAULTY = """
import time
import numpy as np
from flwr.app import Message
from flwr.clientapp import ClientApp
from tacit.interfaces.flower import client, messages

app = ClientApp()

@app.query("statistics")
def statistics(message, context):
    return Message(client.replied_content(message, context, client.statistics), reply_to=message)

@app.query("distances")
def distances(message, context):
    content = client.replied_content(message, context, client.distances)
    fault = client.party_folder_of(context).folder / "fault"
    if fault.exists():
        arrays, _ = messages.unpack(content)
        fault = fault.read_text()
        if fault == "sleep":
            time.sleep(600)
        change = {"nan": lambda d: d * np.nan, "shape": lambda d: d[:-1, :-1]}[fault]
        content = messages.answer({**arrays, "distances": change(arrays["distances"])})
    return Message(content, reply_to=message)
"""


class Flower:
    """Flower's commands with a home of their own, cut off from package indexes, and every process ended at the end."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.port = free_port()
        self.env = os.environ | {
            "FLWR_HOME": str(folder / "flower"),
            "FLWR_TELEMETRY_ENABLED": "0",
            "FLWR_DISABLE_UPDATE_CHECK": "1",
            "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
            "RAY_USAGE_STATS_ENABLED": "0",
            "PIP_INDEX_URL": "http://127.0.0.1:9",  # whoever tries to install something fails
            "UV_OFFLINE": "1",
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        (folder / "flower").mkdir()
        connection = f'[superlink]\ndefault = "test"\n[superlink.test]\naddress = "127.0.0.1:{self.port}"\n'
        (folder / "flower" / "config.toml").write_text(connection + "insecure = true\n")

    def start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = self._stack.enter_context((self.folder / f"{name}.log").open("wb"))
        process = subprocess.Popen(
            [BIN / arguments[0], *arguments[1:]], env=self.env, stdout=log, stderr=log, start_new_session=True
        )
        self._stack.callback(process.wait, timeout=30)
        return process

    def superlink(self, *extra: str) -> None:
        self.start("superlink", "flower-superlink", "--insecure", "--host=127.0.0.1", f"--port={self.port}", *extra)
        wait_for(lambda: reachable(self.port), "the SuperLink listens")

    def warm_apps(self, *modules: str) -> None:
        """Let apps run in forks of a process that has imported their ``modules``: see warm_apps.py."""
        port, commands = free_port(), self.folder / "commands"
        commands.mkdir()
        for name in ("flwr-clientapp", "flwr-serverapp"):
            (commands / name).write_text(COMMAND.format(python=sys.executable, port=port))
            (commands / name).chmod(0o755)
        self.env["PATH"] = f"{commands}{os.pathsep}{self.env['PATH']}"
        self.start("warm-apps", "python", str(Path(__file__).with_name("warm_apps.py")), str(port), *modules)
        wait_for(lambda: reachable(port), "the apps' process has imported everything")

    def supernode(self, home: Path) -> subprocess.Popen[bytes]:
        place = f"--superlink=127.0.0.1:{self.port}"
        config = f'--node-config=home="{home}"'
        return self.start(home.name, "flower-supernode", "--insecure", place, f"--port={free_port()}", config)

    def online(self) -> int:
        listing = self._flwr("supernode", "list", "test", "--format=json")
        return sum(node["status"] == "online" for node in json.loads(listing.stdout)["nodes"])

    def run(self, app: Path, *options: str, **config: Any) -> dict[str, Any]:
        """Return the report of one run."""
        output = self.folder / "out" / f"{time.monotonic_ns()}"
        given = {
            "queries": str(self.folder / "homes" / "queries.csv"),
            "schema": str(self.folder / "homes" / "schema.toml"),
            "output": str(output),
        }
        settings = " ".join(f"{name.replace('_', '-')}={json.dumps(value)}" for name, value in (given | config).items())
        self._flwr("run", str(app), "test", "--run-config", settings, *options)
        wait_for((output / "report.json").exists, "the run reports")
        found: dict[str, Any] = json.loads((output / "report.json").read_text())
        return found

    def run_patiently(self, app: Path, healthy: list[str], *options: str, **config: Any) -> dict[str, Any]:
        """Return the report of one run in which the ``healthy`` parties were not late."""
        for seconds in ANSWER_SECONDS:
            found = self.run(app, *options, answer_seconds=seconds, **config)
            late = {party["name"] for party in found["parties"] if "no answer" in party["why"]}
            if set(healthy) <= {party["name"] for party in found["parties"]} - late:
                break
        return found

    def _flwr(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [BIN / "flwr", *arguments], env=self.env, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def reachable(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(happened: Callable[[], bool], what: str, *, seconds: float = PATIENCE) -> None:
    end_of_patience = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end_of_patience, f"waited {seconds:g} s until {what}"
        time.sleep(0.5)


def end_all(mark: str) -> None:
    """End every process that has ``mark`` in its environment: Flower starts some in sessions of their own."""
    for sign in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
        for process in marked(mark):
            with suppress(ProcessLookupError):
                os.kill(process, sign)
        for _ in range(10):
            if not marked(mark):
                return
            time.sleep(0.3)
    raise AssertionError("processes of the test are still running")


def marked(mark: str) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if int(place.parent.name) != os.getpid() and mark.encode() in place.read_bytes():
                found.append(int(place.parent.name))
    return found


@contextmanager
def flower(folder: Path, parties: int) -> Iterator[Flower]:
    made = [sys.executable, str(EXAMPLE / "make_parties.py"), str(folder / "homes"), str(parties)]
    subprocess.run(made, check=True, timeout=PATIENCE)
    with ExitStack() as stack:
        try:
            yield Flower(folder, stack)
        finally:
            end_all(f"FLWR_HOME={folder}")


def charges(folder: Path, parties: int) -> list[int]:
    return [len(Ledger(folder / "homes" / f"party-{k}" / "party.ledger").lines()) for k in range(parties)]


def by_name(report: dict[str, Any]) -> dict[str, str]:
    """Return why each party was left out, by its name; empty for one that answered."""
    return {party["name"]: party["why"] for party in report["parties"]}


def test_deployed_nodes_answer_survive_restarts_and_may_die(tmp_path: Path) -> None:
    with flower(tmp_path, 2) as deployed:
        deployed.warm_apps("tacit.interfaces.flower.client", "tacit.interfaces.flower.server")
        deployed.superlink()
        homes = [tmp_path / "homes" / f"party-{k}" for k in range(2)]
        first, _ = deployed.supernode(homes[0]), deployed.supernode(homes[1])
        found = deployed.run(EXAMPLE, wait_seconds=PATIENCE // 2)
        assert by_name(found) == {"clinic 0": "", "clinic 1": ""}
        # Parties draw secure noise: 0.84 with a spread of 0.02.
        assert found["accuracy"] > 0.75
        assert charges(tmp_path, 2) == [1, 1]

        first.kill()
        found = deployed.run_patiently(EXAMPLE, ["clinic 1"], wait_seconds=5)
        whys = {party["why"] for party in found["parties"]}
        # The SuperLink may still believe that the dead node is there, or know already that it is not.
        assert len(found["parties"]) == 1 or any("no answer" in why or "Flower reports" in why for why in whys)
        assert [party["name"] for party in found["parties"] if not party["why"]] == ["clinic 1"]
        assert found["accuracy"] > 0.65  # one party with half of the rows is left: 0.81 with a spread of 0.03

        wait_for(lambda: deployed.online() == 1, "the SuperLink knows that the node is dead")
        deployed.supernode(homes[0])
        wait_for(lambda: deployed.online() == 2, "the node is back")
        found = deployed.run(EXAMPLE, refit=True, answer_seconds=60)
        # Both ledgers are full: the refit is refused, nothing is charged, and the report says so.
        refused = [party["why"] for party in found["parties"] if party["name"] or "refused" in party["why"]]
        assert len(refused) == 2
        assert all("refused" in why and "epsilon" in why for why in refused)
        assert charges(tmp_path, 2) == [1, 1]


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray: pip install 'flwr[simulation]'")
def test_a_simulation_decides_and_leaves_out_who_answers_late_or_wrongly(tmp_path: Path) -> None:
    with flower(tmp_path, 4) as simulated:
        simulated.superlink("--simulation")
        size = "--federation-config=num-supernodes=4 client-resources-num-cpus=1"
        shared = str(tmp_path / "homes")
        found = simulated.run(EXAMPLE, size, parties=4, simulated_homes=shared)
        assert set(by_name(found).values()) == {""}
        assert found["accuracy"] > 0.77  # 0.84 with a spread of 0.014
        assert charges(tmp_path, 4) == [1] * 4

        for party, fault in (("party-1", "nan"), ("party-2", "shape"), ("party-3", "sleep")):
            (tmp_path / "homes" / party / "fault").write_text(fault)
        waited = simulated.run_patiently(faulty_app(tmp_path), FINE, size, parties=4, simulated_homes=shared)
        whys = by_name(waited)
        assert whys["clinic 0"] == ""
        assert "NaN" in whys["clinic 1"]
        assert "shape" in whys["clinic 2"]
        assert "no answer within" in whys["clinic 3"]
        assert waited["accuracy"] > 0.5  # one party with a quarter of the rows is left: 0.74 with a spread of 0.03
        assert charges(tmp_path, 4) == [1] * 4


def faulty_app(folder: Path) -> Path:
    app = folder / "faulty"
    app.mkdir()
    shutil.copy(EXAMPLE / "pyproject.toml", app)
    settings = (app / "pyproject.toml").read_text()
    for own, faulty in (
        ("tacit.interfaces.flower.client", "faulty"),
        ("tacit-federation", "faulty"),
        ("README.md", "*.py"),
    ):
        settings = settings.replace(own, faulty)
    (app / "pyproject.toml").write_text(settings)
    (app / "faulty.py").write_text(FAULTY)
    return app
