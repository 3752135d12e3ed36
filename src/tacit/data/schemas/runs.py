"""Numbered columns under one name: ``pixel{0..783}`` stands for pixel0, pixel1, … pixel783."""

import re
from collections.abc import Iterator
from typing import Any

from tacit.errors import SchemaError

_RUN = re.compile(r"(?P<head>.*)\{(?P<first>[0-9]{1,9})\.\.(?P<last>[0-9]{1,9})\}(?P<tail>.*)", re.DOTALL)

Rule = tuple[str, dict[str, Any]]


def is_run(name: str) -> bool:
    """Whether ``name`` stands for several columns."""
    return _RUN.fullmatch(name) is not None


def count_run(name: str) -> int:
    """Return how many columns ``name`` stands for."""
    match = _RUN.fullmatch(name)
    if match is None:
        return 1
    count = int(match["last"]) - int(match["first"]) + 1
    if count < 1:
        raise SchemaError(f"column {name!r}: a run {{first..last}} must go upwards; swap the numbers.")
    return count


def expand_run(name: str) -> tuple[str, ...]:
    """Return the column names that ``name`` stands for; leading zeros of the first number are kept.

    >>> expand_run("pixel{8..10}"), expand_run("age")
    (('pixel8', 'pixel9', 'pixel10'), ('age',))
    """
    match = _RUN.fullmatch(name)
    if match is None:
        return (name,)
    first, width = int(match["first"]), len(match["first"])
    numbers = range(first, first + count_run(name))
    return tuple(f"{match['head']}{number:0{width}d}{match['tail']}" for number in numbers)


def join_runs(rules: list[Rule]) -> Iterator[Rule]:
    """Yield ``rules`` in order, three or more numbered neighbours with the same rule as one run."""
    start = 0
    while start < len(rules):
        name, rule = rules[start]
        stop = start + 1
        while stop < len(rules) and rules[stop] == (_successor(rules[stop - 1][0]), rule):
            stop += 1
        if stop - start > 2:
            head = len(name.rstrip("0123456789"))
            yield f"{name[:head]}{{{name[head:]}..{rules[stop - 1][0][head:]}}}", rule
        else:
            yield from rules[start:stop]
        start = stop


def _successor(name: str) -> str | None:
    head = name.rstrip("0123456789")
    number = name[len(head) :]
    if not 1 <= len(number) <= 8:
        return None
    return f"{head}{int(number) + 1:0{len(number)}d}"
