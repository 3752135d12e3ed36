"""What a release adds to its card: facts, the number of rows where it is told, charges so far, a quick audit."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.audit.card_audit import FEWEST_DRAWS, QUICK_DRAWS, quick_audit
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.file import format_schema, read_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget
from tacit.privacy.card import Card
from tacit.privacy.card_facts import MOST_CHARGES
from tacit.privacy.events import LaplaceEvent
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import (
    AgainstRest,
    Duchi,
    Exponential,
    Laplace,
    Mechanism,
    ObjectivePerturbation,
    StackedPerturbation,
)
from tacit.workflows.card_details import ledger_history

SCHEMA = Schema((Numeric("age", (0, 100)), Label("ill", ("no", "yes"))))
TABLE = pl.DataFrame({"age": [3 * i % 90 for i in range(60)], "ill": [("no", "yes")[i // 2 % 2] for i in range(60)]})
CARD = '\n[card]\nowner = "City Hospital"\nperiod = "2025"\n'


@pytest.fixture
def schema_file(tmp_path: Path) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(format_schema(SCHEMA) + CARD, encoding="utf-8")
    return path


def test_facts_come_from_the_call_and_from_the_schema_s_file(schema_file: Path) -> None:
    assert read_schema(schema_file) == SCHEMA, "facts are no part of the schema"
    card = tacit.release(TABLE, schema_file, epsilon=1, facts={"purpose": "triage", "period": "2026"}).card
    assert (card.facts.owner, card.facts.purpose, card.facts.period) == ("City Hospital", "triage", "2026")
    same = tacit.fabricate(TABLE, schema_file, epsilon=1, facts=tacit.CardFacts(purpose="triage")).card
    assert (same.facts.owner, same.facts.period) == ("City Hospital", "2025")


def test_wrong_facts_are_refused_before_anything_is_charged(tmp_path: Path, schema_file: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(1, 1e-6, unit="record"))
    schema_file.write_text(format_schema(SCHEMA) + '\n[card]\nboss = "x"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"s\.toml: \[card\] must be a table of owner, dataset, .*got \['boss'\]"):
        tacit.release(TABLE, schema_file, epsilon=1, ledger=ledger)
    with pytest.raises(InputError, match="facts must be a table of owner"):
        tacit.release(TABLE, SCHEMA, epsilon=1, ledger=ledger, facts={"boss": "x"})
    with pytest.raises(InputError, match="n_rows must not be given"):
        tacit.release(TABLE, SCHEMA, epsilon=1, ledger=ledger, facts={"n_rows": 60})
    assert ledger.lines() == ()


def test_the_number_of_rows_is_told_exactly_only_where_it_is_public() -> None:
    linear = tacit.release(TABLE, SCHEMA, epsilon=1, method="linear", audit=False).card.facts
    assert (linear.n_rows, linear.n_rows_noised) == (60, False)
    moments = tacit.release(TABLE, SCHEMA, epsilon=1, method="moments", random_state=1)
    assert moments.card.facts.n_rows_noised
    assert moments.card.facts.n_rows == round(float(moments.arrays["counts"].sum()))
    assert moments.card.facts.n_rows != 60
    assert tacit.release(TABLE, SCHEMA, epsilon=1, method="encoder").card.facts.n_rows is None
    assert tacit.release(TABLE, SCHEMA, epsilon=1, unit="entry").card.facts.n_rows == 60


def test_the_card_lists_every_charge_so_far(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(3, 1e-5, unit="record"))
    ledger.charge(LaplaceEvent(2.0, 1.0), unit="record", purpose="a count")
    history = tacit.release(TABLE, SCHEMA, epsilon=1, method="moments", ledger=ledger).card.history
    assert history is not None
    assert [(charge.line, charge.purpose) for charge in history.charges] == [
        (1, "a count"),
        (2, "transfer release per record"),
    ]
    # At the ledger's delta, a little below the 0.5 that hold without one.
    assert history.charges[0].epsilon == pytest.approx(0.5, rel=1e-4)
    assert history.spent == pytest.approx(ledger.spent())
    assert history.left == pytest.approx(ledger.left())


def test_of_many_charges_the_last_ones_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(3, unit="record"))
    for _ in range(MOST_CHARGES + 2):
        ledger.charge(LaplaceEvent(100.0, 1.0), unit="record", purpose="a count")
    history = ledger_history(ledger)
    assert (history.earlier, history.charges[0].line, len(history.charges)) == (2, 3, MOST_CHARGES)
    assert history.spent == pytest.approx(0.01 * (MOST_CHARGES + 2))


def test_a_charge_without_a_guarantee_is_marked(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(3, 1e-5, unit="record"), allow=["no-guarantee"])
    history = tacit.release(TABLE, SCHEMA, epsilon=1, ledger=ledger, random_state=1).card.history
    assert history is not None
    assert [charge.holds for charge in history.charges] == [False]


def test_an_audit_stands_on_the_card_unless_it_is_refused() -> None:
    quick = tacit.release(TABLE, SCHEMA, epsilon=1).card
    assert quick.audits
    assert all(audit.passed for audit in quick.audits)
    assert quick.audits[0].confidence == 1 - 1e-6
    assert "with 99.9999 % confidence" in " ".join(quick.to_text().split())
    assert tacit.release(TABLE, SCHEMA, epsilon=1, audit=False).card.audits == ()
    full = tacit.release(TABLE, SCHEMA, epsilon=1, audit=True).card
    assert full.audits[0].confidence == 0.999


def test_a_seed_repeats_the_audit_on_the_card() -> None:
    first, second = (tacit.release(TABLE, SCHEMA, epsilon=1, random_state=4).card for _ in range(2))
    assert first == second
    assert first.audits


def objective(dimension: int = 2) -> ObjectivePerturbation:
    return ObjectivePerturbation.for_epsilon(1.0, curvature=10.0, dimension=dimension)


def card_of(*mechanisms: Mechanism) -> Card:
    steps = [Step(mechanism, f"part {place}", "so", relation=None) for place, mechanism in enumerate(mechanisms)]
    account = Account.open(steps, budget=Budget(90, unit="record", relation="replace"))
    return account.card("parts", adjacency="so")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list to which every game adds its draws instead of being played."""
    draws_of_games: list[int] = []

    def play(_: object, draws: int, *, confidence: float) -> None:
        draws_of_games.append(draws)
        assert confidence == 1 - 1e-6

    monkeypatch.setattr("tacit.audit.game.Game.play", play)
    return draws_of_games


@pytest.mark.parametrize(
    ("make", "draws"),
    [
        (lambda: Laplace.for_epsilon(1.0, sensitivity=1.0), QUICK_DRAWS),
        (lambda: Exponential(1.0, 1.0), QUICK_DRAWS),
        (objective, 2000),
        (lambda: AgainstRest(objective(), 4), 1875),
        (lambda: AgainstRest(objective(), 30), None),
        (lambda: Duchi(1.0, 10_000), None),
        (lambda: StackedPerturbation((objective(),), objective(1)), None),
    ],
)
def test_only_what_is_quick_is_audited_unasked(
    make: Callable[[], Mechanism], draws: int | None, played: list[int]
) -> None:
    quick_audit(card_of(make()))
    assert played == ([] if draws is None else [draws])
    assert all(count >= FEWEST_DRAWS for count in played)


def test_many_parts_share_the_seconds(played: list[int]) -> None:
    quick_audit(card_of(*(objective(place) for place in (1, 2, 3))))
    assert played == [666, 666, 666]
    quick_audit(card_of(*(objective(place) for place in range(1, 9))))
    assert len(played) == 3, "eight parts would get too few draws to show anything"
