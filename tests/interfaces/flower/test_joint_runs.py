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

EXAMPLE = Path(__file__).parents[3] / "examples" / "joint"

# A run of 6 queries starts some 30 processes, one for each message: two minutes on two idle cores.
PATIENCE = 1500

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to end what Flower leaves running"),
    pytest.mark.skipif(
        importlib.util.find_spec("flwr") is None, reason="needs flwr: pip install 'tacit-knowledge[federated]'"
    ),
]


def joined(deployed: Flower, homes: list[Path], method: str, **config: Any) -> dict[str, Any]:
    """Return the report of one run of a new plan."""
    folder = deployed.folder / method
    folder.mkdir()
    shutil.copy(deployed.folder / "schema.toml", folder)
    plan = plan_and_sign(folder, homes, "--method", method, "--minimum", "2")
    for home in homes:
        shutil.copy(plan, home / "joint.json")
    settings = {"plan": str(plan), "output": str(folder / "out" / "joint.tacit"), **config}
    written = " ".join(f"{name.replace('_', '-')}={json.dumps(value)}" for name, value in settings.items())
    deployed._flwr("run", str(EXAMPLE), "test", "--run-config", written)
    wait_for((folder / "out" / "report.json").exists, f"the {method} run reports", seconds=PATIENCE)
    found: dict[str, Any] = json.loads((folder / "out" / "report.json").read_text())
    return found


def test_three_nodes_make_two_releases_and_one_of_them_may_be_killed(tmp_path: Path) -> None:
    homes = write_parties(tmp_path)
    with ExitStack() as stack:
        try:
            deployed = Flower(tmp_path, stack)
            deployed.superlink()
            nodes = [deployed.supernode(home) for home in homes]
            wait_for(lambda: deployed.online() == 3, "three nodes are connected")
            report = joined(deployed, homes, "moments", answer_seconds=200)
            assert report["problem"] is None
            assert report["left_out"] == {}
            assert charges(homes) == [1, 1, 1]
            nodes[2].kill()
            report = joined(deployed, homes, "additive", answer_seconds=200, wait_seconds=5)
            assert report["problem"] is None
            assert list(report["left_out"]) == ["clinic-2"]
            assert charges(homes) == [2, 2, 1]
        finally:
            end_all(f"FLWR_HOME={tmp_path}")
    for method, parties in (("moments", 3), ("additive", 2)):
        joint = read_release(tmp_path / method / "out" / "joint.tacit").card.joint
        assert joint is not None
        assert len(joint.parties) == parties
