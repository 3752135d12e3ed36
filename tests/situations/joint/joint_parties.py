"""Parties of a joint release in one process, for tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.data.rows.stream import ArrayRows
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.signature import generate_key, key_text
from tacit.situations.joint.aggregator import Aggregator
from tacit.situations.joint.journal import Journal
from tacit.situations.joint.local_channel import LocalChannel
from tacit.situations.joint.messages import Message
from tacit.situations.joint.party import PartySession, PartyTable
from tacit.situations.joint.plan import JointPlan, PlanMember, SignedPlan
from tacit.situations.joint.refusals import JoinRefusal

SCHEMA = Schema(
    (Numeric("age", (0, 1)), Numeric("dose", (0, 1)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes")))
)


def rows(count: int, seed: int = 0) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return encoded rows of which age tells the class."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, count)
    age = np.clip(0.3 + 0.4 * y + random.normal(0, 0.15, count), 0, 1)
    return np.column_stack([age, random.random(count), np.eye(2)[random.integers(0, 2, count)]]), y


@dataclass(eq=False)
class Parties:
    """Keys, tables, ledgers and journals of the parties of one plan."""

    folder: Path
    keys: list[Ed25519PrivateKey]
    signed: SignedPlan
    tables: list[ArrayRows]
    journals: list[Journal] = field(default_factory=list)

    @property
    def plan(self) -> JointPlan:
        return self.signed.plan

    def ledger(self, number: int) -> Ledger:
        path = self.folder / f"{number}.ledger"
        return Ledger(path) if path.exists() else Ledger.create(path, Budget(1.5, 1e-5, unit="record"))

    def session(self, number: int, signed: SignedPlan | None = None) -> PartySession:
        """Return a session as a process that was just started has it: the journal and the ledger are all it knows."""
        table = self.tables[number]

        def make(plan: Any, spend: Any) -> Any:
            return self.plan.kind.make_from_rows(plan, table, spend)

        chosen = signed or self.signed
        return PartySession(
            chosen, self.keys[number], PartyTable(table, self.ledger(number), make), self.journals[number]
        )

    def sessions(self) -> dict[int, PartySession]:
        return {number: self.session(number) for number in range(len(self.keys))}

    def charges(self) -> list[int]:
        return [len(self.ledger(number).lines()) for number in range(len(self.keys))]


def parties(
    folder: Path,
    count: int = 3,
    *,
    method: str = "moments",
    rows_each: int = 40,
    minimum: int | None = None,
    colluding: int = 1,
    **settings: Any,
) -> Parties:
    """Return parties with rows of their own and a plan that all have signed."""
    keys = [generate_key() for _ in range(count)]
    members = tuple(PlanMember(f"clinic {n}", key_text(key.public_key())) for n, key in enumerate(keys))
    promise: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "unit": "record", "rows": 1000, **settings}
    plan = JointPlan(
        method, SCHEMA.to_dict(), parties=members, colluding=colluding, minimum=minimum or count, **promise
    )
    signed = SignedPlan(plan)
    for key in keys:
        signed = signed.signed(key)
    tables = [ArrayRows(*rows(rows_each, seed)) for seed in range(count)]
    return Parties(folder, keys, signed, tables, [{} for _ in keys])


class FaultyChannel(LocalChannel):
    """A channel in which a party answers nothing from some stage and query on, or its answers are changed."""

    def __init__(
        self, sessions: Mapping[int, PartySession], silent: Mapping[int, tuple[str, int]] | None = None
    ) -> None:
        super().__init__(sessions)
        self.silent = dict(silent or {})
        self.gone: set[int] = set()
        self.asked: list[tuple[str, int, tuple[int, ...]]] = []

    def ask(self, requests: Mapping[int, bytes]) -> Mapping[int, bytes | JoinRefusal]:
        first = Message.from_bytes(next(iter(requests.values())))
        self.asked.append((first.stage, first.query, tuple(sorted(requests))))
        self.gone |= {number for number, place in self.silent.items() if place == (first.stage, first.query)}
        return super().ask({number: raw for number, raw in requests.items() if number not in self.gone})


def run(made: Parties, channel: LocalChannel | None = None, journal: Journal | None = None) -> Aggregator:
    """Return an aggregator that is ready to run."""
    return Aggregator(made.signed, channel or LocalChannel(made.sessions()), {} if journal is None else journal)


def pooled(tables: Sequence[ArrayRows]) -> ArrayRows:
    """Return the rows of all tables in one."""
    return ArrayRows(np.vstack([table.X for table in tables]), np.concatenate([table.y for table in tables]))
