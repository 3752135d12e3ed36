"""Joint releases under Flower itself: a SuperLink with three SuperNodes on loopback, one of which is killed."""

import importlib.util
import json
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.flower.test_runs import Flower, end_all, wait_for
from tests.interfaces.joint_folders import charges, plan_and_sign, write_parties

from tacit.releases.file import read_release
from tacit.situations.joint.plan import SignedPlan

EXAMPLE = Path(__file__).parents[3] / "examples" / "joint"

# 27 rounds of messages, for which a SuperNode looks every three seconds.
PATIENCE = 1500

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to end what Flower leaves running"),
    pytest.mark.skipif(
        importlib.util.find_spec("flwr") is None, reason="needs flwr: pip install 'tacit-knowledge[federated]'"
    ),
]


def start_run(deployed: Flower, homes: list[Path], method: str) -> Path:
    """Start a run of a new plan; return the folder in which it will report."""
    folder = deployed.folder / method
    folder.mkdir()
    shutil.copy(deployed.folder / "schema.toml", folder)
    plan = plan_and_sign(folder, homes, "--method", method, "--minimum", "2")
    for home in homes:
        shutil.copy(plan, home / "joint.json")
    settings = {"plan": str(plan), "output": str(folder / "out" / "joint.tacit"), "answer-seconds": 600}
    written = " ".join(f"{name}={json.dumps(value)}" for name, value in settings.items())
    deployed._flwr("run", str(EXAMPLE), "test", "--run-config", written)
    return folder / "out"


def finished_report(folder: Path) -> dict[str, Any]:
    wait_for((folder / "report.json").exists, f"{folder} has a report", seconds=PATIENCE)
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def test_three_nodes_make_two_releases_and_one_of_them_is_killed_in_a_run(tmp_path: Path) -> None:
    homes = write_parties(tmp_path)
    with ExitStack() as stack:
        try:
            deployed = Flower(tmp_path, stack)
            deployed.env["FLWR_SUPEREXEC_TASK_POLL_INTERVAL"] = "0.3"
            deployed.warm_apps("tacit.interfaces.flower.join_client", "tacit.interfaces.flower.join_server")
            deployed.superlink()
            # The run waits until all three are connected.
            nodes = [deployed.supernode(home) for home in homes]
            report = finished_report(start_run(deployed, homes, "moments"))
            assert report["problem"] is None
            assert report["left_out"] == {}
            assert charges(homes) == [1, 1, 1]

            output = start_run(deployed, homes, "additive")
            journal = homes[2] / "join" / SignedPlan.read(homes[2] / "joint.json").plan.digest[:32]
            wait_for((journal / "upload-1").exists, "the third party is in the second query", seconds=PATIENCE)
            nodes[2].kill()
            report = finished_report(output)
            assert report["problem"] is None
            assert report["left_out"] == {"clinic-2": "no answer."}
            assert charges(homes) == [2, 2, 2]
        finally:
            end_all(f"FLWR_HOME={tmp_path}")
    for method in ("moments", "additive"):
        joint = read_release(tmp_path / method / "out" / "joint.tacit").card.joint
        assert joint is not None
        assert [party.name for party in joint.parties] == ["clinic-0", "clinic-1", "clinic-2"]
