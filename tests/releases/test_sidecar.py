"""The release beside a fabricated table, tied to it by a digest."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tacit.errors import InputError, ReleaseError
from tacit.releases.file import Release, write_release
from tacit.releases.sidecar import digest, is_table, open_release, release_path, table_path


@pytest.fixture
def table(tmp_path: Path, release: Release) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    settings = {**release.settings, "table_sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    write_release(replace(release, settings=settings), release_path(path))
    return path


def test_a_table_and_its_release_name_each_other() -> None:
    table, release = Path("x/rows.csv"), Path("x/rows.csv.tacit")
    assert (is_table(table), is_table(release)) == (True, False)
    assert release_path(table) == release
    assert table_path(table) == table_path(release) == table
    assert is_table(Path("ROWS.PARQUET"))


def test_the_release_is_opened_by_either_name(table: Path) -> None:
    assert open_release(table) == open_release(release_path(table))
    assert open_release(table).settings["table_sha256"] == digest(table)


def test_a_table_that_was_changed_is_refused(table: Path) -> None:
    table.write_text("a,b\n1,3\n")
    with pytest.raises(ReleaseError, match=r"not the table that rows\.csv\.tacit belongs to"):
        open_release(table)


def test_half_of_the_two_files_is_refused_with_what_is_missing(table: Path) -> None:
    content = table.read_bytes()
    table.unlink()
    with pytest.raises(InputError, match="no such file, though its release is there"):
        open_release(table)
    table.write_bytes(content)
    release_path(table).unlink()
    with pytest.raises(InputError, match=r"no rows\.csv\.tacit beside it"):
        open_release(table)
