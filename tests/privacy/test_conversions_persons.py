"""What persons with up to two rows lose, against an enumeration of all tables of two persons."""

import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from tacit.errors import BudgetExceededError, InputError
from tacit.privacy import accounting
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.conversions import CHAINS, Claim, Neighbours, converted
from tacit.privacy.events import Event, GaussianEvent, LaplaceEvent, RepeatedEvent
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import Laplace

# A table is, for each of two persons, the sorted bits of their rows: none, one or two.
Rows = tuple[int, ...]
Table = tuple[Rows, Rows]
MOST = 2
HOLDINGS: list[Rows] = [rows for n in range(MOST + 1) for rows in itertools.combinations_with_replacement((0, 1), n)]
TABLES: list[Table] = list(itertools.product(HOLDINGS, HOLDINGS))
EPSILONS = (0.0, 0.2, 0.5, 1.0, 1.5, 2.5, 4.0)
SIGMA = 2.5
AR, RE = Relation.ADD_REMOVE, Relation.REPLACE


def with_rows(table: Table, person: int, rows: Rows) -> Table:
    held = list(table)
    held[person] = tuple(sorted(rows))
    return held[0], held[1]


def person_added(table: Table) -> Iterator[Table]:
    for person, rows in itertools.product((0, 1), HOLDINGS):
        if not table[person]:
            yield with_rows(table, person, rows)


def person_replaced(table: Table) -> Iterator[Table]:
    for person, rows in itertools.product((0, 1), HOLDINGS):
        if len(rows) == len(table[person]):
            yield with_rows(table, person, rows)


def record_added(table: Table) -> Iterator[Table]:
    for person, bit in itertools.product((0, 1), (0, 1)):
        yield with_rows(table, person, (*table[person], bit))


def record_removed(table: Table) -> Iterator[Table]:
    for person in (0, 1):
        for place in range(len(table[person])):
            yield with_rows(table, person, (*table[person][:place], *table[person][place + 1 :]))


def record_replaced(table: Table) -> Iterator[Table]:
    """One row out, any row of anybody in."""
    for between in record_removed(table):
        yield from record_added(between)


def entry_changed(table: Table) -> Iterator[Table]:
    for person in (0, 1):
        for place, bit in enumerate(table[person]):
            yield with_rows(table, person, (*table[person][:place], 1 - bit, *table[person][place + 1 :]))


AROUND: dict[Neighbours, Callable[[Table], Iterator[Table]]] = {
    (Unit.PERSON, AR): person_added,
    (Unit.PERSON, RE): person_replaced,
    (Unit.RECORD, AR): record_added,
    (Unit.RECORD, RE): record_replaced,
    (Unit.ENTRY, RE): entry_changed,
}


@cache
def neighbours(kind: Neighbours) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    places = {table: place for place, table in enumerate(TABLES)}
    pairs = {(places[one], places[two]) for one in TABLES for two in AROUND[kind](one) if two in places and one != two}
    both = np.array(sorted(pairs | {(two, one) for one, two in pairs}))
    return both[:, 0], both[:, 1]


def signed_rows(table: Table) -> int:
    """Each row counts 1 or -1: a row more moves it by 1, another row by 2."""
    return sum(2 * bit - 1 for rows in table for bit in rows)


def signed_persons(table: Table) -> int:
    """Each person counts 1 or -1 by the parity of all their bits and rows: a person more moves it by 1."""
    return sum(1 if (sum(rows) + len(rows)) % 2 else -1 for rows in table if rows)


QUERIES = {"rows": signed_rows, "persons": signed_persons}


@cache
def laws(query: str) -> NDArray[np.float64]:
    """The distribution of the rounded noisy query [tables, outputs]."""
    edges = np.arange(-25, 26) + 0.5
    totals = np.array([QUERIES[query](table) for table in TABLES])
    ends = np.zeros((len(TABLES), 1))
    return np.diff(np.hstack([ends, norm.cdf((edges - totals[:, None]) / SIGMA), ends + 1]), axis=1)


def true_delta(query: str, kind: Neighbours, epsilon: float) -> float:
    shares, (one, two) = laws(query), neighbours(kind)
    return float(np.maximum(shares[one] - math.exp(epsilon) * shares[two], 0.0).sum(axis=1).max())


def proved_event(query: str, kind: Neighbours) -> Event:
    """The event that the query's own inequality proves for ``kind``: the largest move among its neighbours."""
    one, two = neighbours(kind)
    totals = np.array([QUERIES[query](table) for table in TABLES])
    return GaussianEvent(SIGMA, float(np.abs(totals[one] - totals[two]).max()))


PERSONAL = [pair for pair in CHAINS if Unit.PERSON in (pair[0][0], pair[1][0])]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("source", "target"), PERSONAL, ids=str)
def test_every_chain_covers_the_truth(query: str, source: Neighbours, target: Neighbours) -> None:
    event = proved_event(query, source)
    claim = Claim(event, source[0], (source[1],), exact=(), n_features=1, rows_per_person=MOST)
    cost = converted(claim, *target)
    for epsilon in EPSILONS:
        assert true_delta(query, source, epsilon) <= accounting.delta(event, epsilon=epsilon) + 1e-9
        assert true_delta(query, target, epsilon) <= accounting.delta(cost, epsilon=epsilon) + 1e-9


