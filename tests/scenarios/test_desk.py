"""The desk without a network: terms, charges, replays, budgets, and a log that only grows."""

import hashlib
import math
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import BudgetExceededError, InputError, LedgerError, LedgerTamperedError
from tacit.privacy import accounting
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.scenarios.desk.architecture import Architecture
from tacit.scenarios.desk.desk import Desk, Outcome, Query, Refusal
from tacit.scenarios.desk.log import Entry, Log
from tacit.scenarios.desk.providers import Provider, new_token, token_digest, who
from tacit.scenarios.desk.scoring import Scorer
from tacit.scenarios.desk.terms import Terms, rows_digest
from tacit.scenarios.desk.usefulness import USEFUL_NOISE, useful_epsilon

N = 200
ARCHITECTURE = Architecture("linear", 2, 1)
RNG = np.random.default_rng(0)
X = RNG.random((N, 2))
Y = (X.sum(axis=1) > 1).astype(np.int64)


def terms(**changes: object) -> Terms:
    plain = {"metric": "accuracy", "decimals": 3, "queries": 50, "n_rows": N, "rows": rows_digest(X, Y)}
    return Terms(ARCHITECTURE, **{**plain, **changes})  # type: ignore[arg-type]  # tests vary them all


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "x.desk"
    with Log(path).writing() as view:
        view.add(Provider("ann", token_digest("a"), 30))
        view.add(Provider("ben", token_digest("b"), 5))
    return path


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-5, unit="record", relation="replace"))


def opened(log: Path, ledger: Ledger | None = None, **changes: object) -> Desk:
    given = {"epsilon": 1.0, "delta": 1e-6, **changes} if ledger else changes
    scorer = Scorer(X, Y, ARCHITECTURE, metric=str(given.get("metric", "accuracy")))
    return Desk.open(scorer, terms(**given), log, ledger=ledger)


def query(name: str, provider: str = "ann", vector: tuple[float, ...] = (1.0, 1.0, -1.0)) -> Query:
    values = np.array(vector)
    return Query(provider, name, hashlib.sha256(values.tobytes()).hexdigest(), values)


def score_of(outcome: Outcome) -> float:
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
    with desk.log.reading() as view:
        assert view.used() == 1
    # Another provider's query of the same name is another query.
    assert isinstance(desk.answer([query("1", "ben")])[0], Entry)


def test_a_name_is_never_used_for_other_parameters(log: Path) -> None:
    desk = opened(log)
    before = desk.answer([query("1")])
    together = desk.answer([query("1", vector=(0, 0, 1)), query("2"), query("2", vector=(0, 0, 1))])
    assert [together[0], together[2]] == [Refusal.OTHER_BODY] * 2
    assert score_of(together[1]) == 1.0
    assert desk.answer([query("1")]) == before
    with desk.log.reading() as view:
        assert view.used() == 2


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
    with pytest.raises(InputError, match="add up to 36"), desk.log.writing() as view:
        view.add(Provider("eve", token_digest("e"), 1))
    with pytest.raises(InputError, match="never renewed"), desk.log.writing() as view:
        view.add(Provider("ann", token_digest("new"), 1))


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
    with Log(log).reading() as view:
        entry = view.answer("ann", name)
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
    with Log(log).reading() as view:
        assert view.receipt() is None
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


@pytest.mark.parametrize(("delta", "width"), [(0.0, math.sqrt(2) * 20 / N), (1e-6, None)])
def test_noise_is_that_of_the_whole_run_at_sensitivity_one_over_n(delta: float, width: float | None) -> None:
    offer = terms(epsilon=1.0, delta=delta, queries=20)
    step = offer.step
    assert step is not None
    assert step.mechanism.sensitivity == 1 / N
    assert step.times == 20
    assert accounting.fits(step.event, offer.budget)
    if width is not None:
        assert offer.noise == pytest.approx(width, rel=1e-3)


