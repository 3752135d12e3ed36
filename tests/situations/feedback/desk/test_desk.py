"""The desk without a network: charges, replays, budgets and refusals."""

import hashlib
import math
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import BudgetExceededError, InputError, LedgerError
from tacit.privacy import accounting
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk, DeskOutcome, Refusal, ScoreQuery
from tacit.situations.feedback.desk.log import DeskLog, Entry
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms, rows_digest

N = 200
ARCHITECTURE = Architecture("linear", 2, 1)
RNG = np.random.default_rng(0)
X = RNG.random((N, 2))
Y = (X.sum(axis=1) > 1).astype(np.int64)


def terms(**changes: object) -> DeskTerms:
    plain = {"metric": "accuracy", "decimals": 3, "queries": 50, "n_rows": N, "rows": rows_digest(X, Y)}
    return DeskTerms(ARCHITECTURE, **{**plain, **changes})  # type: ignore[arg-type]  # tests vary them all


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "x.desk"
    with DeskLog(path).writing() as transaction:
        transaction.add(Provider("ann", token_digest("a"), 30))
        transaction.add(Provider("ben", token_digest("b"), 5))
    return path


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-5, unit="record", relation="replace"))


def opened(log: Path, ledger: Ledger | None = None, **changes: object) -> Desk:
    given = {"epsilon": 1.0, "delta": 1e-6, **changes} if ledger else changes
    scorer = Scorer(X, Y, ARCHITECTURE, metric=str(given.get("metric", "accuracy")))
    return Desk.open(scorer, terms(**given), log, ledger=ledger)


def query(name: str, provider: str = "ann", vector: tuple[float, ...] = (1.0, 1.0, -1.0)) -> ScoreQuery:
    values = np.array(vector)
    return ScoreQuery(provider, name, hashlib.sha256(values.tobytes()).hexdigest(), values)


def score_of(outcome: DeskOutcome) -> float:
    assert isinstance(outcome, Entry)
    return outcome.score


def test_without_noise_an_answer_is_the_rounded_score(log: Path) -> None:
    desk = opened(log, decimals=2)
    first, second = desk.answer([query("1"), query("2", vector=(1.0, -0.3, 0.0))])
    assert score_of(first) == 1.0
    assert score_of(second) == round(float(((X[:, 0] - 0.3 * X[:, 1] > 0) == Y).mean()), 2)
    assert desk.card is None


def test_a_replayed_query_gets_the_same_answer_and_costs_nothing(log: Path, ledger: Ledger) -> None:
    desk = opened(log, ledger)
    first = desk.answer([query("1")])
    assert desk.answer([query("1"), query("1")]) == first * 2
    with desk.log.reading() as transaction:
        assert transaction.used() == 1
    # Another provider's query of the same name is another query.
    assert isinstance(desk.answer([query("1", "ben")])[0], Entry)


def test_a_name_is_never_used_for_other_parameters(log: Path) -> None:
    desk = opened(log)
    before = desk.answer([query("1")])
    together = desk.answer([query("1", vector=(0, 0, 1)), query("2"), query("2", vector=(0, 0, 1))])
    assert [together[0], together[2]] == [Refusal.OTHER_BODY] * 2
    assert score_of(together[1]) == 1.0
    assert desk.answer([query("1")]) == before
    with desk.log.reading() as transaction:
        assert transaction.used() == 2


def test_one_providers_budget_is_not_anothers(log: Path) -> None:
    desk = opened(log)
    outcomes = desk.answer([query(str(i), "ben") for i in range(7)])
    assert [isinstance(each, Entry) for each in outcomes] == [True] * 5 + [False] * 2
    assert outcomes[-1] is Refusal.USED_UP
    assert isinstance(desk.answer([query("0")])[0], Entry)


def test_providers_cannot_be_promised_more_than_the_desk_answers(log: Path) -> None:
    with pytest.raises(InputError, match="at most 34"):
        opened(log, queries=34)
    desk = opened(log, queries=35)
    with pytest.raises(InputError, match="add up to 36"), desk.log.writing() as transaction:
        transaction.add(Provider("eve", token_digest("e"), 1))
    with pytest.raises(InputError, match="never renewed"), desk.log.writing() as transaction:
        transaction.add(Provider("ann", token_digest("new"), 1))


