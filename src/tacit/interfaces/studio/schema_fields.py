"""The fields of the schema editor, and the rule of a column that they describe."""

from collections.abc import Callable, Mapping
from typing import Any

from tacit.data.schemas.column_rules import column_to_dict
from tacit.data.schemas.columns import Column
from tacit.errors import SchemaError

Fields = Mapping[str, str]


def rule_from_fields(column: Column, fields: Fields) -> dict[str, Any]:
    """Return the rule that the fields of the editor describe; settings that it does not show stay as they are."""
    kind = fields.get("kind", column.kind)
    rule = column_to_dict(column) if kind == column.kind else {}
    rule["kind"] = kind
    for setting, read in _READERS.get(kind, {}).items():
        value = read(fields)
        rule.pop(setting, None)
        if value is not None:
            rule[setting] = value
    return rule


def _numbers(fields: Fields) -> list[float]:
    try:
        return [float(fields.get(name, "").replace(",", ".")) for name in ("low", "high")]
    except ValueError:
        raise SchemaError("the lower and the upper bound must be numbers.") from None


def _dates(fields: Fields) -> list[str]:
    return [fields.get(name, "").strip() for name in ("low", "high")]


def _lines(fields: Fields) -> list[str]:
    return [line.strip() for line in fields.get("values", "").splitlines() if line.strip()]


def _missing(fields: Fields) -> float | str:
    word = fields.get("missing", "error")
    if word != "value":
        return word
    text = fields.get("missing_value", "")
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text.strip()


def _rows(fields: Fields) -> int | None:
    text = fields.get("rows", "").strip()
    if text and not text.isdecimal():
        raise SchemaError("the rows of one person must be a whole number of at least 1.")
    return int(text) if text else None


_READERS: dict[str, dict[str, Callable[[Fields], Any]]] = {
    "numeric": {"bounds": _numbers, "integer": lambda fields: fields.get("integer") == "on", "missing": _missing},
    "date": {"bounds": _dates, "step": lambda fields: fields.get("step", "day"), "missing": _missing},
    "pattern": {"pattern": lambda fields: fields.get("pattern", ""), "missing": _missing},
    "categorical": {"categories": _lines, "missing": _missing},
    "label": {"classes": _lines},
    "target": {"bounds": _numbers},
    "person": {"rows": _rows},
}
