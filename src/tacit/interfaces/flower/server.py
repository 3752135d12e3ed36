"""The app of the aggregator: it asks the nodes, leaves out who fails, and decides by distances."""

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
from numpy.typing import NDArray

from tacit import checks
from tacit.data.encoding import Encoded, decode_labels, encode_file
from tacit.data.schema_file import read_schema
from tacit.data.tables import write_table
from tacit.errors import InputError, TacitError
from tacit.files import atomic
from tacit.interfaces.flower import task
from tacit.interfaces.flower.roll import Roll
from tacit.interfaces.flower.task import Arrays, Facts, Shape
from tacit.kinds.noisy_rows.rows import gathered
from tacit.situations.federated.distances import decide
from tacit.situations.federated.party import ask, private_parties
from tacit.situations.federated.shared_filter import learn_filter, pooled

# Below Flower's own logger, so that `flwr run --stream` and the nodes' logs show it.
log = logging.getLogger("flwr.tacit")
app = ServerApp()
MODES = ("distances", "rows")
POLL = 0.5
T = TypeVar("T")
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
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
    def read(cls, given: dict[str, Any]) -> Self:
        """Return the settings, checked."""
        for name in ("queries", "schema", "output"):
            if not given.get(name):
                raise InputError(f"{name} must be a path; give it with --run-config '{name}=\"PATH\"'.")
        return cls(
            queries=Path(given["queries"]),
            schema=Path(given["schema"]),
            output=Path(given["output"]),
            mode=checks.one_of("mode", given["mode"], MODES),
            parties=checks.whole("parties", given["parties"]),
            least_parties=checks.whole("least-parties", given["least-parties"]),
            wait_seconds=checks.positive("wait-seconds", given["wait-seconds"]),
            answer_seconds=checks.positive("answer-seconds", given["answer-seconds"]),
            refit=bool(given["refit"]),
        )


class Asker:
    """Asks all nodes that are still present, and keeps the roll."""

    def __init__(self, grid: Grid, roll: Roll, settings: Settings) -> None:
        self._grid, self.roll, self._settings = grid, roll, settings

    def ask(self, kind: str, arrays: Arrays, facts: Facts, read: Callable[[Arrays], T]) -> list[T]:
        """Return what ``read`` makes of each answer; nodes that are silent, refuse or answer wrongly are left out."""
        seconds = self._settings.answer_seconds
        messages = [
            Message(task.pack(arrays, facts), dst_node_id=node, message_type=kind, ttl=seconds)
            for node in self.roll.present
        ]
        replies = {
            reply.metadata.src_node_id: reply for reply in self._grid.send_and_receive(messages, timeout=seconds)
        }
        answers = []
        for node in self.roll.present:
            try:
                answers.append(self._read(node, replies.get(node), read))
            except TacitError as problem:
                log.warning("node %s is left out: %s", node, problem)
                self.roll.leave_out(node, str(problem))
        if len(answers) < self._settings.least_parties:
            raise InputError(
                f"at least {self._settings.least_parties} parties must answer; {len(answers)} did. "
                f"The report in {self._settings.output} says why."
            )
        return answers

    def _read(self, node: int, reply: Message | None, read: Callable[[Arrays], T]) -> T:
        if reply is None:
            raise InputError(f"no answer within {self._settings.answer_seconds:g} seconds.")
        if reply.has_error():
            raise InputError(f"Flower reports error {reply.error.code}: {reply.error.reason}")
        arrays, facts = task.unpack(reply.content)
        self.roll.note(node, facts)
        if facts.get("status") != task.ANSWERED:
            raise InputError(f"refused: {facts.get('why', 'no reason given')}")
        return read(arrays)


def present_nodes(grid: Grid, *, wanted: int, seconds: float) -> list[int]:
    """Return the nodes that are connected, once ``wanted`` are or ``seconds`` have passed."""
    end = time.monotonic() + seconds
    while True:
        nodes = sorted(grid.get_node_ids())
        if len(nodes) >= wanted or time.monotonic() >= end:
            return nodes
        time.sleep(POLL)


def by_distances(asker: Asker, queries: Encoded, settings: Settings, shape: Shape) -> Codes:
    """Return class codes of the queries, which travel to the nodes; models and rows stay there: [hull] eq. 104."""
    rows = queries.X.astype(np.float32)
    statistics = asker.ask(
        task.STATISTICS, {}, {"refit": settings.refit}, lambda arrays: task.read_statistics(arrays, shape)
    )
    shared = learn_filter(pooled(statistics))
    answers = asker.ask(
        task.DISTANCES,
        {**shared.arrays(), "rows": rows},
        {},
        lambda arrays: task.read_distances(arrays, shape, len(rows)),
    )
    return decide(answers, np.arange(shape.n_classes))


def by_rows(asker: Asker, queries: Encoded, settings: Settings, shape: Shape) -> Codes:
    """Return class codes of the queries, which stay here; the parties' noisy rows travel: [hull] Remark 6."""
    shipped = asker.ask(task.ROWS, {}, {"refit": settings.refit}, lambda arrays: task.read_rows(arrays, shape))
    classes = np.arange(shape.n_classes)
    return decide(ask(private_parties(gathered(shipped)), queries.X, classes), classes)


def run(grid: Grid, settings: Settings) -> None:
    """Ask, decide, and write ``predictions.csv`` and ``report.json``; the report is written also when it fails."""
    schema = read_schema(settings.schema)
    queries = encode_file(settings.queries, schema, dtype=np.float32)
    shape = Shape(len(schema.encoded_names), len(schema.classes))
    roll = Roll(present_nodes(grid, wanted=settings.parties, seconds=settings.wait_seconds))
    settings.output.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {"mode": settings.mode, "rows": len(queries.X)}
    try:
        method = by_distances if settings.mode == "distances" else by_rows
        codes = method(Asker(grid, roll, settings), queries, settings, shape)
        report |= accuracy(codes, queries.y)
        with atomic.replacing(settings.output / "predictions.csv") as file:
            write_table(decode_labels(codes, schema).to_frame(), file, layout="csv")
    finally:
        report["parties"] = roll.to_list()
        atomic.write_text(settings.output / "report.json", json.dumps(report, indent=2) + "\n")
        log.info("%d of %d parties took part: %s", len(roll.present), len(report["parties"]), settings.output)


def accuracy(codes: Codes, truth: NDArray[Any]) -> dict[str, float | int]:
    """Return how many of the labelled queries are right; nothing if none has a label."""
    labelled = truth >= 0
    if not labelled.any():
        return {}
    return {"labelled": int(labelled.sum()), "accuracy": float((codes == truth)[labelled].mean())}


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Run once with the settings of the run."""
    run(grid, Settings.read(dict(context.run_config)))
