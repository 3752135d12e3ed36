"""The nodes' app and the aggregator's app, joined by a grid that calls the one for the other."""

import importlib.util
import itertools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

flwr = pytest.importorskip("flwr", reason="needs flwr: pip install 'tacit-knowledge[federated]'")

from flwr.app import Context, Error, Message, RecordDict  # noqa: E402 - after the check that flwr is there
from flwr.supercore.task_identity import TaskIdentity  # noqa: E402

from tacit.errors import InputError  # noqa: E402
from tacit.interfaces.flower import client, messages, party_folder  # noqa: E402
from tacit.interfaces.flower.party_folder import PartyFolder  # noqa: E402
from tacit.interfaces.flower.refusals import NodeRefusal  # noqa: E402
from tacit.interfaces.flower.server import RunSettings, run  # noqa: E402
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS  # noqa: E402
from tacit.privacy.ledger import Ledger  # noqa: E402
from tacit.releases.file import Release  # noqa: E402

EXAMPLE = Path(__file__).parents[3] / "examples" / "federated"
HANDLERS = {messages.STATISTICS: client.statistics, messages.DISTANCES: client.distances, messages.ROWS: client.rows}
Fault = Callable[[str, dict[str, Any]], dict[str, Any] | str | None]


def make_parties_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_parties", EXAMPLE / "make_parties.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Reply(SimpleNamespace):
    """As much of a reply as the aggregator reads."""

    def has_error(self) -> bool:
        return self.error is not None


