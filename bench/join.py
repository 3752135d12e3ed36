"""Time and bytes of one query of a joint release by the number of parties: `python bench/join.py [NUMBERS]`.

All parties run in this process, one after the other: what one of them takes is the total divided by their number.
Journals are kept in memory, so that the disk is not measured.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.rows.stream import ArrayRows
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release
from tacit.releases.signature import generate_key, key_text
from tacit.situations.joint.aggregator import Aggregator
from tacit.situations.joint.local_channel import LocalChannel
from tacit.situations.joint.party import PartySession, PartyTable
from tacit.situations.joint.plan import JointPlan, PlanMember, SignedPlan

SCHEMA = Schema((Numeric("age", (0, 1)), Label("ill", ("no", "yes"))))
PARTIES = (3, 10, 50)


def signed_plan(keys: list[Any]) -> SignedPlan:
    """Return a plan of as many parties as there are keys, signed by all."""
    members = tuple(PlanMember(f"party {n}", key_text(key.public_key())) for n, key in enumerate(keys))
    terms: dict[str, Any] = {"colluding": max(1, len(keys) // 10), "minimum": len(keys), "rows": 1000}
    signed = SignedPlan(JointPlan("moments", SCHEMA.to_dict(), 1.0, 1e-6, "record", members, **terms))
    for key in keys:
        signed = signed.signed(key)
    return signed


def asking(numbers: int) -> Any:
    """Return what makes a release of one query of so many numbers."""

    def make(plan: Any, spend: Any) -> Release:
        account = spend.open(plan, "bench")
        noisy = account.release(plan.steps[0].mechanism, np.zeros(numbers))
        card = account.card("numbers", adjacency="one row more or less")
        return Release("transfer_record", {"numbers": noisy}, {}, card, SCHEMA.to_dict())

    return make


def measured(folder: Path, parties: int, numbers: int) -> tuple[float, Aggregator]:
    """Return the processor seconds of a run, and the aggregator with what was sent."""
    keys = [generate_key() for _ in range(parties)]
    signed = signed_plan(keys)
    rows = ArrayRows(np.full((4, 1), 0.5), np.array([0, 1, 0, 1]))
    sessions = {}
    for number, key in enumerate(keys):
        ledger = Ledger.create(folder / f"{parties}-{number}.ledger", Budget(2, 1e-5, unit="record"))
        sessions[number] = PartySession(signed, key, PartyTable(rows, ledger, asking(numbers)), {})
    channel = LocalChannel(sessions)
    aggregator = Aggregator(signed, channel, {})
    start = time.process_time()
    aggregator.run()
    channel.close()
    return time.process_time() - start, aggregator


def main(numbers: int) -> None:
    """Print a line for each number of parties."""
    print(f"one query of {numbers:,} numbers; processor time of all parties and the aggregator together")
    print(f"{'parties':>8}{'all, s':>10}{'a party, s':>12}{'to a party, kB':>16}{'from a party, kB':>18}")
    with tempfile.TemporaryDirectory() as folder:
        for parties in PARTIES:
            whole, aggregator = measured(Path(folder), parties, numbers)
            sent, received = (getattr(aggregator.traffic, name) / parties / 1e3 for name in ("sent", "received"))
            print(f"{parties:>8}{whole:>10.2f}{whole / parties:>12.3f}{sent:>16.0f}{received:>18.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
