"""A chain of lines is followed to its end, or refused at the first line that is not as it was written."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tacit.errors import LedgerTamperedError
from tacit.files.hash_chain import Head, canonical, digest, follow, require_head

START = Head(0, digest("header"))


@dataclass(frozen=True)
class Entry:
    number: int
    text: str


def parsed(content: str, stored: str) -> Entry:
    number, _, text = content.partition(" ")
    assert stored
    return Entry(int(number), text)


def chain(*texts: str) -> list[tuple[int, Any, Any]]:
    rows, before = [], START.digest
    for number, text in enumerate(texts, start=1):
        content = f"{number} {text}"
        before = digest(content, before)
        rows.append((number, content, before))
    return rows


def followed(rows: list[tuple[int, Any, Any]]) -> Iterator[Entry]:
    return follow(rows, START, parse=parsed)


def test_a_chain_gives_its_lines_in_their_order() -> None:
    assert [entry.text for entry in followed(chain("a", "b", "c"))] == ["a", "b", "c"]
    assert list(followed([])) == []


def test_lines_before_a_fault_are_given_and_none_after_it() -> None:
    rows = chain("a", "b", "c")
    rows[1] = (2, "2 x", rows[1][2])
    entries = followed(rows)
    assert next(entries).text == "a"
    with pytest.raises(LedgerTamperedError, match="line 2 of the ledger does not follow from line 1"):
        next(entries)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_line_is_named(place: int) -> None:
    rows = chain("a", "b", "c", "d")
    del rows[place]
    with pytest.raises(LedgerTamperedError, match=f"line {place + 1} of the ledger is missing"):
        list(followed(rows))


def test_a_line_that_stands_twice_does_not_belong() -> None:
    rows = chain("a", "b")
    with pytest.raises(LedgerTamperedError, match="line 2 of the ledger does not belong"):
        list(followed([*rows, rows[1]]))


def test_the_first_line_follows_from_the_header() -> None:
    rows = chain("a")
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger does not follow from the header"):
        list(follow(rows, Head(0, digest("another header")), parse=parsed))


@pytest.mark.parametrize("content", [None, 3, b"1 a"])
def test_content_that_is_no_text_was_edited(content: Any) -> None:
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger does not follow"):
        list(followed([(1, content, digest("1 a", START.digest))]))


def test_a_rightly_chained_line_that_cannot_be_read_was_edited() -> None:
    content = "one a"
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger is not a charge"):
        list(followed([(1, content, digest(content, START.digest))]))


def test_a_rightly_chained_line_with_another_number_was_moved() -> None:
    content = "7 a"
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger says that it is line 7"):
        list(followed([(1, content, digest(content, START.digest))]))


def test_a_head_must_stand_where_the_lines_end() -> None:
    reached = Head(2, digest("end"))
    require_head(reached, reached)
    with pytest.raises(LedgerTamperedError, match="line 3 of the ledger is missing: its head counts 5 lines, 2"):
        require_head(reached, Head(5, reached.digest))
    with pytest.raises(LedgerTamperedError, match="line 2 of the ledger does not belong"):
        require_head(reached, Head(1, reached.digest))
    with pytest.raises(LedgerTamperedError, match="does not match line 2, the last,"):
        require_head(reached, Head(2, digest("other")))
    with pytest.raises(LedgerTamperedError, match="does not match the header"):
        require_head(START, Head(0, digest("other")))


def test_one_letter_anywhere_changes_every_digest_after_it() -> None:
    first, second = (chain(text, "b", "c") for text in ("a", "A"))
    assert all(one[2] != two[2] for one, two in zip(first, second, strict=True))
    assert canonical({"a": 1}) != canonical({"a": 1.5})
