"""The app of the aggregator of a joint release: it adds up what the nodes send and writes the release."""

import json
import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from flwr.app import Context, Message
from flwr.serverapp import Grid, ServerApp

from tacit import checks
from tacit.errors import InputError, TacitError
from tacit.files import atomic
from tacit.interfaces.flower import messages
from tacit.interfaces.flower.join_client import ANSWER, PARTY, REQUEST, TALK
from tacit.interfaces.flower.server import connected_nodes
from tacit.releases.file import write_release
from tacit.situations.joint.aggregator import Aggregator
from tacit.situations.joint.journal import FolderJournal
from tacit.situations.joint.messages import as_array
from tacit.situations.joint.plan import SignedPlan
from tacit.situations.joint.refusals import JoinRefusal

log = logging.getLogger("flwr.tacit")
app = ServerApp()
REPORT = "report.json"
# Seconds between two looks for answers: few at first, more the longer it takes.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 2.0


@dataclass(frozen=True)
class JoinSettings:
    """The run's settings, as ``pyproject.toml`` and ``--run-config`` give them; see the app's README."""

    plan: Path
    output: Path
    wait_seconds: float
    answer_seconds: float

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> Self:
        """Return the settings of a run configuration, checked."""
        for name in ("plan", "output"):
            if not config.get(name):
                raise InputError(f"{name} must be a path; give it with --run-config '{name}=\"PATH\"'.")
        return cls(
            plan=Path(str(config["plan"])),
            output=Path(str(config["output"])),
            wait_seconds=checks.positive("wait-seconds", config["wait-seconds"]),
            answer_seconds=checks.positive("answer-seconds", config["answer-seconds"]),
        )


@dataclass(eq=False)
class FlowerChannel:
    """Carries the messages of a joint release over Flower."""

    grid: Grid
    """Flower's connection to the nodes."""
    seconds: float
    """How long a party may take to answer."""
    nodes: dict[int, int] = field(default_factory=dict)
    """The node of each party, by its number; a party without one is silent."""

    def find(self, digest: str, nodes: list[int]) -> None:
        """Ask ``nodes`` which party of the plan each of them is; the first that claims a party is taken for it."""
        for node, reply in self._send(PARTY, dict.fromkeys(nodes, messages.pack({}, {"plan": digest}))).items():
            number = reply[1].get("party")
            if type(number) is int and number not in self.nodes:
                self.nodes[number] = node

    def ask(self, requests: Mapping[int, bytes]) -> Mapping[int, bytes | JoinRefusal]:
        """Return each party's answer or refusal; one that is silent is left out."""
        there = {self.nodes[number]: number for number in requests if number in self.nodes}
        contents = {node: messages.pack({REQUEST: as_array(requests[number])}, {}) for node, number in there.items()}
        answers: dict[int, bytes | JoinRefusal] = {}
        for node, (arrays, facts) in self._send(TALK, contents).items():
            if facts.get("status") == messages.ANSWERED and ANSWER in arrays:
                answers[there[node]] = arrays[ANSWER].tobytes()
            else:
                answers[there[node]] = JoinRefusal.read(facts.get("code"))
        return answers

    def _send(self, kind: str, contents: Mapping[int, Any]) -> dict[int, tuple[dict[str, Any], dict[str, Any]]]:
        """Return arrays and facts of every reply that is one of tacit's, by node."""
        outgoing = [
            Message(content, dst_node_id=node, message_type=kind, ttl=self.seconds)
            for node, content in contents.items()
        ]
        replies = {}
        for reply in self._replies(outgoing):
            if not reply.has_error():
                try:
                    replies[reply.metadata.src_node_id] = messages.unpack(reply.content)
                except InputError as problem:
                    log.warning("node %s: %s", reply.metadata.src_node_id, problem)
        return replies

    def _replies(self, outgoing: list[Message]) -> Iterator[Message]:
        """Yield replies as they come, until all are there, time is up, or no node that owes one is connected.

        Flower's own `send_and_receive` looks every three seconds, and waits for a node that is gone as for a slow one.
        """
        start = time.monotonic()
        pushed = zip(self.grid.push_messages(outgoing), outgoing, strict=True) if outgoing else ()
        waiting = {identifier: message.metadata.dst_node_id for identifier, message in pushed if identifier}
        while waiting and time.monotonic() < start + self.seconds:
            # Who is connected is asked before the replies: what a node sent before it left still counts.
            connected = set(self.grid.get_node_ids())
            for reply in self.grid.pull_messages(list(waiting)):
                waiting.pop(reply.metadata.reply_to_message_id, None)
                yield reply
            if connected.isdisjoint(waiting.values()):
                return
            time.sleep(min(LONGEST_PAUSE, SHORTEST_PAUSE + (time.monotonic() - start) / 10))


def run(grid: Grid, settings: JoinSettings) -> None:
    """Make the joint release and write it with ``report.json`` beside it, the report also if the run fails."""
    signed = SignedPlan.read(settings.plan).require_signed()
    output = settings.output
    output.parent.mkdir(parents=True, exist_ok=True)
    channel = FlowerChannel(grid, settings.answer_seconds)
    nodes = connected_nodes(grid, expected=len(signed.plan.parties), seconds=settings.wait_seconds)
    channel.find(signed.plan.digest, nodes)
    journal = FolderJournal(output.parent / f".join-{signed.plan.digest[:32]}")
    aggregator = Aggregator(signed, channel, journal, log.info)
    start, report = time.monotonic(), {"plan": signed.plan.digest, "release": None, "problem": None}
    try:
        write_release(aggregator.run(), output)
        report["release"] = str(output)
    except TacitError as problem:
        report["problem"] = str(problem)
        raise
    finally:
        traffic = aggregator.traffic
        facts = {"left_out": aggregator.exclusions, "sent": traffic.sent, "received": traffic.received}
        facts |= {"rounds": traffic.rounds, "seconds": round(time.monotonic() - start, 1)}
        atomic.write_text(output.parent / REPORT, json.dumps({**report, **facts}, indent=2) + "\n")


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Run once with the settings of the run."""
    run(grid, JoinSettings.read(dict(context.run_config)))
