"""Attack a release with rows that were in its table and rows that were not."""

from pathlib import Path

from tacit.audit.attacks.release_attack import ReleaseAttack, attack_release
from tacit.data.rows.encoding import Encoded, encode
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.regular import FilePath
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.workflows.fabricated_tables import open_fabricated
from tacit.workflows.tables import Progress, Table, as_schema, encoded_rows, no_progress


def attack(
    file: FilePath,
    members: Table,
    non_members: Table,
    *,
    schema: Schema | FilePath | None = None,
    shadows: int = 32,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> ReleaseAttack:
    """Return how well attacks on the release at ``file`` tell members from non-members.

    Parameters
    ----------
    file : path
        A release or a fabricated table.
    members, non_members : path, DataFrame or Encoded
        Rows that the release was made of, and rows of the same kind that were not in the table.
    schema : Schema, path or None
        Of both tables; None: the release's own.
    shadows : int
        How often each row is in a shadow table; 0 leaves that attack out.
    """
    release = open_release(Path(file))
    rules = _schema(release, schema)
    inside, outside = (encoded_rows(table, rules, progress=progress) for table in (members, non_members))
    rows = _fabricated_rows(Path(file), release, rules)
    progress("attacking with shadow releases" if shadows else "attacking")
    return attack_release(release, inside, outside, rules, rows=rows, appearances=shadows, seed=seed)


def _schema(release: Release, schema: Schema | FilePath | None) -> Schema:
    if schema is not None:
        return as_schema(schema)
    if release.schema is None:
        raise InputError("--schema must be given: this release does not carry the schema of its table.")
    return Schema.from_dict(release.schema, source="the release's schema")


def _fabricated_rows(file: Path, release: Release, schema: Schema) -> Encoded | None:
    # Only a fabricated table is tied to its release by a digest.
    if "table_sha256" not in release.settings:
        return None
    return encode(open_fabricated(file).table, schema, labels="required", source=file.name)
