"""Schemas as TOML files that people write and read."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tacit.data.schemas.column_rules import expand_run
from tacit.data.schemas.schema import Schema
from tacit.errors import SchemaError

# A longer list is written one item a line.
WIDEST_LIST = 100
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read_schema(path: str | os.PathLike[str]) -> Schema:
    """Return the schema in the TOML file at ``path``; errors name the file."""
    return parse_schema(_content(Path(path)), source=Path(path).name)


def read_card_table(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the table ``[card]`` of the TOML file at ``path``: facts for the card, which are no part of the schema."""
    content = _parsed(_content(Path(path)), Path(path).name)
    table: dict[str, Any] = content.get("card", {})
    return table


def _content(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise SchemaError(
            f"{file}: the schema cannot be read ({problem.strerror or problem}). "
            "Give the path of a TOML file; `tacit schema draft` writes a first one."
        ) from None
    except UnicodeDecodeError:
        raise SchemaError(f"{file}: a schema must be UTF-8 text. Save it as UTF-8.") from None


def _parsed(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SchemaError(f"{source}: not a TOML file: {problem}.") from None


def parse_schema(text: str, *, source: str = "schema") -> Schema:
    """Return the schema in the TOML ``text``; ``source`` names it in errors."""
    content = _parsed(text, source)
    # Facts for the card stand in the same file, but a schema does not carry them: see `read_card_table`.
    content.pop("card", None)
    rules = content.get("columns")
    if not isinstance(rules, dict):
        raise SchemaError(f"{source}: no columns. Add one table per column, such as [columns.age].")
    for name, rule in rules.items():
        if not isinstance(rule, dict) or "name" in rule:
            raise SchemaError(f"{source}: column {name!r} must be a table of settings without a 'name' of its own.")
    content["columns"] = [{"name": name, **rule} for name, rule in rules.items()]
    return Schema.from_dict(content, source=source)


def format_schema(schema: Schema, *, heading: str = "", comments: Mapping[str, str] | None = None) -> str:
    """Return ``schema`` as TOML text that `parse_schema` reads back; ``comments`` stand above columns, by name."""
    remarks = comments or {}
    content = schema.to_dict()
    lines = [*_comment(heading), *([""] if heading else [])]
    lines += [f"{key} = {_value(value)}" for key, value in content.items() if key not in {"columns", "image"}]
    for rule in content["columns"]:
        name = rule.pop("name")
        lines += ["", *_comment(remarks.get(expand_run(name)[0], "")), f"[columns.{_key(name)}]"]
        lines += [f"{key} = {_value(value)}" for key, value in rule.items()]
    if "image" in content:
        lines += ["", "[image]", *(f"{key} = {_value(value)}" for key, value in content["image"].items())]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"# {line}".rstrip()


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        # 17.0 is read back as equal to 17, which is what a person would have written.
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_text(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        items = [_value(item) for item in value]
        line = "[" + ", ".join(items) + "]"
        return line if len(line) <= WIDEST_LIST else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    return str(value)


def _text(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are TOML's too, except that TOML also escapes DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
