"""A schema while it is edited: its rules, which of them were guessed from the rows, and the way back."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacit.data.schemas.column_rules import column_from_dict, column_to_dict
from tacit.data.schemas.columns import Column, Ignored, Person
from tacit.data.schemas.draft import HEADING
from tacit.data.schemas.file import format_schema, read_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import OWNER_ONLY, write_text
from tacit.interfaces.studio.folder import WorkFolder, schema_name
from tacit.interfaces.studio.schema_marks import marks_path, read_marks, stamp

MOST_STEPS = 200
# The name under which the texts that mean "missing" in every column are confirmed.
MISSING_TEXTS = ""


@dataclass(frozen=True)
class DraftStep:
    """One change: the rules of columns before it, the texts that meant missing, and what was guessed then."""

    rules: tuple[tuple[str, dict[str, Any]], ...]
    missing_values: tuple[str, ...]
    guessed: frozenset[str]


@dataclass(frozen=True)
class SchemaDraft:
    """A schema, the names of the columns whose facts were guessed, and the steps that lead back."""

    schema: Schema
    guessed: frozenset[str]
    steps: tuple[DraftStep, ...] = ()

    def column(self, name: str) -> Column:
        """Return the rule of the column called ``name``."""
        for column in self.schema.columns:
            if column.name == name:
                return column
        raise InputError(f"there is no column {name!r} in this schema.")

    def with_rule(self, name: str, rule: Mapping[str, Any]) -> "SchemaDraft":
        """Return the draft with another rule for a column, which its owner thereby states to be public."""
        before = self._step([name])
        column = column_from_dict(name, rule)
        columns = tuple(column if each.name == name else each for each in self.schema.columns)
        return self._changed(replace(self.schema, columns=columns), self.guessed - {name}, before)

    def with_missing_texts(self, texts: Collection[str]) -> "SchemaDraft":
        """Return the draft with other texts that mean a missing cell in every column."""
        schema = replace(self.schema, missing_values=tuple(texts))
        return self._changed(schema, self.guessed - {MISSING_TEXTS}, self._step([]))

    def confirmed(self, names: Collection[str]) -> "SchemaDraft":
        """Return the draft with the facts of ``names`` stated to be public as they are."""
        return self._changed(self.schema, self.guessed - set(names), self._step([]))

    def undone(self) -> tuple["SchemaDraft", tuple[str, ...]]:
        """Return the draft before its last change, and the names of the columns that this changes."""
        if not self.steps:
            raise InputError("there is nothing to undo.")
        step = self.steps[-1]
        rules = {name: column_from_dict(name, rule) for name, rule in step.rules}
        columns = tuple(rules.get(each.name, each) for each in self.schema.columns)
        schema = replace(
            self.schema, columns=columns, missing_values=step.missing_values, bounds_from_data=bool(step.guessed)
        )
        changed = (*rules, *(step.guessed ^ self.guessed))
        return SchemaDraft(schema, step.guessed, self.steps[:-1]), tuple(dict.fromkeys(changed))

    def _step(self, names: Collection[str]) -> DraftStep:
        rules = tuple((name, column_to_dict(self.column(name))) for name in names)
        return DraftStep(rules, self.schema.missing_values, self.guessed)

    def _changed(self, schema: Schema, guessed: frozenset[str], before: DraftStep) -> "SchemaDraft":
        steps = (*self.steps, before)[-MOST_STEPS:]
        return SchemaDraft(replace(schema, bounds_from_data=bool(guessed)), guessed, steps)


def guessed_columns(schema: Schema) -> frozenset[str]:
    """Return the columns of a fresh draft whose facts were read from the rows; "" for the texts of missing cells."""
    if not schema.bounds_from_data:
        return frozenset()
    names = {column.name for column in schema.columns if not isinstance(column, Ignored | Person)}
    return frozenset(names | ({MISSING_TEXTS} if schema.missing_values else set()))


class DraftStore:
    """The schemas of a folder, with what is remembered of their editing; read again when a file has changed."""

    def __init__(self, folder: WorkFolder) -> None:
        self._folder = folder
        self._cache: dict[str, tuple[list[int], SchemaDraft]] = {}

    def open(self, table: str) -> SchemaDraft:
        """Return the schema of ``table`` as it stands in its file."""
        path = self._folder.existing(schema_name(table))
        known, draft = self._cache.get(table, ([], None))
        if draft is None or known != stamp(path):
            draft = self._read(table, path)
            self._cache[table] = (stamp(path), draft)
        return draft

    def write(self, table: str, draft: SchemaDraft, remarks: Mapping[str, str]) -> None:
        """Write the schema as ``tacit schema draft`` would, and what is needed to go on editing it."""
        path = self._folder.existing(schema_name(table))
        comments = {name: text for name, text in remarks.items() if name in draft.guessed}
        heading = HEADING if draft.schema.bounds_from_data else ""
        write_text(path, format_schema(draft.schema, heading=heading, comments=comments))
        steps = [
            {"rules": list(step.rules), "missing": list(step.missing_values), "guessed": sorted(step.guessed)}
            for step in draft.steps
        ]
        content = {"stamp": stamp(path), "guessed": sorted(draft.guessed), "steps": steps}
        marks = marks_path(self._folder, table)
        marks.parent.mkdir(mode=0o700, exist_ok=True)
        write_text(marks, json.dumps(content), mode=OWNER_ONLY)
        self._cache[table] = (stamp(path), draft)

    def _read(self, table: str, path: Path) -> SchemaDraft:
        schema, marks = read_schema(path), read_marks(self._folder, table)
        if marks is None:
            return SchemaDraft(schema, guessed_columns(schema))
        steps = tuple(
            DraftStep(
                tuple((name, rule) for name, rule in step["rules"]), tuple(step["missing"]), frozenset(step["guessed"])
            )
            for step in marks["steps"]
        )
        return SchemaDraft(schema, frozenset(marks["guessed"]), steps)
