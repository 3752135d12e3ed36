"""Classes of a release under the receiver's names, where the two call the same thing differently."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tacit.data.schemas.columns import Label
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.releases.file import Release
from tacit.releases.lesson import owner_schema


def renamed_classes(releases: Sequence[Release], names: Mapping[str, str]) -> list[Release]:
    """Return the releases with classes renamed from the owners' names to the receiver's; nothing else changes.

    Raise InputError for a name that no release has, or if two classes of one release would get the same name.
    """
    if not names:
        return list(releases)
    schemas = [owner_schema(each) if each.schema is not None else None for each in releases]
    class_names = {name for schema in schemas if schema is not None for name in schema.classes}
    unknown = sorted(set(names) - class_names)
    if unknown:
        raise InputError(
            f"rename must name classes of the releases: {', '.join(sorted(class_names)) or 'they have none'}; "
            f"got {unknown[0]!r}."
        )
    return [
        each if schema is None or schema.label is None else replace(each, schema=_renamed(schema, names).to_dict())
        for each, schema in zip(releases, schemas, strict=True)
    ]


def _renamed(schema: Schema, names: Mapping[str, str]) -> Schema:
    classes = tuple(names.get(each, each) for each in schema.classes)
    if len(set(classes)) < len(classes):
        raise InputError(f"rename must keep the classes of a release apart; it would have {', '.join(classes)}.")
    columns = tuple(
        # Texts of the owner's cells play no part any more.
        Label(column.name, classes) if isinstance(column, Label) else column
        for column in schema.columns
    )
    return replace(schema, columns=columns)
