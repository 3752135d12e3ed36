"""Texts from files of strangers, made harmless where they are shown: on a terminal, and in a spreadsheet."""

from typing import Any

from tacit.errors import InputError

# The longest text that a ledger or a card takes, unless it says otherwise.
LONGEST_TEXT = 500
# What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: str) -> str:
    """Return ``text`` with blanks for line breaks, and a mark for whatever else a terminal would take for a command."""
    return "".join(letter if letter.isprintable() else " " if letter.isspace() else "\ufffd" for letter in text)


def printable_content(content: Any) -> Any:
    """Return JSON-like ``content`` with every text in it `printable`, keys included."""
    if isinstance(content, str):
        return printable(content)
    if isinstance(content, dict):
        return {printable_content(key): printable_content(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [printable_content(each) for each in content]
    return content


def spreadsheet_text(text: str) -> str:
    """Return ``text`` behind an apostrophe if a spreadsheet would run it as a formula; numbers stay numbers."""
    return f"'{text}" if text.startswith(FORMULA) and not _is_number(text) else text


def cell_text(text: str) -> str:
    """Return what `spreadsheet_text` was given."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(FORMULA) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def one_line(name: str, text: Any, *, longest: int = LONGEST_TEXT) -> str:
    """Return ``text`` if it is one line of printable text that no terminal takes for a command."""
    rule = f"{name} must be one line of printable text of at most {longest} characters"
    if not isinstance(text, str):
        raise InputError(f"{rule}; got a {type(text).__name__}.")
    if len(text) > longest:
        raise InputError(f"{rule}; got {len(text)} characters.")
    if not text.isprintable():
        raise InputError(f"{rule}; got line breaks or control characters.")
    return text
