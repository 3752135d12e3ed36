"""The zip archive of a release: members stored one after another, and every other byte checked when it is read.

General zip readers accept much: bytes before, between and after the members, two members of one name, two headers that
disagree, links, absolute paths. Here the frame (every byte that is no member's content) follows from the members'
names, sizes and checksums. The reader builds it again and compares, so that a file holds what its directory lists and
nothing else.

Members are stored, not compressed: noise does not compress, and an archive without compression cannot be a zip bomb.
"""

import re
import stat
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import BinaryIO, NamedTuple

from tacit.errors import ReleaseError

# Where the zip format's plain size and offset fields end; its extension for larger files is not used.
LARGEST_ARCHIVE = 2**32 - 1
MOST_MEMBERS = 8
LONGEST_NAME = 64
_NAME = re.compile(rf"[a-z.]{{1,{LONGEST_NAME}}}")

_LOCAL = struct.Struct("<4s5H3I2H")  # before each member
_CENTRAL = struct.Struct("<4s6H3I5H2I")  # one per member, in the directory behind them
_END = struct.Struct("<4s4H2IH")  # the last bytes of the file
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_LONGEST_DIRECTORY = MOST_MEMBERS * (_CENTRAL.size + LONGEST_NAME)
_LARGEST_FRAME = MOST_MEMBERS * (_LOCAL.size + LONGEST_NAME) + _LONGEST_DIRECTORY + _END.size

_ZIP_VERSION = 20
_MADE_ON_UNIX = 3 << 8
_MIDNIGHT, _FIRST_OF_1980 = 0, 1 << 5 | 1  # one fixed time, so that equal content gives equal bytes
_ATTRIBUTES = (stat.S_IFREG | 0o644) << 16

Pieces = Sequence[bytes | memoryview]


@dataclass(frozen=True)
class ArchiveMember:
    """One member as the directory lists it; its header begins at ``offset``."""

    name: str
    size: int
    checksum: int
    offset: int

    @property
    def start(self) -> int:
        """Position of the first byte of the content."""
        return self.offset + _LOCAL.size + len(self.name)

    @property
    def stop(self) -> int:
        """Position behind the last byte of the content."""
        return self.start + self.size


class _Entry(NamedTuple):
    """One entry of the directory, its fields in the order of the zip format."""

    mark: bytes
    made_by: int
    needed: int
    flags: int
    method: int
    time: int
    date: int
    checksum: int
    packed_size: int
    size: int
    name_length: int
    extra_length: int
    comment_length: int
    disk: int
    internal: int
    attributes: int
    offset: int


def write_archive(file: BinaryIO, contents: Mapping[str, Pieces]) -> None:
    """Write ``contents`` (each member a sequence of pieces) as an archive, members sorted by name."""
    members = _member_layout(contents)
    for member in members:
        file.write(_local_header(member))
        file.writelines(contents[member.name])
    file.write(_directory(members))


def read_directory(file: BinaryIO, *, largest: int = LARGEST_ARCHIVE) -> dict[str, ArchiveMember]:
    """Return the members by name after checking the whole frame; their content is not read yet."""
    size = file.seek(0, 2)
    if size > largest:
        raise ReleaseError(f"it has {size} bytes; at most {largest} are allowed (max_bytes).")
    members = _parse_directory(*_read_directory(file, size))
    _compare_frame(file, members, size)
    return {member.name: member for member in members}


def read_member(file: BinaryIO, member: ArchiveMember) -> bytes:
    """Return one member's content after checking its checksum."""
    file.seek(member.start)
    content = file.read(member.size)
    if len(content) != member.size or zlib.crc32(content) != member.checksum:
        raise ReleaseError(f"{member.name} is damaged: its checksum does not match. Fetch the file again.")
    return content


def _member_layout(contents: Mapping[str, Pieces]) -> list[ArchiveMember]:
    sizes = {name: sum(map(len, contents[name])) for name in sorted(contents)}
    if sum(sizes.values()) + _LARGEST_FRAME > LARGEST_ARCHIVE:
        raise ReleaseError(
            f"the content needs {sum(sizes.values())} bytes; a file holds less than {LARGEST_ARCHIVE}. "
            "Keep fewer arrays, or narrower ones (float32)."
        )
    members: list[ArchiveMember] = []
    for name, size in sizes.items():
        checksum = reduce(lambda crc, piece: zlib.crc32(piece, crc), contents[name], 0)
        members.append(ArchiveMember(name, size, checksum, members[-1].stop if members else 0))
    return members


