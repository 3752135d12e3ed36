"""The apps of a joint release, joined by a grid that calls the one for the other."""

import json
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.interfaces.joint_folders import charges, plan_and_sign, write_parties

pytest.importorskip("flwr", reason="needs flwr: pip install 'tacit-knowledge[federated]'")

from flwr.app import Context, Message, RecordDict
from flwr.supercore.task_identity import TaskIdentity

from tacit.errors import InputError, TacitError
from tacit.interfaces.flower import join_client, messages
from tacit.interfaces.flower.join_server import FlowerChannel, JoinSettings, run
from tacit.releases.file import read_release
from tacit.situations.joint.messages import OPEN, as_array
from tacit.situations.joint.messages import Message as JoinMessage
from tacit.situations.joint.plan import SignedPlan
from tacit.situations.joint.refusals import JoinRefusal

HANDLERS = {join_client.PARTY: join_client.party, join_client.TALK: join_client.talk}


class JoinReply(SimpleNamespace):
    """As much of a reply as the aggregator reads."""

    def has_error(self) -> bool:
        return self.content is None


class JoinGrid:
    """Calls the nodes' handlers; nodes in ``dead`` are gone from some number of messages on."""

    def __init__(self, homes: list[Path], dead: dict[int, int] | None = None) -> None:
        self.homes, self.dead, self.counts = homes, dead or {}, [0] * len(homes)
        self.lost: set[int] = set()
        self.replies: dict[str, JoinReply] = {}
        self.sent = self.looks = 0

    def get_node_ids(self) -> list[int]:
        return [node for node in range(len(self.homes)) if node not in self.lost]

    def push_messages(self, outgoing: Iterable[Message]) -> list[str]:
        sent = {f"{self.sent}-{place}": message for place, message in enumerate(outgoing)}
        self.sent += 1
        for identifier, message in sent.items():
            if self._alive(message.metadata.dst_node_id):
                self.replies[identifier] = self._reply(message, identifier)
        return list(sent)

    def pull_messages(self, identifiers: Iterable[str]) -> list[JoinReply]:
        self.looks += 1
        return [self.replies.pop(each) for each in identifiers if each in self.replies]

    def _alive(self, node: int) -> bool:
        self.counts[node] += 1
        alive = self.counts[node] <= self.dead.get(node, 10**9)
        self.lost |= set() if alive else {node}
        return alive

    def _reply(self, message: Message, identifier: str) -> JoinReply:
        node = message.metadata.dst_node_id
        context = Context(0, node, {"home": str(self.homes[node])}, RecordDict(), {})
        content = join_client.replied_content(message, context, HANDLERS[message.metadata.message_type])
        return JoinReply(metadata=SimpleNamespace(src_node_id=node, reply_to_message_id=identifier), content=content)


