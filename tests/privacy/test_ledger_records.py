"""Whatever is edited, removed, inserted or moved in a ledger is found, and the first such line is named."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.errors import InputError, LedgerError, LedgerTamperedError
from tacit.files.hash_chain import Head, Receipt, canonical, digest, follow
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.ledger import Ledger
from tacit.privacy.ledger_records import Line

LINES = 6


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chain") / "original.ledger"
    ledger = Ledger.create(path, Budget(1, unit="record"), name="patients")
    for number in range(LINES):
        ledger.charge(ApproximateEvent(0.01 * (number + 1)), unit="record", purpose=f"mean {number}")
    return path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path / "copy.ledger"))


def tamper(path: Path, *statements: str, values: tuple[Any, ...] = ()) -> None:
    """Change the file as someone would who may write it: without its triggers, which are then put back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement, values)
        for _, sql in triggers:
            connection.execute(sql)
        connection.execute("COMMIT")


def rows(path: Path, table: str = "lines") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def complaint(path: Path) -> str:
    with pytest.raises(LedgerTamperedError) as found:
        Ledger(path).verify()
    return str(found.value)


def rewrite(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Write the whole chain anew with right digests, as an attacker who knows the code would."""
    contents = [json.loads(content) for _, content, _ in rows(path)]
    change(contents)
    previous = rows(path, "charter")[0][2]
    tamper(path, "DELETE FROM lines", "UPDATE head SET count = 0")
    for number, content in enumerate(contents, 1):
        text = canonical({**content, "number": number})
        previous = digest(text, previous)
        tamper(path, "INSERT INTO lines VALUES (?, ?, ?)", values=(number, text, previous))
    tamper(path, "UPDATE head SET count = ?, digest = ?", values=(len(contents), previous))


# --- the file defends itself


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE lines SET content = '{}' WHERE number = 2",
        "DELETE FROM lines WHERE number = 2",
        "DELETE FROM lines",
        "INSERT OR REPLACE INTO lines SELECT 2, content, digest FROM lines WHERE number = 1",
        "INSERT INTO lines SELECT 0, content, digest FROM lines WHERE number = 1",
        "INSERT INTO lines SELECT 9, content, digest FROM lines WHERE number = 1",
        "UPDATE charter SET content = '{}'",
        "DELETE FROM charter",
        "INSERT OR REPLACE INTO charter VALUES (1, '{}', '')",
        "UPDATE head SET count = count - 1",
        "UPDATE head SET digest = ''",
        "DELETE FROM head",
        "INSERT OR REPLACE INTO head VALUES (1, 0, '')",
    ],
)
def test_ordinary_statements_cannot_change_what_was_written(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    Ledger(path).verify()


def test_an_untouched_copy_passes(path: Path) -> None:
    assert len(Ledger(path).verify()) == LINES


def test_the_digest_of_a_line_is_sha256_of_its_content_and_the_digest_before(path: Path) -> None:
    import hashlib

    previous = hashlib.sha256(rows(path, "charter")[0][1].encode()).hexdigest()
    for _, content, stored in rows(path):
        previous = hashlib.sha256((content + previous).encode()).hexdigest()
        assert stored == previous
    assert rows(path, "head") == [(1, LINES, previous)]


# --- every way to tamper with it is found


@pytest.mark.parametrize("number", range(1, LINES + 1))
def test_an_edited_line_is_named(path: Path, number: int) -> None:
    smaller = "UPDATE lines SET content = replace(content, '\"epsilon\":0.0', '\"epsilon\":0.00') WHERE number = ?"
    tamper(path, smaller, values=(number,))
    assert complaint(path).startswith(f"line {number} of the ledger does not follow")


@pytest.mark.parametrize("number", range(1, LINES + 1))
def test_a_removed_line_is_named(path: Path, number: int) -> None:
    tamper(path, "DELETE FROM lines WHERE number = ?", values=(number,))
    assert complaint(path).startswith(f"line {number} of the ledger is missing")


@pytest.mark.parametrize("number", range(1, LINES))
def test_a_removed_and_closed_gap_is_named(path: Path, number: int) -> None:
    tamper(path, f"DELETE FROM lines WHERE number = {number}")
    for later in range(number + 1, LINES + 1):
        tamper(path, f"UPDATE lines SET number = {later - 1} WHERE number = {later}")
    tamper(path, f"UPDATE head SET count = {LINES - 1}")
    assert complaint(path).startswith(f"line {number} of the ledger does not follow")


@pytest.mark.parametrize("number", range(1, LINES))
def test_two_lines_in_the_wrong_order_are_named(path: Path, number: int) -> None:
    tamper(
        path,
        f"UPDATE lines SET number = -1 WHERE number = {number}",
        f"UPDATE lines SET number = {number} WHERE number = {number + 1}",
        f"UPDATE lines SET number = {number + 1} WHERE number = -1",
    )
    assert complaint(path).startswith(f"line {number} of the ledger does not follow")


@pytest.mark.parametrize("number", [-3, 0, LINES + 1, LINES + 5])
def test_an_inserted_line_is_found(path: Path, number: int) -> None:
    tamper(path, f"INSERT INTO lines SELECT {number}, content, digest FROM lines WHERE number = {LINES}")
    named = min(number, LINES + 1)
    assert f"line {named} of the ledger" in complaint(path)


def test_a_rightly_chained_line_that_the_head_does_not_count_is_found(path: Path) -> None:
    _, content, last = rows(path)[-1]
    text = canonical({**json.loads(content), "number": LINES + 1})
    tamper(path, "INSERT INTO lines VALUES (?, ?, ?)", values=(LINES + 1, text, digest(text, last)))
    assert complaint(path).startswith(f"line {LINES + 1} of the ledger does not belong")


def test_a_changed_budget_is_found(path: Path) -> None:
    tamper(path, "UPDATE charter SET content = replace(content, '\"epsilon\":1.0', '\"epsilon\":9.0')")
    assert complaint(path).startswith("the header of the ledger")


def test_a_changed_budget_with_its_own_digest_is_found_at_the_first_line(path: Path) -> None:
    content = rows(path, "charter")[0][1].replace('"epsilon":1.0', '"epsilon":9.0')
    tamper(path, "UPDATE charter SET content = ?, digest = ?", values=(content, digest(content)))
    assert complaint(path).startswith("line 1 of the ledger does not follow from the header")


def test_a_changed_budget_of_an_unused_ledger_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"
    Ledger.create(path, Budget(1, unit="record"))
    content = rows(path, "charter")[0][1].replace('"epsilon":1.0', '"epsilon":9.0')
    tamper(path, "UPDATE charter SET content = ?, digest = ?", values=(content, digest(content)))
    assert "does not match the header" in complaint(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE head SET count = count - 1",
        "UPDATE head SET count = count + 1",
        "UPDATE head SET digest = 'a' || substr(digest, 2, 62) || 'g'",
        "UPDATE head SET digest = x'00'",
        "DELETE FROM head",
        "DELETE FROM charter",
    ],
)
def test_a_changed_head_is_found_on_opening(path: Path, statement: str) -> None:
    tamper(path, statement)
    with pytest.raises(LedgerTamperedError):
        Ledger(path)


@pytest.mark.parametrize("name", ["lines_stay", "lines_stand", "lines_follow", "head_advances", "charter_stands"])
def test_a_removed_trigger_is_found_on_opening(path: Path, name: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TRIGGER {name}")
    with pytest.raises(LedgerTamperedError, match="tables or triggers"):
        Ledger(path)


def test_an_added_trigger_is_found_on_opening(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER quiet AFTER INSERT ON lines BEGIN SELECT 1; END")
    with pytest.raises(LedgerTamperedError, match="tables or triggers"):
        Ledger(path)


def test_an_edited_past_is_never_composed_with(path: Path) -> None:
    tamper(path, "UPDATE lines SET content = replace(content, '\"epsilon\":0.06', '\"epsilon\":0.01')")
    ledger = Ledger(path)
    for operation in (
        lambda: ledger.charge(ApproximateEvent(0.01), unit="record", purpose=""),
        ledger.lines,
        ledger.spent,
        ledger.left,
    ):
        with pytest.raises(LedgerTamperedError, match="line 6"):
            operation()
    assert len(rows(path)) == LINES


def test_what_this_process_has_seen_cannot_be_rewritten_behind_its_back(path: Path) -> None:
    ledger = Ledger(path)
    ledger.spent()
    rewrite(path, lambda contents: contents[2].update(purpose="another"))
    Ledger(path).verify()
    for operation in (lambda: ledger.charge(ApproximateEvent(0.01), unit="record", purpose=""), ledger.verify):
        with pytest.raises(LedgerTamperedError):
            operation()
    rewrite(path, lambda contents: contents.clear())
    with pytest.raises(LedgerTamperedError, match=f"line 1 .*missing: {LINES} lines were there before"):
        ledger.spent()


# --- receipts


def test_the_receipt_of_every_line_stands(path: Path) -> None:
    ledger = Ledger(path)
    for line in ledger.lines():
        ledger.verify(Receipt.parse(str(line.receipt)))


def test_a_chain_written_anew_passes_alone_and_fails_against_a_receipt(path: Path) -> None:
    receipts = [line.receipt for line in Ledger(path).lines()]
    rewrite(path, lambda contents: contents[2]["event"].update(epsilon=0.0001))
    Ledger(path).verify()
    Ledger(path).verify(receipts[1])
    for receipt in receipts[2:]:
        with pytest.raises(LedgerTamperedError, match=f"line {receipt.line} of the ledger is not the one"):
            Ledger(path).verify(receipt)


def test_an_older_copy_fails_against_a_later_receipt(path: Path, tmp_path: Path) -> None:
    older = Path(shutil.copy(path, tmp_path / "older.ledger"))
    receipt = Ledger(path).charge(ApproximateEvent(0.1), unit="record", purpose="")
    Ledger(path).verify(receipt)
    with pytest.raises(
        LedgerTamperedError, match=f"line 7, of which there is a receipt, is not in the ledger: it holds {LINES}"
    ):
        Ledger(older).verify(receipt)


@pytest.mark.parametrize("line", [-1, 0])
def test_a_receipt_of_no_line_does_not_stand(path: Path, line: int) -> None:
    with pytest.raises(LedgerTamperedError, match="is not in the ledger"):
        Ledger(path).verify(Receipt(line, "0" * 64))


@pytest.mark.parametrize(
    "text", ["", "3", "3:", ":" + "a" * 64, "0:" + "a" * 64, "3:" + "a" * 63, "3:" + "g" * 64, "²:" + "a" * 64]
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="receipt must be LINE:DIGEST"):
        Receipt.parse(text)


# --- chains with right digests whose lines cannot have been charged


def test_lines_written_past_the_budget_are_found(path: Path) -> None:
    def overspend(contents: list[dict[str, Any]]) -> None:
        contents[3]["event"]["epsilon"] = 0.95

    rewrite(path, overspend)
    assert complaint(path).startswith("line 4 of the ledger goes past the budget of epsilon 1 per record")


@pytest.mark.parametrize(
    "change",
    [
        {"event": {"event": "telepathy"}},
        {"event": {"event": "laplace", "scale": -1, "sensitivity": 1}},
        {"event": [1]},
        {"unit": "row"},
        {"unit": "pair"},
        {"unit": "entry", "n_features": None},
        {"n_features": "many"},
        {"purpose": "\x1b[2J"},
        {"time": 3},
    ],
)
def test_a_rightly_chained_line_that_no_charge_could_have_written_is_named(path: Path, change: dict[str, Any]) -> None:
    rewrite(path, lambda contents: contents[2].update(change))
    assert "line 3 of the ledger" in complaint(path)


def test_a_rightly_chained_line_that_is_no_json_is_named(path: Path) -> None:
    for text in ("{", "[]", "3", "[" * 100_000):
        start = Head(0, "")
        with pytest.raises(LedgerTamperedError, match="line 1 of the ledger is not a charge"):
            list(follow([(1, text, digest(text, ""))], start, parse=Line.from_json))


def test_a_line_that_says_another_number_is_named(path: Path) -> None:
    content = rows(path)[3][1]
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger says that it is line 4"):
        list(follow([(1, content, digest(content, ""))], Head(0, ""), parse=Line.from_json))


# --- at random

CELLS = [
    ("lines", "number", st.integers(-(2**63), 2**63 - 1)),
    ("lines", "content", st.text() | st.binary()),
    ("lines", "digest", st.text() | st.binary()),
    ("charter", "content", st.text() | st.binary()),
    ("charter", "digest", st.text() | st.binary()),
    ("head", "count", st.integers(-(2**63), 2**63 - 1)),
    ("head", "digest", st.text() | st.binary()),
]
SLOW_FIXTURES = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SLOW_FIXTURES
@given(cell=st.sampled_from(CELLS), row=st.integers(0, LINES - 1), data=st.data())
def test_any_cell_that_is_overwritten_is_found(
    original: Path, tmp_path: Path, cell: tuple[str, str, st.SearchStrategy[Any]], row: int, data: st.DataObject
) -> None:
    path = Path(shutil.copy(original, tmp_path / "copy.ledger"))
    table, column, values = cell
    key = row + 1 if table == "lines" else 1
    value = data.draw(values)
    before = rows(path, table)
    try:
        tamper(path, f"UPDATE {table} SET {column} = ? WHERE rowid = ?", values=(value, key))
    except (sqlite3.IntegrityError, UnicodeEncodeError):
        return  # SQLite itself refused: a number that is taken already, or a text that is no text
    if rows(path, table) == before:
        return
    with pytest.raises(LedgerTamperedError):
        Ledger(path).verify()


@SLOW_FIXTURES
@given(
    row=st.integers(0, LINES - 1),
    position=st.integers(0, 10**6),
    letter=st.characters(min_codepoint=32, max_codepoint=126),
)
def test_any_single_letter_of_a_line_that_is_changed_is_found_and_named(
    original: Path, tmp_path: Path, row: int, position: int, letter: str
) -> None:
    path = Path(shutil.copy(original, tmp_path / "copy.ledger"))
    number, content, _ = rows(path)[row]
    place = position % len(content)
    changed = content[:place] + letter + content[place + 1 :]
    if changed == content:
        return
    tamper(path, "UPDATE lines SET content = ? WHERE number = ?", values=(changed, number))
    assert complaint(path).startswith(f"line {number} of the ledger")


@SLOW_FIXTURES
@given(position=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_a_flipped_byte_of_the_file_never_gives_other_lines(
    original: Path, tmp_path: Path, position: int, byte: int
) -> None:
    """A damaged file either fails with our own error or still holds exactly what was written."""
    raw = bytearray(original.read_bytes())
    raw[position % len(raw)] = byte
    path = tmp_path / "copy.ledger"
    path.write_bytes(raw)
    try:
        lines = Ledger(path).verify()
    except LedgerError:
        return
    assert [line.receipt for line in lines] == [line.receipt for line in Ledger(original).lines()]
