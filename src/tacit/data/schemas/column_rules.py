"""Columns as plain values, as a schema file and a release hold them; numbered ones under one name.

``pixel{0..783}`` stands for pixel0, pixel1, … pixel783.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

from tacit.data.schemas.coded_columns import Date, Pattern
from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric, Person, Target, shown
from tacit.errors import SchemaError

Rule = tuple[str, dict[str, Any]]
KINDS: dict[str, type[Column]] = {
    kind.kind: kind for kind in (Numeric, Date, Pattern, Categorical, Label, Target, Ignored, Person)
}
_RUN = re.compile(r"(?P<head>.*)\{(?P<first>[0-9]{1,9})\.\.(?P<last>[0-9]{1,9})\}(?P<tail>.*)", re.DOTALL)


def column_from_dict(name: str, rule: Mapping[str, Any]) -> Column:
    """Return the column that ``rule`` describes: ``{"kind": "numeric", "bounds": [0, 110]}``."""
    if not isinstance(rule, Mapping):
        raise SchemaError(f'column {name!r}: expected a table of settings; got {rule!r}. Start with kind = "numeric".')
    kind = rule.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise SchemaError(f"column {name!r}: kind must be one of {shown(KINDS)}; got {kind!r}.")
    settings = {f.name: f for f in fields(KINDS[kind]) if f.name != "name" and f.init}
    for key in rule:
        if key != "kind" and key not in settings:
            raise SchemaError(
                f"column {name!r}: a {kind} column has no setting {key!r}; it takes {shown(('kind', *settings))}."
            )
    for key, setting in settings.items():
        if setting.default is MISSING and setting.default_factory is MISSING and key not in rule:
            raise SchemaError(f"column {name!r}: a {kind} column needs {key!r}; add it to the schema.")
    return KINDS[kind](name, **{key: value for key, value in rule.items() if key != "kind"})


def column_to_dict(column: Column) -> dict[str, Any]:
    """Return ``column`` as plain JSON values without its name and without settings left at their default."""
    rule: dict[str, Any] = {"kind": column.kind}
    for setting in fields(column):
        value = getattr(column, setting.name)
        if setting.name != "name" and setting.init and value not in (setting.default, {}):
            rule[setting.name] = list(value) if isinstance(value, tuple) else value
    if isinstance(column, Date):
        rule["bounds"] = [column.shown(bound) for bound in column.bounds]
    return rule


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