def test_the_whole_run_is_charged_before_the_first_answer_and_once(log: Path, ledger: Ledger) -> None:
    desk = opened(log, ledger)
    assert len(ledger.lines()) == 1
    spent = ledger.spent()
    assert 0.5 < spent <= 1
    desk.answer([query(str(i)) for i in range(3)])
    desk.close()
    again = opened(log, ledger)
    assert score_of(again.answer([query("0")])[0]) == score_of(desk_entry(log, "0"))
    assert len(ledger.lines()) == 1
    card = again.card
    assert card is not None
    assert card.ledger == {"identifier": ledger.identifier, "line": 1, "digest": ledger.lines()[0].digest}
    assert accounting.epsilon(card.parts[0].event, delta=1e-6) <= 1


def desk_entry(log: Path, name: str) -> Entry:
    with DeskLog(log).reading() as transaction:
        entry = transaction.answer("ann", name)
    assert entry is not None
    return entry


def test_a_start_that_died_between_charge_and_receipt_is_not_charged_again(
    log: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge = Account.open

    def charge_and_die(*arguments: object, **settings: object) -> Account:
        charge(*arguments, **settings)  # type: ignore[arg-type]  # passed on as they came
        raise KeyboardInterrupt

    monkeypatch.setattr(Account, "open", charge_and_die)
    with pytest.raises(KeyboardInterrupt):
        opened(log, ledger)
    monkeypatch.undo()
    with DeskLog(log).reading() as transaction:
        assert transaction.receipt() is None
    assert len(ledger.lines()) == 1
    opened(log, ledger)
    assert len(ledger.lines()) == 1


def test_a_refused_charge_opens_nothing(log: Path, ledger: Ledger) -> None:
    with pytest.raises(BudgetExceededError):
        opened(log, ledger, epsilon=3.0)
    assert ledger.lines() == ()


def test_terms_never_change(log: Path) -> None:
    opened(log).close()
    for change in ({"decimals": 4}, {"queries": 60}, {"rows": "others"}, {"n_rows": N - 1}):
        with pytest.raises(InputError, match=f"other {next(iter(change))}"):
            opened(log, **change)


def test_a_ledger_and_an_epsilon_come_together(log: Path, ledger: Ledger) -> None:
    with pytest.raises(InputError, match="no finite epsilon"):
        opened(log, ledger, epsilon=None)
    with pytest.raises(InputError, match="ledger must be given"):
        opened(log, epsilon=1.0, delta=1e-6)
    with pytest.raises(InputError, match="no known sensitivity"):
        opened(log, ledger, metric="balanced_accuracy")
    assert ledger.lines() == ()
    assert score_of(opened(log, metric="balanced_accuracy").answer([query("1")])[0]) == 1.0


def test_noise_of_answers_has_the_stated_width(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-5, unit="record", relation="replace"))
    with DeskLog(tmp_path / "x.desk").writing() as transaction:
        transaction.add(Provider("ann", token_digest("a"), 1000))
    desk = opened(tmp_path / "x.desk", ledger, queries=1000, decimals=9)
    scores = [score_of(each) for each in desk.answer([query(str(i)) for i in range(1000)])]
    assert np.std(scores) == pytest.approx(desk.terms.noise, rel=0.1)
    assert np.mean(scores) == pytest.approx(1.0, abs=5 * desk.terms.noise / math.sqrt(1000))
    assert len(set(scores)) > 990


def test_a_failing_disk_gives_no_answer_and_says_so(log: Path) -> None:
    desk = opened(log)
    desk._connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(LedgerError, match="No answer was given"):
        desk.answer([query(f"{i:099d}") for i in range(30)])
    with desk.log.reading() as transaction:
        assert transaction.used() == 0
    desk._connection.execute("PRAGMA max_page_count = 1000000")
    assert all(isinstance(each, Entry) for each in desk.answer([query(f"{i:099d}") for i in range(30)]))


@pytest.mark.parametrize("name", ["", "a b", "../x", "a" * 101, "é", "x\n"])
def test_names_of_queries_are_plain(name: str) -> None:
    with pytest.raises(InputError, match="query id"):
        query(name)
