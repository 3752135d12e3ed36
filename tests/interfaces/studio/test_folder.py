"""Names of files in the studio's folder, and bodies and fields of forms."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from tests.interfaces.studio.client import run_apart

from tacit.errors import InputError
from tacit.interfaces.studio.bodies import Form, pieces
from tacit.interfaces.studio.folder import OWN, TABLES, WorkFolder, schema_name, split_name
from tacit.interfaces.studio.histogram import HEIGHT, histogram


def test_only_plain_names_of_known_kinds_are_files_of_the_folder(tmp_path: Path) -> None:
    folder = WorkFolder.at(tmp_path)
    assert folder.file("Ärzte 2024 (neu).csv") == tmp_path / "Ärzte 2024 (neu).csv"
    for name in (
        "../a.csv",
        "a/b.csv",
        "a\\b.csv",
        ".a.csv",
        "a",
        "a.py",
        "a.csv ",
        "-x.csv\n",
        f"{'a' * 200}.csv",
        "",
    ):
        with pytest.raises(InputError, match="name must be"):
            folder.file(name)
    with pytest.raises(InputError, match="no such file"):
        folder.existing("a.csv")


def test_links_and_folders_are_no_files(tmp_path: Path) -> None:
    folder = WorkFolder.at(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    for name in ("folder.csv", "link.csv"):
        with pytest.raises(InputError, match="plain file"):
            folder.file(name)
    assert folder.names(TABLES) == []


def test_names_are_listed_in_order_and_a_taken_one_gets_a_number(tmp_path: Path) -> None:
    folder = WorkFolder.at(tmp_path)
    for name in ("b.csv", "A.parquet", "c.toml", "visits.csv.gz", ".d.csv"):
        (tmp_path / name).write_text("x")
    assert folder.names(TABLES) == ["A.parquet", "b.csv", "visits.csv.gz"]
    assert folder.free("new.csv") == "new.csv"
    assert folder.free("visits.csv.gz") == "visits-1.csv.gz"
    assert split_name("visits.csv.gz") == ("visits", ".csv.gz")
    assert schema_name("visits.csv.gz") == "visits.toml"


def test_a_folder_must_be_there_and_keeps_its_own_files_to_its_owner(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder that is there"):
        WorkFolder.at(tmp_path / "none")
    WorkFolder.at(tmp_path)
    assert (tmp_path / OWN).stat().st_mode & 0o077 == 0
    (tmp_path / OWN).rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / OWN).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="write to"):
        WorkFolder.at(tmp_path)


def test_numbers_of_forms_may_have_a_comma_and_are_named_when_wrong() -> None:
    form = Form({"epsilon": ["0,5"], "rows": ["12"], "none": [""], "bad": ["x"], "name": ["a", "", "b "]})
    assert form.number("epsilon") == 0.5
    assert form.whole("rows") == 12
    assert form.whole("none") is None
    assert form.texts("name") == ["a", "b "]
    assert form.text("name") == "b"
    for read in (form.number, form.whole):
        with pytest.raises(InputError, match="bad must be a"):
            read("bad")


def asked(chunks: list[bytes], **headers: str) -> Request:
    messages = [{"type": "http.request", "body": each, "more_body": True} for each in chunks]

    async def receive() -> Any:
        if not messages:
            await asyncio.sleep(10)
        return messages.pop(0)

    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "PUT", "path": "/", "headers": pairs}, receive)


def read(request: Request, largest: int) -> bytes:
    async def collect() -> bytes:
        return b"".join([piece async for piece in pieces(request, largest, seconds=0.1)])

    return run_apart(collect())


@pytest.mark.parametrize(
    ("chunks", "headers", "status"),
    [
        ([b"a" * 60, b"a" * 60], {}, 413),  # longer than it said, or than it did not say
        ([b"a"], {"content_length": "101"}, 413),
        ([b"a"], {"content_length": "-1"}, 413),
        ([b"a"], {"content_length": "9" * 40}, 413),
        ([b"a"], {"content_length": "50"}, 408),  # the rest never comes
    ],
)
def test_a_body_that_is_too_long_or_stops_coming_is_cut_off(
    chunks: list[bytes], headers: dict[str, str], status: int
) -> None:
    with pytest.raises(HTTPException) as refused:
        read(asked(chunks, **headers), 100)
    assert refused.value.status_code == status


def test_a_histogram_is_one_path_whose_tallest_bar_fills_it() -> None:
    assert histogram([]) is None
    assert histogram([0, 0]) is None
    drawn = histogram([1, 2, 0, 400]) or ""
    assert drawn.count("<path") == 1
    assert drawn.count("M") == 3
    assert f"v-{HEIGHT}.0" in drawn
    # One of four hundred can still be seen.
    assert "v-1.0" in drawn