@pytest.fixture(autouse=True)
def flower_task(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_task_id", "_run_id", "_node_id"):  # Flower sets them before an app runs
        monkeypatch.setattr(TaskIdentity, name, 1)


def prepared(folder: Path, count: int = 3, *options: str) -> tuple[list[Path], JoinSettings]:
    homes = write_parties(folder, count)
    plan = plan_and_sign(folder, homes, *options)
    for home in homes:
        shutil.copy(plan, home / join_client.PLAN_FILE)
    return homes, JoinSettings(plan, folder / "out" / "joint.tacit", 1.0, 5.0)


def report(settings: JoinSettings) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((settings.output.parent / "report.json").read_text())
    return found


@pytest.mark.parametrize("method", ["moments", "additive"])
def test_nodes_make_one_release(tmp_path: Path, method: str) -> None:
    homes, settings = prepared(tmp_path, 3, "--method", method)
    run(JoinGrid(homes), settings)  # type: ignore[arg-type]
    release = read_release(settings.output)
    assert release.card.joint is not None
    assert [party.name for party in release.card.joint.parties] == ["clinic-0", "clinic-1", "clinic-2"]
    assert charges(homes) == [1, 1, 1]
    facts = report(settings)
    assert facts["problem"] is None
    assert facts["left_out"] == {}
    assert facts["received"] > 0


def test_a_node_that_dies_is_left_out_and_one_too_many_ends_the_run(tmp_path: Path) -> None:
    homes, settings = prepared(tmp_path, 4, "--method", "moments", "--minimum", "3")
    run(JoinGrid(homes, {3: 2}), settings)  # type: ignore[arg-type]
    assert report(settings)["left_out"] == {"clinic-3": "no answer."}
    other = tmp_path / "other"
    other.mkdir()
    homes, settings = prepared(other, 3, "--method", "moments")
    with pytest.raises(TacitError, match="2 parties are left; 3 must be"):
        run(JoinGrid(homes, {1: 2}), settings)  # type: ignore[arg-type]
    assert not settings.output.exists()
    assert "3 must be" in report(settings)["problem"]
    assert charges(homes) == [1, 1, 1]


def test_a_node_that_is_gone_is_not_waited_for_and_a_silent_one_is_until_time_is_up(tmp_path: Path) -> None:
    homes, settings = prepared(tmp_path, 2, "--method", "moments")
    digest = SignedPlan.read(settings.plan).plan.digest
    gone = JoinGrid(homes, {1: 0})
    channel = FlowerChannel(gone, 600.0)  # type: ignore[arg-type]
    channel.find(digest, [0, 1])
    assert channel.nodes == {0: 0}
    silent = JoinGrid(homes, {1: 0})
    silent.get_node_ids = lambda: [0, 1]  # type: ignore[method-assign]
    channel, start = FlowerChannel(silent, 0.5), time.monotonic()  # type: ignore[arg-type]
    channel.find(digest, [0, 1])
    assert channel.nodes == {0: 0}
    assert time.monotonic() - start >= 0.5
    assert silent.looks > 1


def test_a_run_broken_off_goes_on_where_it_stood(tmp_path: Path) -> None:
    homes, settings = prepared(tmp_path, 3, "--method", "moments")
    with pytest.raises(TacitError):
        run(JoinGrid(homes, {0: 3, 1: 3, 2: 3}), settings)  # type: ignore[arg-type]
    run(JoinGrid(homes), settings)  # type: ignore[arg-type]
    assert charges(homes) == [1, 1, 1]
    first = settings.output.read_bytes()
    run(JoinGrid(homes), settings)  # type: ignore[arg-type]
    assert settings.output.read_bytes() == first


def test_what_goes_wrong_at_a_node_is_said_by_a_code_alone(tmp_path: Path) -> None:
    homes, settings = prepared(tmp_path, 3, "--method", "moments", "--minimum", "2")
    (homes[1] / "table.csv").write_text("age,sex,ill\nXSECRETX,f,no\n")
    run(JoinGrid(homes), settings)  # type: ignore[arg-type]
    left_out = report(settings)["left_out"]
    assert left_out == {"clinic-1": JoinRefusal.UNAVAILABLE.sentence}
    assert "XSECRETX" not in json.dumps(report(settings))
    assert charges(homes) == [1, 0, 1]


def test_malformed_messages_and_foreign_plans_are_refused(tmp_path: Path) -> None:
    homes, settings = prepared(tmp_path, 3, "--method", "moments")
    channel = FlowerChannel(JoinGrid(homes), 5.0)  # type: ignore[arg-type]
    channel.find("0" * 64, [0, 1, 2])
    assert channel.nodes == {}
    channel.find(SignedPlan.read(settings.plan).plan.digest, [0, 1])
    assert channel.nodes == {0: 0, 1: 1}
    stranger = JoinMessage("0" * 64, OPEN, 0, {}, {}).to_bytes()
    answers = channel.ask({0: b"nonsense", 1: stranger, 2: stranger})
    assert answers == {0: JoinRefusal.MESSAGE, 1: JoinRefusal.PLAN}
    assert charges(homes) == [0, 0, 0]
    empty = Message(messages.pack({"other": as_array(b"x")}, {}), dst_node_id=0, message_type=join_client.TALK, ttl=1.0)
    context = Context(0, 0, {"home": str(homes[0])}, RecordDict(), {})
    _, facts = messages.unpack(join_client.replied_content(empty, context, join_client.talk))
    assert facts == {"status": "refused", "code": "message"}


def test_a_node_without_a_folder_and_a_run_without_paths_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--node-config"):
        join_client.party_home(Context(0, 0, {}, RecordDict(), {}))
    with pytest.raises(InputError, match="output must be a path"):
        JoinSettings.read({"plan": str(tmp_path), "wait-seconds": 1, "answer-seconds": 1})
    with pytest.raises(InputError, match="answer-seconds"):
        JoinSettings.read({"plan": "p", "output": "o", "wait-seconds": 1, "answer-seconds": 0})
    assert np.array_equal(as_array(b"ab"), [97, 98])