def _local_header(member: ArchiveMember) -> bytes:
    fixed = (_LOCAL_MARK, _ZIP_VERSION, 0, 0, _MIDNIGHT, _FIRST_OF_1980)
    return _LOCAL.pack(*fixed, member.checksum, member.size, member.size, len(member.name), 0) + member.name.encode()


def _central_header(member: ArchiveMember) -> bytes:
    entry = _Entry(
        mark=_CENTRAL_MARK,
        made_by=_MADE_ON_UNIX | _ZIP_VERSION,
        needed=_ZIP_VERSION,
        flags=0,
        method=0,
        time=_MIDNIGHT,
        date=_FIRST_OF_1980,
        checksum=member.checksum,
        packed_size=member.size,
        size=member.size,
        name_length=len(member.name),
        extra_length=0,
        comment_length=0,
        disk=0,
        internal=0,
        attributes=_ATTRIBUTES,
        offset=member.offset,
    )
    return _CENTRAL.pack(*entry) + member.name.encode()


def _directory(members: Sequence[ArchiveMember]) -> bytes:
    entries = b"".join(map(_central_header, members))
    start = members[-1].stop if members else 0
    return entries + _END.pack(_END_MARK, 0, 0, len(members), len(members), len(entries), start, 0)


def _read_directory(file: BinaryIO, size: int) -> tuple[bytes, int]:
    """Return the directory's entries and their number; raise ReleaseError if it is longer than tacit writes it."""
    if size == 0:
        raise ReleaseError("it is empty.")
    file.seek(0)
    if file.read(len(_LOCAL_MARK)) != _LOCAL_MARK:
        raise ReleaseError("it is not a tacit file (a release or a model).")
    file.seek(max(size - _END.size, 0))
    record = file.read(_END.size)
    if len(record) < _END.size or not record.startswith(_END_MARK):
        raise ReleaseError("it is cut short, or something was added at its end. Fetch it again.")
    _, _, _, _, count, length, start, _ = _END.unpack(record)
    if length > _LONGEST_DIRECTORY or start + length + _END.size != size:
        raise ReleaseError("it is a zip, but not one that tacit wrote, or its directory is damaged.")
    file.seek(start)
    return file.read(length), count


def _parse_directory(entries: bytes, count: int) -> list[ArchiveMember]:
    members: list[ArchiveMember] = []
    position = 0
    for _ in range(count):
        if len(entries) - position < _CENTRAL.size:
            raise ReleaseError("its directory is damaged: it ends too early.")
        entry = _Entry._make(_CENTRAL.unpack_from(entries, position))
        name_start = position + _CENTRAL.size
        position = name_start + entry.name_length + entry.extra_length + entry.comment_length
        member = _member(entry, entries[name_start : name_start + entry.name_length])
        if any(member.name == other.name for other in members):
            raise ReleaseError(f"it holds {member.name} twice.")
        members.append(member)
    return members


def _member(entry: _Entry, raw_name: bytes) -> ArchiveMember:
    """Return the member of one entry; raise ReleaseError for what zip files allow and tacit files do not."""
    name = raw_name.decode("ascii", errors="replace")
    if not _NAME.fullmatch(name) or ".." in name:
        raise ReleaseError("it holds a member whose name is a path, or otherwise not one that tacit writes.")
    if entry.flags & 1:
        raise ReleaseError(f"{name} is encrypted; the members of a tacit file never are.")
    if entry.method != 0 or entry.packed_size != entry.size:
        raise ReleaseError(f"{name} is compressed; the members of a tacit file never are.")
    if stat.S_ISLNK(entry.attributes >> 16):
        raise ReleaseError(f"{name} is a link to another file; a tacit file holds its content itself.")
    return ArchiveMember(name, entry.size, entry.checksum, entry.offset)


def _compare_frame(file: BinaryIO, members: Sequence[ArchiveMember], size: int) -> None:
    """Raise ReleaseError unless every byte that is no member's content is the one that `write_archive` writes."""
    position = 0
    for member in members:
        header = _local_header(member)
        file.seek(position)
        if member.offset != position or file.read(len(header)) != header:
            raise ReleaseError(f"the header of {member.name} disagrees with the directory, or bytes are hidden there.")
        position = member.stop
    directory = _directory(members)
    if position + len(directory) != size:
        raise ReleaseError("its members and its directory do not fill it: bytes are missing or hidden.")
    file.seek(position)
    if file.read() != directory:
        raise ReleaseError("its directory is damaged, or not one that tacit wrote.")
