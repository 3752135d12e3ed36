"""The guarantee in words."""

import re
from dataclasses import replace

import numpy as np

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.pages.guarantee import guarantee_block
from tacit.privacy.card_content import AuditResult
from tacit.privacy.joint_facts import JointFacts, JointParty
from tacit.releases.file import Release


def table_schema(names: str, classes: tuple[str, ...] = ("no", "yes"), high: float = 1.0) -> Schema:
    return Schema((*(Numeric(name, (0, high)) for name in names), Label("ill", classes)))


def rows(schema: Schema, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    y = np.arange(n) % len(schema.classes)
    centres = generator.uniform(0.2, 0.8, (len(schema.classes), len(schema.encoded_names)))
    return np.clip(generator.normal(centres[y], 0.05), 0, 1), y


def released(schema: Schema, unit: str = "record", **settings: object) -> Release:
    X, y = rows(schema, 300)
    return CLASS_MOMENTS.release(X, y, schema, unit=unit, epsilon=1, delta=1e-6, **settings)  # type: ignore[arg-type]


def test_the_guarantee_is_given_for_every_unit_and_never_as_certain() -> None:
    card = released(table_schema("ab"), "entry").card
    text = re.sub("<[^>]*>", "", guarantee_block(card, heading="h"))
    for promise in card.coarser:
        assert promise.unit in text
    assert "It protects one entry." in text
    assert "2.72 times" in text
    assert "73.1\u202f% of the time" in text
    audit = AuditResult("sums", 1.0, 0.25, 0.999, 1000, passed=False)
    worse = guarantee_block(replace(card, epsilon=50.0, secure=False, audits=(audit,)), heading="h")
    assert "over 99.9\u202f%" in worse
    assert "more than 1000 times" in worse
    assert "If it held, it would protect" in worse
    assert "Seeded, not private" in worse
    assert "CONTRADICTS THE CLAIM" in worse


def test_a_joint_release_names_its_parties_their_receipts_and_the_coalition() -> None:
    parties = tuple(JointParty(f"clinic {n}", f"{n}" * 64, f"ledger-{n}", 3 + n, f"{n + 4}" * 64) for n in range(3))
    facts = JointFacts(plan="a" * 64, parties=parties, colluding=2, minimum=3, outside_epsilon=0.5)
    card = released(table_schema("ab")).card
    text = re.sub("<[^>]*>", "", guarantee_block(replace(card, joint=facts), heading="h"))
    assert "holds against the aggregator together with 2 parties; for everyone else epsilon is 0.5" in text
    for party in parties:
        assert str(party) in text
    assert "that of each party, charged before anything was drawn" in text
    assert "this spend stands on the card alone" not in text
    assert "several owners" not in guarantee_block(card, heading="h")
