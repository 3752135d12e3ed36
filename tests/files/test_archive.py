import io
import stat
import struct
import warnings
import zipfile

import pytest

from tacit.errors import ReleaseError
from tacit.files import archive

CONTENTS = {"b.json": b"{}", "a.bin": b"\x00\x01\x02", "c.txt": b""}
END = 22


def written(contents: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    archive.write_archive(file, {name: [content] for name, content in contents.items()})
    return file.getvalue()


def read(raw: bytes) -> dict[str, bytes]:
    file = io.BytesIO(raw)
    return {name: archive.read_member(file, member) for name, member in archive.read_directory(file).items()}


def info(name: str, *, extra: bytes = b"", mode: int = 0o644, kind: int = stat.S_IFREG) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    made.external_attr = (kind | mode) << 16
    made.extra = extra
    return made


def by_python(*members: tuple[zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as made:
        warnings.simplefilter("ignore", UserWarning)  # it warns of a name given twice, which is the point of a test
        for member, content in members:
            made.writestr(member, content, compress_type=method)
    return file.getvalue()


def with_directory_field(raw: bytes, name: str, offset: int, form: str, value: int) -> bytes:
    """Overwrite one field in the directory's entry of ``name``."""
    changed = bytearray(raw)
    entry = raw.rindex(b"PK\x01\x02", 0, raw.rindex(name.encode()))
    struct.pack_into(form, changed, entry + offset, value)
    return bytes(changed)


def test_what_is_written_is_read() -> None:
    assert read(written(CONTENTS)) == CONTENTS


def test_it_is_byte_for_byte_the_zip_that_python_writes() -> None:
    assert written(CONTENTS) == by_python(*((info(name), CONTENTS[name]) for name in sorted(CONTENTS)))


def test_pieces_are_one_member() -> None:
    file = io.BytesIO()
    archive.write_archive(file, {"a.bin": [b"ab", memoryview(b"cd"), b""]})
    assert read(file.getvalue()) == {"a.bin": b"abcd"}


def test_the_order_of_the_members_makes_no_difference() -> None:
    assert written(CONTENTS) == written(dict(reversed(CONTENTS.items())))


def test_every_cut_is_refused() -> None:
    raw = written(CONTENTS)
    for length in range(len(raw)):
        with pytest.raises(ReleaseError):
            read(raw[:length])


def test_every_flipped_bit_is_refused() -> None:
    raw = written(CONTENTS)
    for bit in range(8 * len(raw)):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ReleaseError):
            read(bytes(changed))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "it is empty"),
        (b"PK", "not a tacit file"),
        (b"age,sex\n63,1\n", "not a tacit file"),
        (b"PK\x03\x04", "cut short"),
        (written({"a.bin": b"x"})[:-1], "cut short"),
        (b"#!/bin/sh\n" + written(CONTENTS), "not a tacit file"),
        (b"PK\x03\x04" + written(CONTENTS), "not one that tacit wrote"),
        (written(CONTENTS) + b"\x00", "something was added"),
        (written(CONTENTS) + written(CONTENTS), "not one that tacit wrote"),
        (by_python(), "not a tacit file"),
    ],
    ids=range(10),
)
def test_what_is_no_archive_is_refused_in_words(raw: bytes, message: str) -> None:
    with pytest.raises(ReleaseError, match=message):
        read(raw)


@pytest.mark.parametrize(
    "name", ["../a.json", "/etc/passwd", "..\\a.json", "C:\\a.json", "a/b.json", "a..json", "A.JSON", "é.json", "a\n.b"]
)
def test_a_name_that_is_a_path_is_refused(name: str) -> None:
    with pytest.raises(ReleaseError, match="whose name is a path"):
        read(by_python((info(name), b"x")))


def test_two_members_of_one_name_are_refused() -> None:
    with pytest.raises(ReleaseError, match=r"it holds a\.json twice"):
        read(by_python((info("a.json"), b"x"), (info("a.json"), b"y")))