class Grid:
    """Calls the nodes' handlers; ``faults`` spoil what a node answers."""

    def __init__(self, homes: Path, n: int, faults: dict[int, Fault] | None = None) -> None:
        self.homes, self.n, self.faults = homes, n, faults or {}

    def get_node_ids(self) -> list[int]:
        return list(range(self.n))

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> list[Reply]:
        return [reply for message in messages if (reply := self._reply(message)) is not None]

    def _reply(self, message: Message) -> Reply | None:
        node = message.metadata.dst_node_id
        context = Context(0, node, {"partition-id": node}, RecordDict(), {"simulated-homes": str(self.homes)})
        # A reply needs Flower's own bookkeeping; its content is what matters here.
        content = client.replied_content(message, context, HANDLERS[message.metadata.message_type])
        fault = self.faults.get(node)
        spoiled = content if fault is None else fault(message.metadata.message_type, messages.unpack(content)[0])
        if spoiled is None:
            return None
        error = Error(code=2, reason="crashed") if isinstance(spoiled, str) else None
        if isinstance(spoiled, dict):
            spoiled = messages.answer(spoiled, name=f"node {node}")
        return Reply(metadata=SimpleNamespace(src_node_id=node), content=spoiled, error=error)


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("_task_id", "_run_id", "_node_id"):  # Flower sets them before an app runs
        monkeypatch.setattr(TaskIdentity, name, 1)
    make_parties_module().make_all(tmp_path / "homes", 3)
    return tmp_path / "homes"


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every party draw noise that repeats itself: with secure noise accuracies vary by 0.02."""
    seeds = itertools.count()

    def repeatable(*table: Any, **promise: Any) -> Release:
        promise["ledger"] = Ledger(promise["ledger"], allow=["no-guarantee"])
        return NOISY_ROWS.release(*table, random_state=next(seeds), **promise)

    monkeypatch.setattr(party_folder, "NOISY_ROWS", SimpleNamespace(release=repeatable))


def settings(homes: Path, **changes: Any) -> RunSettings:
    given = {
        "queries": homes / "queries.csv",
        "schema": homes / "schema.toml",
        "output": homes / "out",
        "mode": "distances",
        "parties": 3,
        "least-parties": 1,
        "wait-seconds": 0.1,
        "answer-seconds": 5,
        "refit": False,
    }
    return RunSettings.read(given | changes)


def report(homes: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((homes / "out" / "report.json").read_text())
    return found


def spoil(**changes: Any) -> Fault:
    def fault(kind: str, arrays: dict[str, Any]) -> dict[str, Any]:
        return arrays | {name: change(arrays[name]) for name, change in changes.items() if name in arrays}

    return fault


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("mode", ["distances", "rows"])
def test_healthy_parties_decide_and_are_charged_once_over_two_runs(homes: Path, mode: str) -> None:
    for _ in range(2):
        run(Grid(homes, 3), settings(homes, mode=mode))  # type: ignore[arg-type]  # as much of a Grid as is used
        found = report(homes)
        assert found["accuracy"] > 0.8
        assert [party["status"] for party in found["parties"]] == ["answered"] * 3
        assert [party["epsilon_spent"] for party in found["parties"]] == [1.0] * 3
    assert [len(Ledger(homes / f"party-{k}" / "party.ledger").lines()) for k in range(3)] == [1, 1, 1]
    lines = (homes / "out" / "predictions.csv").read_text().split()
    assert len(lines) == 1 + found["rows"]


FAULTS: dict[str, tuple[Fault, str]] = {
    "nan": (spoil(distances=lambda d: d * np.nan), "NaN"),
    "shape": (spoil(distances=lambda d: d[:, 1:]), "shape"),
    "rows": (spoil(distances=lambda d: d[1:]), "shape"),
    "classes": (spoil(classes=lambda c: c + 90), "agreed classes"),
    "statistics": (spoil(sums=lambda s: s * np.nan), "finite"),
    "texts": (spoil(distances=lambda d: d.astype(str)), "numbers"),
    "missing": (lambda kind, arrays: {}, "lacks"),
    "silent": (lambda kind, arrays: None, "no answer within 5 seconds"),
    "crashed": (lambda kind, arrays: "crashed", "crashed"),
}


@pytest.mark.usefixtures("seeded")
def test_nodes_that_fail_are_reported_and_left_out(homes: Path) -> None:
    healthy, n = 2, 2 + len(FAULTS)
    faults = {healthy + k: fault for k, (fault, _) in enumerate(FAULTS.values())}
    make_parties_module().make_all(homes / "many", n)
    run(Grid(homes / "many", n, faults), settings(homes))  # type: ignore[arg-type]
    found = report(homes)
    assert [party["status"] for party in found["parties"]] == ["answered"] * 2 + ["left out"] * len(FAULTS)
    for party, (name, (_, said)) in zip(found["parties"][healthy:], FAULTS.items(), strict=True):
        assert said in party["why"], name
    assert found["accuracy"] > 0.5  # two parties with an eleventh of the rows each are left


def test_a_refit_past_the_budget_is_refused_and_the_report_says_so(homes: Path) -> None:
    run(Grid(homes, 3), settings(homes))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least 1 parties must answer; 0 did"):
        run(Grid(homes, 3), settings(homes, refit=True))  # type: ignore[arg-type]
    assert all("refused" in party["why"] for party in report(homes)["parties"])
    assert len(Ledger(homes / "party-0" / "party.ledger").lines()) == 1


def test_a_party_may_keep_its_noisy_rows_to_itself(homes: Path) -> None:
    terms = homes / "party-2" / "party.toml"
    terms.write_text(terms.read_text().replace("hand_out = true", "hand_out = false"))
    run(Grid(homes, 3), settings(homes, mode="rows"))  # type: ignore[arg-type]
    found = report(homes)["parties"]
    assert [party["status"] for party in found] == ["answered", "answered", "left out"]
    assert "the party's terms do not allow it" in found[2]["why"]


def test_an_unforeseen_error_is_not_told(homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(self: object, *, refit: bool = False) -> None:
        raise ZeroDivisionError("row 17 is 42")

    monkeypatch.setattr(PartyFolder, "rows", explode)
    with pytest.raises(InputError, match="0 did"):
        run(Grid(homes, 3), settings(homes))  # type: ignore[arg-type]
    why = report(homes)["parties"][0]["why"]
    assert why == NodeRefusal.UNAVAILABLE.sentence


def test_settings_that_are_missing_or_wrong_are_refused(homes: Path) -> None:
    for name, value in (("queries", ""), ("mode", "gossip"), ("parties", 0), ("answer-seconds", -1)):
        with pytest.raises(InputError, match=name):
            settings(homes, **{name: value})


def test_a_node_without_a_folder_says_how_to_give_one() -> None:
    context = Context(0, 1, {}, RecordDict(), {})
    with pytest.raises(InputError, match="node-config"):
        client.party_folder_of(context)
