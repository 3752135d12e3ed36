"""Texts of strangers are harmless on a terminal and in a spreadsheet."""

import pytest

from tacit.errors import InputError
from tacit.files.plain_text import LONGEST_TEXT, cell_text, one_line, printable, printable_content, spreadsheet_text


def test_what_a_terminal_would_obey_becomes_a_mark() -> None:
    assert printable("a\x1b[2Jb\tc\nd\x9b\u202ee") == "a\ufffd[2Jb c d\ufffd\ufffde"
    assert printable("Grüße, κ = 1 – ok") == "Grüße, κ = 1 – ok"


def test_every_text_in_a_card_is_looked_at() -> None:
    content = {"a\x07": ["\x1b", {"b": ("c\x00", 1, None, True, 0.5)}]}
    assert printable_content(content) == {"a\ufffd": ["\ufffd", {"b": ["c\ufffd", 1, None, True, 0.5]}]}


@pytest.mark.parametrize("text", ["=1+1", "+a", "-a", "@x", "\tx", "-", "=", "--1"])
def test_a_formula_is_quoted_and_read_back(text: str) -> None:
    assert spreadsheet_text(text) == f"'{text}"
    assert cell_text(f"'{text}") == text


@pytest.mark.parametrize("text", ["-1", "+3.5", "-1e9", "a=b", "", "'", "'a", "2-3", "-inf"])
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert spreadsheet_text(text) == text
    assert cell_text(text) == text


def test_a_line_is_short_printable_text() -> None:
    assert one_line("purpose", "für uns") == "für uns"
    for wrong in (3, "a\nb", "\x1b[31m", "x" * (LONGEST_TEXT + 1)):
        with pytest.raises(InputError, match="purpose must be one line"):
            one_line("purpose", wrong)