@pytest.mark.parametrize(
    ("query", "source", "target"),
    [
        ("rows", (Unit.RECORD, AR), (Unit.PERSON, AR)),
        ("rows", (Unit.RECORD, AR), (Unit.PERSON, RE)),
        ("rows", (Unit.RECORD, RE), (Unit.PERSON, RE)),
        ("persons", (Unit.PERSON, AR), (Unit.RECORD, AR)),
        ("persons", (Unit.PERSON, AR), (Unit.RECORD, RE)),
        ("persons", (Unit.PERSON, AR), (Unit.PERSON, RE)),
        ("persons", (Unit.PERSON, AR), (Unit.ENTRY, RE)),
    ],
    ids=str,
)
def test_no_chain_is_longer_than_it_must_be(query: str, source: Neighbours, target: Neighbours) -> None:
    """A chain one step shorter would promise too much: the enumeration reaches what the whole chain allows."""
    event = proved_event(query, source)
    claim = Claim(event, source[0], (source[1],), exact=(), n_features=1, rows_per_person=MOST)
    size = CHAINS[source, target](claim)
    shorter = accounting.at_group(event, size - 1)
    assert max(true_delta(query, target, e) - accounting.delta(shorter, epsilon=e) for e in EPSILONS) > 0.01


def test_a_person_exchanged_for_one_with_as_many_rows_says_nothing_about_a_row_that_moves() -> None:
    """Counting persons with an even number of rows: exchanging whole persons never moves it, a moved row does."""
    claim = Claim(LaplaceEvent(1.0, 1.0), Unit.PERSON, (RE,), rows_per_person=MOST)
    with pytest.raises(InputError, match=r"row that becomes another person's\. Keep a ledger per person"):
        converted(claim, Unit.RECORD, RE)
    evens = np.array([sum(len(rows) % 2 == 0 for rows in table) for table in TABLES])
    one, two = neighbours((Unit.PERSON, RE))
    assert (evens[one] == evens[two]).all()
    one, two = neighbours((Unit.RECORD, RE))
    assert (evens[one] != evens[two]).any()


def test_noise_in_every_entry_of_a_person_composes() -> None:
    event = LaplaceEvent(10.0, 1.0)
    claim = Claim(event, Unit.ENTRY, (RE,), exact=(), n_features=5, noise_per_entry=True, rows_per_person=3)
    assert converted(claim, Unit.PERSON, RE) == RepeatedEvent(event, 15)


# --- on ledgers and cards


def test_a_ledger_per_person_takes_a_record_release_only_with_a_bound_on_rows(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1, unit="person"))
    with pytest.raises(InputError, match=r"rows_per_person must be given.*Bound contributions first"):
        ledger.charge(LaplaceEvent(10, 1), unit="record", purpose="")
    ledger.charge(LaplaceEvent(10, 1), unit="record", purpose="", rows_per_person=4)
    assert ledger.spent() == pytest.approx(0.4)
    assert Ledger(ledger.path).lines()[0].claim.rows_per_person == 4
    with pytest.raises(BudgetExceededError, match=r"This charge alone costs epsilon 0\.7"):
        ledger.charge(LaplaceEvent(10, 1), unit="record", purpose="", rows_per_person=7)


def test_a_plan_per_person_pays_for_all_rows_of_one() -> None:
    per_row = Laplace.for_epsilon(0.25, sensitivity=1.0)
    step = Step(per_row, "a count", "one row counts 1, and at most 4 rows of a person are read", rows=4)
    account = Account.open([step], budget=Budget(1, unit="person"), rows_per_person=4)
    card = account.card("a count", adjacency="one person more or less, with all their rows")
    assert accounting.epsilon(card.event, delta=0) == pytest.approx(1.0)
    assert (card.parts[0].rows, card.rows_per_person) == (4, 4)
    page = " ".join(card.to_text().split())
    assert "At most 4 rows of each person were read" in page
    assert "a table with one person more or less" in page


def test_a_record_card_says_what_a_person_with_several_rows_loses() -> None:
    step = Step(Laplace.for_epsilon(0.5, sensitivity=1.0), "a count", "one row counts 1")
    bounded = Account.open([step], budget=Budget(0.5, unit="record"), rows_per_person=3)
    lines = [str(each) for each in bounded.card("a count", adjacency="one row more").coarser]
    assert "epsilon 1.5, delta 0 for a person with at most 3 rows" in lines
    words = " ".join(bounded.card("a count", adjacency="one row more").to_text().split())
    assert "at most 3 were read, and the guarantee for a person holds" in words
    unbounded = Account.open([step], budget=Budget(0.5, unit="record")).card("a count", adjacency="one row more")
    assert "their number is not bounded" in " ".join(unbounded.to_text().split())