def test_a_compressed_member_is_refused_and_with_it_every_bomb() -> None:
    bomb = by_python((info("a.json"), bytes(50_000_000)), method=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 100_000
    with pytest.raises(ReleaseError, match=r"a\.json is compressed"):
        read(bomb)


def test_an_encrypted_member_is_refused() -> None:
    with pytest.raises(ReleaseError, match=r"a\.bin is encrypted"):
        read(with_directory_field(written(CONTENTS), "a.bin", 8, "<H", 1))


def test_a_link_is_refused() -> None:
    with pytest.raises(ReleaseError, match=r"a\.json is a link"):
        read(by_python((info("a.json", kind=stat.S_IFLNK), b"/etc/passwd")))


@pytest.mark.parametrize(
    ("offset", "form", "value"),
    [
        pytest.param(24, "<I", 2**32 - 1, id="size"),
        pytest.param(42, "<I", 2**32 - 1, id="offset"),
        pytest.param(16, "<I", 0, id="checksum"),
        pytest.param(28, "<H", 2**16 - 1, id="name length"),
        pytest.param(30, "<H", 2**16 - 1, id="extra length"),
        pytest.param(32, "<H", 1, id="comment length"),
        pytest.param(14, "<H", 0, id="date"),
        pytest.param(8, "<H", 1 << 11, id="flags"),
        pytest.param(6, "<H", 45, id="version"),
        pytest.param(34, "<H", 1, id="disk"),
    ],
)
def test_a_directory_that_lies_is_refused(offset: int, form: str, value: int) -> None:
    with pytest.raises(ReleaseError):
        read(with_directory_field(written(CONTENTS), "b.json", offset, form, value))


def test_a_declared_size_beyond_the_file_is_refused_without_reading_it() -> None:
    raw = with_directory_field(written(CONTENTS), "c.txt", 24, "<I", 2**32 - 1000)
    raw = with_directory_field(raw, "c.txt", 20, "<I", 2**32 - 1000)
    local = raw.index(b"PK\x03\x04", raw.index(b"b.json"))
    changed = bytearray(raw)
    struct.pack_into("<2I", changed, local + 18, 2**32 - 1000, 2**32 - 1000)
    with pytest.raises(ReleaseError, match="do not fill it"):
        read(bytes(changed))


def test_bytes_hidden_between_members_are_refused() -> None:
    raw = written(CONTENTS)
    start = raw.index(b"PK\x01\x02")
    hidden = bytearray(raw[:start] + b"secret" + raw[start:])
    struct.pack_into("<I", hidden, len(hidden) - END + 16, start + 6)
    assert zipfile.ZipFile(io.BytesIO(bytes(hidden))).testzip() is None
    with pytest.raises(ReleaseError, match="bytes are missing or hidden"):
        read(bytes(hidden))


def test_bytes_hidden_by_a_wrong_offset_are_refused() -> None:
    raw = with_directory_field(written(CONTENTS), "a.bin", 42, "<I", 5)
    end = raw.index(b"PK\x03\x04", 1)
    shifted = bytearray(raw[:end] + b"12345" + raw[end:])
    for name in ("b.json", "c.txt"):
        offset = archive.read_directory(io.BytesIO(written(CONTENTS)))[name].offset
        shifted = bytearray(with_directory_field(bytes(shifted), name, 42, "<I", offset + 5))
    struct.pack_into("<I", shifted, len(shifted) - END + 16, raw.index(b"PK\x01\x02") + 5)
    with pytest.raises(ReleaseError, match=r"the header of a\.bin disagrees with the directory, or bytes are hidden"):
        read(bytes(shifted))


def test_extra_fields_and_comments_are_refused() -> None:
    with pytest.raises(ReleaseError):
        read(by_python((info("a.json", extra=b"\x99\x99\x02\x00hi"), b"x")))
    member = info("a.json")
    member.comment = b"hello"
    with pytest.raises(ReleaseError):
        read(by_python((member, b"x")))
    file = io.BytesIO(by_python((info("a.json"), b"x")))
    with zipfile.ZipFile(file, "a") as made:
        made.comment = b"hello"
    with pytest.raises(ReleaseError, match="something was added"):
        read(file.getvalue())


def test_the_extension_for_large_files_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made, made.open(info("a.json"), "w", force_zip64=True) as member:
        member.write(b"x")
    with pytest.raises(ReleaseError):
        read(file.getvalue())


def test_an_archive_of_many_members_is_refused_before_they_are_listed() -> None:
    names = [f"{chr(97 + i % 26)}{chr(97 + i // 26)}.json" for i in range(400)]
    with pytest.raises(ReleaseError, match="not one that tacit wrote"):
        read(by_python(*((info(name), b"x") for name in names)))


def test_a_file_above_the_limit_is_refused() -> None:
    raw = written(CONTENTS)
    archive.read_directory(io.BytesIO(raw), largest=len(raw))
    with pytest.raises(ReleaseError, match=f"at most {len(raw) - 1} are allowed"):
        archive.read_directory(io.BytesIO(raw), largest=len(raw) - 1)


def test_a_file_that_shrinks_while_it_is_read_is_refused() -> None:
    file = io.BytesIO(written(CONTENTS))
    members = archive.read_directory(file)
    file.truncate(members["a.bin"].start + 1)
    with pytest.raises(ReleaseError, match=r"a\.bin is damaged"):
        archive.read_member(file, members["a.bin"])


def test_content_beyond_the_limit_of_the_format_is_refused_before_anything_is_written() -> None:
    file = io.BytesIO()
    with pytest.raises(ReleaseError, match="a file holds less than 4294967295"):
        archive.write_archive(file, {"a.bin": [memoryview(bytes(2**24))] * 256})
    assert file.getvalue() == b""
