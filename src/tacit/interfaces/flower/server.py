"""The app of the aggregator: it queries the nodes, excludes those that fail, and classifies by distances."""

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from flwr.app import Context, Message
from flwr.serverapp import Grid, ServerApp

from tacit import checks
from tacit.data.reading.tables import write_table
from tacit.data.rows.encoding import Encoded, decode_labels, encode_file
from tacit.data.schemas.file import read_schema
from tacit.errors import InputError, TacitError
from tacit.files import atomic
from tacit.interfaces.flower import messages
from tacit.interfaces.flower.messages import MessageArrays, MessageFacts, TableShape
from tacit.interfaces.flower.participants import Participants
from tacit.interfaces.flower.refusals import NodeRefusal
from tacit.kinds.noisy_rows.rows import gathered
from tacit.situations.federated.distances import ClassLabels, decide
from tacit.situations.federated.party import private_parties, query_parties
from tacit.situations.federated.shared_filter import learn_filter, pooled

# Below Flower's own logger, so that `flwr run --stream` and the nodes' logs show it.
log = logging.getLogger("flwr.tacit")
app = ServerApp()
MODES = ("distances", "rows")
POLL = 0.5
T = TypeVar("T")


@dataclass(frozen=True)
class RunSettings:
    """The run's settings, as ``pyproject.toml`` and ``--run-config`` give them; see the app's README."""

    queries: Path
    schema: Path
    output: Path
    mode: str
    parties: int
    least_parties: int
    wait_seconds: float
    answer_seconds: float
    refit: bool

    @classmethod
    def read(cls, config: dict[str, Any]) -> Self:
        """Return the settings of a run configuration, checked."""
        for name in ("queries", "schema", "output"):
            if not config.get(name):
                raise InputError(f"{name} must be a path; give it with --run-config '{name}=\"PATH\"'.")
        return cls(
            queries=Path(config["queries"]),
            schema=Path(config["schema"]),
            output=Path(config["output"]),
            mode=checks.one_of("mode", config["mode"], MODES),
            parties=checks.whole("parties", config["parties"]),
            least_parties=checks.whole("least-parties", config["least-parties"]),
            wait_seconds=checks.positive("wait-seconds", config["wait-seconds"]),
            answer_seconds=checks.positive("answer-seconds", config["answer-seconds"]),
            refit=bool(config["refit"]),
        )


class NodeQueries:
    """Sends each query to all active nodes, and records which nodes fail.

    Parameters
    ----------
    grid : Grid
        Flower's connection to the nodes.
    participants : Participants
        Nodes that fail are excluded from these.
    settings : RunSettings
    """

    def __init__(self, grid: Grid, participants: Participants, settings: RunSettings) -> None:
        self._grid, self.participants, self._settings = grid, participants, settings

    def send(
        self, kind: str, arrays: MessageArrays, facts: MessageFacts, read: Callable[[MessageArrays], T]
    ) -> list[T]:
        """Return what ``read`` makes of each answer; nodes that are silent, refuse or answer wrongly are excluded."""
        seconds = self._settings.answer_seconds
        queries = [
            Message(messages.pack(arrays, facts), dst_node_id=node, message_type=kind, ttl=seconds)
            for node in self.participants.active
        ]
        replies = {reply.metadata.src_node_id: reply for reply in self._grid.send_and_receive(queries, timeout=seconds)}
        answers = []
        for node in self.participants.active:
            try:
                answers.append(self._read(node, replies.get(node), read))
            except TacitError as problem:
                log.warning("node %s is left out: %s", node, problem)
                self.participants.exclude(node, str(problem))
        if len(answers) < self._settings.least_parties:
            raise InputError(
                f"at least {self._settings.least_parties} parties must answer; {len(answers)} did. "
                f"The report in {self._settings.output} says why."
            )
        return answers

    def _read(self, node: int, reply: Message | None, read: Callable[[MessageArrays], T]) -> T:
        if reply is None:
            raise InputError(f"no answer within {self._settings.answer_seconds:g} seconds.")
        if reply.has_error():
            raise InputError(f"Flower reports error {reply.error.code}: {reply.error.reason}")
        arrays, facts = messages.unpack(reply.content)
        self.participants.record(node, facts)
        if facts.get("status") != messages.ANSWERED:
            raise InputError(NodeRefusal.read(facts.get("code")).sentence)
        return read(arrays)


def connected_nodes(grid: Grid, *, expected: int, seconds: float) -> list[int]:
    """Return the connected nodes as soon as ``expected`` are connected or ``seconds`` have passed."""
    end = time.monotonic() + seconds
    while True:
        nodes = sorted(grid.get_node_ids())
        if len(nodes) >= expected or time.monotonic() >= end:
            return nodes
        time.sleep(POLL)


def classify_by_distances(
    nodes: NodeQueries, queries: Encoded, settings: RunSettings, shape: TableShape
) -> ClassLabels:
    """Return class codes of the queries, which travel to the nodes; models and rows stay there: [hull] eq. 104."""
    rows = queries.X.astype(np.float32)
    statistics = nodes.send(
        messages.STATISTICS, {}, {"refit": settings.refit}, lambda arrays: messages.read_statistics(arrays, shape)
    )
    shared = learn_filter(pooled(statistics))
    answers = nodes.send(
        messages.DISTANCES,
        {**shared.arrays(), "rows": rows},
        {},
        lambda arrays: messages.read_distances(arrays, shape, len(rows)),
    )
    return decide(answers, np.arange(shape.n_classes))


def classify_by_rows(nodes: NodeQueries, queries: Encoded, settings: RunSettings, shape: TableShape) -> ClassLabels:
    """Return class codes of the queries, which stay here; the parties' noisy rows travel: [hull] Remark 6."""
    rows = nodes.send(messages.ROWS, {}, {"refit": settings.refit}, lambda arrays: messages.read_rows(arrays, shape))
    classes = np.arange(shape.n_classes)
    return decide(query_parties(private_parties(gathered(rows)), queries.X, classes), classes)


def run(grid: Grid, settings: RunSettings) -> None:
    """Classify the queries and write ``predictions.csv`` and ``report.json``, the report also if the run fails."""
    schema = read_schema(settings.schema)
    queries = encode_file(settings.queries, schema, dtype=np.float32)
    shape = TableShape(len(schema.encoded_names), len(schema.classes))
    participants = Participants(connected_nodes(grid, expected=settings.parties, seconds=settings.wait_seconds))
    settings.output.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {"mode": settings.mode, "rows": len(queries.X)}
    try:
        classify = classify_by_distances if settings.mode == "distances" else classify_by_rows
        codes = classify(NodeQueries(grid, participants, settings), queries, settings, shape)
        report |= accuracy(codes, queries.y)
        with atomic.replacing(settings.output / "predictions.csv") as file:
            write_table(decode_labels(codes, schema).to_frame(), file, layout="csv")
    finally:
        report["parties"] = participants.to_list()
        atomic.write_text(settings.output / "report.json", json.dumps(report, indent=2) + "\n")
        log.info("%d of %d parties took part: %s", len(participants.active), len(report["parties"]), settings.output)


def accuracy(codes: ClassLabels, truth: ClassLabels) -> dict[str, float | int]:
    """Return the number of labelled queries and the share predicted right; empty if no query has a label."""
    labelled = truth >= 0
    if not labelled.any():
        return {}
    return {"labelled": int(labelled.sum()), "accuracy": float((codes == truth)[labelled].mean())}


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Run once with the settings of the run."""
    run(grid, RunSettings.read(dict(context.run_config)))