def test_noise_of_answers_has_the_stated_width(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-5, unit="record", relation="replace"))
    with Log(tmp_path / "x.desk").writing() as view:
        view.add(Provider("ann", token_digest("a"), 1000))
    desk = opened(tmp_path / "x.desk", ledger, queries=1000, decimals=9)
    scores = [score_of(each) for each in desk.answer([query(str(i)) for i in range(1000)])]
    assert np.std(scores) == pytest.approx(desk.terms.noise, rel=0.1)
    assert np.mean(scores) == pytest.approx(1.0, abs=5 * desk.terms.noise / math.sqrt(1000))
    assert len(set(scores)) > 990


def test_replacing_a_record_moves_accuracy_by_one_over_n_and_no_more() -> None:
    largest = 0.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, codes = X[:12].copy(), Y[:12].copy()
        candidates = rng.normal(size=(20, 3))
        before = Scorer(rows, codes, ARCHITECTURE, metric="accuracy")(candidates)
        rows[3], codes[3] = rng.random(2), rng.integers(2)
        after = Scorer(rows, codes, ARCHITECTURE, metric="accuracy")(candidates)
        largest = max(largest, float(np.abs(after - before).max()))
    assert largest == pytest.approx(1 / 12)


def test_the_log_only_grows_and_shows_what_was_edited(log: Path) -> None:
    desk = opened(log)
    desk.answer([query(str(i)) for i in range(4)])
    with sqlite3.connect(log) as connection:
        for statement in (
            "UPDATE answers SET score = 1",
            "DELETE FROM answers",
            "REPLACE INTO answers VALUES (2, 'ann', 'x', 'y', 1, 't', 'd')",
            "UPDATE terms SET content = '{}'",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)
        with desk.log.reading() as view:
            assert len(view.verify()) == 4
        connection.execute("DROP TRIGGER answers_stand")
        connection.execute("UPDATE answers SET score = 0.5 WHERE number = 3")
        connection.commit()
    with pytest.raises(LedgerTamperedError, match="answer 3"), desk.log.reading() as view:
        view.verify()


def test_a_failing_disk_gives_no_answer_and_says_so(log: Path) -> None:
    desk = opened(log)
    desk._connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(LedgerError, match="No answer was given"):
        desk.answer([query(f"{i:099d}") for i in range(30)])
    with desk.log.reading() as view:
        assert view.used() == 0
    desk._connection.execute("PRAGMA max_page_count = 1000000")
    assert all(isinstance(each, Entry) for each in desk.answer([query(f"{i:099d}") for i in range(30)]))


def test_a_file_that_is_no_log_is_left_alone(tmp_path: Path, ledger: Ledger) -> None:
    with pytest.raises(InputError, match="not the log of a desk"):
        Log(ledger.path)
    assert ledger.verify() == ()


def test_tokens_are_kept_as_digests_and_revoked_ones_open_nothing(log: Path) -> None:
    token = new_token()
    with Log(log).writing() as view:
        view.add(Provider("eve", token_digest(token), 3))
    assert token.encode() not in log.read_bytes()
    assert log.stat().st_mode & 0o077 == 0
    with Log(log).writing() as view:
        found = who(token, view.providers())
        assert found is not None
        assert found.name == "eve"
        assert who(token[:-1], view.providers()) is None
        view.revoke("eve")
        assert who(token, view.providers()) is None
        with pytest.raises(InputError, match="no provider"):
            view.revoke("nobody")
    assert len({new_token() for _ in range(100)}) == 100


@pytest.mark.parametrize("name", ["", "a b", "../x", "a" * 101, "é", "x\n"])
def test_names_of_queries_are_plain(name: str) -> None:
    with pytest.raises(InputError, match="query id"):
        query(name)


def test_about_epsilon_4_makes_a_thousand_queries_on_2000_records_useful() -> None:
    assert useful_epsilon(2000, 1000, delta=1e-6) == pytest.approx(4, abs=0.3)
    needed = useful_epsilon(500, 40, delta=0.0)
    assert needed == pytest.approx(math.sqrt(2) * 40 / (500 * USEFUL_NOISE), rel=0.05)
    for delta in (0.0, 1e-6):
        at = useful_epsilon(500, 40, delta=delta)
        assert terms(epsilon=at, delta=delta, queries=40, n_rows=500).noise <= USEFUL_NOISE
        assert terms(epsilon=0.8 * at, delta=delta, queries=40, n_rows=500).noise > USEFUL_NOISE
