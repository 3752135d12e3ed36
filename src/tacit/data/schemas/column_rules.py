"""Columns as plain values: what a schema file and a release hold of them."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from tacit.data.schemas.coded_columns import Date, Pattern
from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric, Person, Target, shown
from tacit.errors import SchemaError

KINDS: dict[str, type[Column]] = {
    kind.kind: kind for kind in (Numeric, Date, Pattern, Categorical, Label, Target, Ignored, Person)
}


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
