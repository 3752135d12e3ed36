"""The schema of a table: public facts about its columns, which encoding and privacy depend on."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

import numpy as np

from tacit import checks
from tacit.arrays import IntArray
from tacit.data.reading.csv_dialect import UNKNOWN, CsvDialect
from tacit.data.reading.frames import polars_frame
from tacit.data.schemas.bad_records import BadRecords, can_refuse, with_policy
from tacit.data.schemas.column_rules import column_from_dict, column_to_dict, count_run, expand_run, is_run, join_runs
from tacit.data.schemas.columns import (
    Categorical,
    Column,
    Feature,
    Ignored,
    Label,
    Numeric,
    Person,
    Target,
    checked_texts,
)
from tacit.data.schemas.conditions import Constraint, parse_constraint
from tacit.data.schemas.frame_columns import PublicFact, frame_columns
from tacit.data.schemas.sharing import Pairing, SharedColumns, share_classes, share_columns
from tacit.errors import SchemaError

VERSION = 1
# What every card says of the schema.
PUBLIC = "the schema: columns, bounds, categories and classes"
MOST_COLUMNS = 100_000
_SETTINGS = (
    "version",
    "bounds_from_data",
    "extra_columns",
    "missing_values",
    "bad_records",
    "constraints",
    "csv",
    "columns",
    "image",
)


@dataclass(frozen=True)
class Image:
    """Numeric columns that are the pixels of a picture, row by row: ``shape`` is [height, width] or with channels."""

    columns: tuple[str, ...]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        shape: list[Any] = list(self.shape)
        are_sizes = all(isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in shape)
        if len(shape) not in {2, 3} or not are_sizes or math.prod(shape) != len(self.columns):
            raise SchemaError(
                f"image: shape must be [height, width] or [height, width, channels] with a product equal to the "
                f"number of its columns, {len(self.columns)}; got {shape!r}."
            )


@dataclass(frozen=True)
class Schema:
    """The public facts about a table: its columns, their bounds, categories and classes.

    Nothing in a schema is protected: it travels with a release. Bounds and categories must therefore be known
    without looking at the private rows.

    Parameters
    ----------
    columns : tuple of Column
        In the order of the encoded matrix.
    image : Image or None
        Which numeric columns are a picture.
    missing_values : tuple of str
        Cell texts that mean "missing" in every column; an empty cell always does.
    extra_columns : "error" or "ignore"
        What to do with a column of the table that the schema does not list.
    bounds_from_data : bool
        Set in a draft: its bounds and categories were read from the rows, and releasing with them leaks.
    constraints : tuple of str
        What is publicly known to hold between columns: ``"pregnant = yes implies sex = female"``, or
        ``"first_visit <= last_visit"`` for two numbers. Fabricated rows keep them.
    csv : CsvDialect
        How the owner's CSV files are written, as far as it is not to be found from them.

    Examples
    --------
    >>> schema = Schema((Numeric("age", (0, 110)), Categorical("sex", ("female", "male"))))
    >>> schema.encoded_names
    ('age', 'sex = female', 'sex = male')
    """

    columns: tuple[Column, ...]
    image: Image | None = None
    missing_values: tuple[str, ...] = ()
    extra_columns: str = "error"
    bounds_from_data: bool = False
    constraints: tuple[str, ...] = ()
    csv: CsvDialect = UNKNOWN

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "missing_values", checked_texts("missing_values", self.missing_values))
        checks.one_of("extra_columns", self.extra_columns, ("error", "ignore"), error=SchemaError)
        if not isinstance(self.bounds_from_data, bool):
            raise SchemaError(f"bounds_from_data must be true or false; got {self.bounds_from_data!r}.")
        self._check_names()
        self._check_image()
        object.__setattr__(self, "constraints", checked_texts("constraints", self.constraints))
        # Parsed once, so that a constraint that cannot be read is refused here.
        _ = self.parsed_constraints

    def _check_names(self) -> None:
        names = [column.name for column in self.columns]
        repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if repeated:
            raise SchemaError(f"column {repeated[0]!r} is listed twice; each column has one rule.")
        runs = [name for name in names if is_run(name)]
        if runs:
            raise SchemaError(
                f"column {runs[0]!r}: a name like a run {{first..last}} cannot be told from one; rename it."
            )
        labels = [column.name for column in self.columns if isinstance(column, Label | Target)]
        if len(labels) > 1:
            raise SchemaError(
                f"at most one column may be the label or the target; got {labels}. Make the others 'ignored'."
            )
        persons = [column.name for column in self.columns if isinstance(column, Person)]
        if len(persons) > 1:
            raise SchemaError(f"at most one column may be of kind 'person'; got {persons}. Make the others 'ignored'.")
        if not self.features:
            raise SchemaError("a schema needs at least one numeric or categorical column; got none.")

    def _check_image(self) -> None:
        if self.image is None:
            return
        kinds = {column.name: column for column in self.columns}
        pixels = [kinds.get(name) for name in self.image.columns]
        for name, pixel in zip(self.image.columns, pixels, strict=True):
            if not isinstance(pixel, Numeric) or pixel.flagged:
                raise SchemaError(f'image: {name!r} must be a numeric column of the schema without missing = "flag".')
        if len({pixel.bounds for pixel in pixels if isinstance(pixel, Numeric)}) > 1:
            raise SchemaError("image: all its columns must have the same bounds, such as [0, 255].")

    @cached_property
    def parsed_constraints(self) -> tuple[Constraint, ...]:
        """The constraints in the form in which rows are tested."""
        return tuple(parse_constraint(text, self.columns) for text in self.constraints)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The numeric and categorical columns."""
        return tuple(column for column in self.columns if isinstance(column, Numeric | Categorical))

    @cached_property
    def label(self) -> Label | None:
        """The column of classes to predict, if there is one."""
        return next((column for column in self.columns if isinstance(column, Label)), None)

    @cached_property
    def target(self) -> Target | None:
        """The number to predict, if there is one."""
        return next((column for column in self.columns if isinstance(column, Target)), None)

    @cached_property
    def person(self) -> Person | None:
        """The column that says whose row it is, if there is one."""
        return next((column for column in self.columns if isinstance(column, Person)), None)

    def with_target_as_number(self) -> "Schema":
        """Return the schema with the number to predict as a column like any other, which may be missing."""
        numbers = (
            replace(column.as_number, missing="flag") if isinstance(column, Target) else column
            for column in self.columns
        )
        return self if self.target is None else replace(self, columns=tuple(numbers))

    def with_person(self, name: str) -> "Schema":
        """Return the schema with the column ``name`` of kind 'person': one that it ignores or does not list."""
        listed = {column.name: column for column in self.columns}
        if not isinstance(listed.get(name, Ignored(name)), Ignored | Person):
            raise SchemaError(
                f"person must be a column that the schema ignores or does not list; got {name!r}, which is of kind "
                f"{listed[name].kind!r}. A person's name is never encoded: give that column kind 'person'."
            )
        if self.person is not None:
            if self.person.name != name:
                raise SchemaError(f"person must be {self.person.name!r}, as the schema says; got {name!r}.")
            return self
        others = tuple(column for column in self.columns if column.name != name)
        return replace(self, columns=(*others, Person(name)))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the label, in the order of their codes."""
        return () if self.label is None else self.label.classes

    @cached_property
    def encoded_names(self) -> tuple[str, ...]:
        """Names of the encoded columns."""
        return tuple(name for column in self.features for name in column.encoded_names)

    @cached_property
    def positions(self) -> Mapping[str, range]:
        """Where each feature's encoded columns stand in the matrix."""
        ends = accumulate(len(column.encoded_names) for column in self.features)
        return {
            column.name: range(end - len(column.encoded_names), end)
            for column, end in zip(self.features, ends, strict=True)
        }

    @property
    def image_positions(self) -> IntArray:
        """Encoded positions of the picture's pixels, row by row; empty without a picture."""
        pixels = () if self.image is None else self.image.columns
        return np.array([self.positions[name].start for name in pixels], dtype=np.int64)

    @property
    def groups(self) -> dict[str | None, tuple[int, ...]]:
        """Encoded positions of each named group of features; those without a group stand under None."""
        members: dict[str | None, list[int]] = {}
        for column in self.features:
            members.setdefault(column.group, []).extend(self.positions[column.name])
        return {group: tuple(positions) for group, positions in members.items()}

    def with_bad_records(self, policy: BadRecords | str) -> Self:
        """Return the schema with a rule for every cell, so that no record decides whether a table is released.

        ``policy`` is "refuse" (as it is), "clip", "category" or "missing"; see `tacit.data.schemas.bad_records`.
        """
        chosen = checks.one_of("bad_records", policy, list(BadRecords), error=SchemaError)
        pixels = set() if self.image is None else set(self.image.columns)
        columns = (with_policy(column, chosen, is_pixel=column.name in pixels) for column in self.columns)
        return replace(self, columns=tuple(columns))

    @property
    def refusing_columns(self) -> tuple[str, ...]:
        """The columns of which some cell could make a table unreadable: one record then stops a release."""
        return tuple(column.name for column in self.columns if can_refuse(column))

    def require_public_bounds(self) -> None:
        """Refuse a draft whose bounds were read from the data; every private release calls this first."""
        if self.bounds_from_data:
            raise SchemaError(
                "bounds_from_data is true: this draft's bounds and categories were read from the rows, and a release "
                "would give them away. Replace them with publicly known ones, then delete the line from the schema."
            )

    def require_classes(self) -> None:
        """Raise SchemaError unless the schema names a label with at least two classes."""
        if len(self.classes) < 2:
            raise SchemaError("the schema must name a label with at least two classes; declare one of kind 'label'.")

    def shared_with(self, other: "Schema") -> SharedColumns:
        """Return which columns of ``other`` mean the same as ours, and how their encodings correspond.

        Columns match by name and kind. Two declared images match as images: by pixel if their shapes agree, and
        otherwise not at all (the result's ``images`` then holds both shapes).
        """
        classes = share_classes(self.label, other.label)
        places = (self.positions, other.positions)
        if self.image is None or other.image is None:
            return replace(share_columns(self.features, other.features, positions=places), classes=classes)
        features = (_features_outside_image(self), _features_outside_image(other))
        shared = replace(share_columns(*features, positions=places), classes=classes)
        if self.image.shape != other.image.shape:
            return replace(shared, images=(self.image.shape, other.image.shape))
        pixels = zip(self.image_positions.tolist(), other.image_positions.tolist(), strict=True)
        pairings = tuple(Pairing(own, others) for own, others in pixels)
        return replace(shared, names=shared.names + self.image.columns, pairings=shared.pairings + pairings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; columns are a list, so that no writer can change their order."""
        content: dict[str, Any] = {"version": VERSION}
        if self.bounds_from_data:
            content["bounds_from_data"] = True
        if self.extra_columns != "error":
            content["extra_columns"] = self.extra_columns
        if self.missing_values:
            content["missing_values"] = list(self.missing_values)
        if self.constraints:
            content["constraints"] = list(self.constraints)
        if self.csv != UNKNOWN:
            content["csv"] = self.csv.to_dict()
        rules = [(column.name, column_to_dict(column)) for column in self.columns]
        content["columns"] = [{"name": name, **rule} for name, rule in join_runs(rules)]
        if self.image is not None:
            pixels = [name for name, _ in join_runs([(name, {}) for name in self.image.columns])]
            content["image"] = {"columns": pixels, "shape": list(self.image.shape)}
        return content

    @classmethod
    def from_frame(
        cls, frame: Any, *, label: str | None = None, bounds: Mapping[str, PublicFact], missing: bool = False
    ) -> Self:
        """Return the schema of a data frame (pandas, polars, pyarrow), from its names and types; no cell is read.

        Parameters
        ----------
        frame : DataFrame
        label : str or None
            The column to predict.
        bounds : mapping
            What is publicly known of each column: (low, high) of numbers, the list of categories of texts, the classes
            of the label. Columns that it does not name are ignored.
        missing : bool, default False
            Whether cells may be missing: numbers then get a flag, categories one more category.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"age": [40], "ward": [7], "ill": ["yes"]})
        >>> schema = Schema.from_frame(frame, label="ill", bounds={"age": (0, 110), "ill": ["no", "yes"]})
        >>> schema.encoded_names, schema.classes
        (('age',), ('no', 'yes'))
        """
        return cls(frame_columns(polars_frame(frame), label=label, bounds=bounds, missing=missing))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], *, source: str = "schema") -> Self:
        """Return the schema that `to_dict` wrote; ``source`` names the file in error messages."""
        try:
            settings = _settings(content)
            policy = settings.pop("bad_records", BadRecords.REFUSE)
            return cls(**settings).with_bad_records(policy)
        except SchemaError as problem:
            raise SchemaError(f"{source}: {problem}") from None


def _features_outside_image(schema: Schema) -> list[Feature]:
    pixels = set() if schema.image is None else set(schema.image.columns)
    return [column for column in schema.features if column.name not in pixels]


def _settings(content: Any) -> dict[str, Any]:
    version = content.get("version") if isinstance(content, Mapping) else None
    if version != VERSION:
        raise SchemaError(f"version must be {VERSION}; got {version!r}. Put version = {VERSION} on the first line.")
    for key in content:
        if key not in _SETTINGS:
            raise SchemaError(f"unknown setting {key!r}; a schema has {', '.join(_SETTINGS)}.")
    named = ("bounds_from_data", "extra_columns", "missing_values", "bad_records", "constraints")
    settings = {key: content[key] for key in named if key in content}
    if "csv" in content:
        settings["csv"] = CsvDialect.from_dict(content["csv"])
    settings["columns"] = tuple(_read_columns(content.get("columns")))
    if "image" in content:
        settings["image"] = _read_image(content["image"])
    return settings


def _read_columns(rules: Any) -> Iterator[Column]:
    if not isinstance(rules, list) or not all(
        isinstance(rule, Mapping) and isinstance(rule.get("name"), str) for rule in rules
    ):
        raise SchemaError(f"columns must be a list of rules, each with a name; got {type(rules).__name__}.")
    # Counted before it is expanded: a few short lines from a stranger's release must not fill the memory.
    n_columns = sum(count_run(rule["name"]) for rule in rules)
    if n_columns > MOST_COLUMNS:
        raise SchemaError(f"a schema may have at most {MOST_COLUMNS} columns; got {n_columns}.")
    for rule in rules:
        for name in expand_run(rule["name"]):
            yield column_from_dict(name, {key: value for key, value in rule.items() if key != "name"})


def _read_image(content: Any) -> Image:
    if (
        not isinstance(content, Mapping)
        or set(content) != {"columns", "shape"}
        or not isinstance(content["shape"], list)
    ):
        raise SchemaError(f'image needs exactly columns = ["pixel{{0..783}}"] and shape = [28, 28]; got {content!r}.')
    columns = content["columns"]
    names = checked_texts("image: columns", [columns] if isinstance(columns, str) else columns)
    if sum(count_run(name) for name in names) > MOST_COLUMNS:
        raise SchemaError(f"image: at most {MOST_COLUMNS} columns.")
    return Image(tuple(name for run in names for name in expand_run(run)), tuple(content["shape"]))
