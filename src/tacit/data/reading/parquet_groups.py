"""How many rows a row group of a Parquet file has: a range of rows is cheap to read if it begins and ends with one."""

from collections.abc import Iterator
from pathlib import Path

# Of the footer: the columns and the first row group stand at its beginning, however many groups follow.
_BEGINNING = 1 << 20
_MAGIC, _TAIL = b"PAR1", 8
# Types of Thrift's compact protocol, and the fields of Parquet's FileMetaData and RowGroup that are looked at.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_ROW_GROUPS, _NUMBER_OF_ROWS = 4, 3


def rows_of_group(content: Path | bytes) -> int | None:
    """Return the number of rows of the first row group; None where it cannot be told.

    Writers make all groups alike but the last. The number decides how a file is cut, never what is read from it:
    reading is the library's, which does not say where groups end.
    """
    try:
        rows = _first_group(_Compact(_footer(content)))
    except (OSError, IndexError, ValueError, RecursionError):
        return None
    return rows if rows is not None and rows > 0 else None


def group_end(start: int, group: int | None, most: int) -> int:
    """Return where reading stops that begins at row ``start``, after at most ``most`` rows (a larger group in parts).

    >>> group_end(0, 125_000, 131_072), group_end(125_000, 50_000, 131_072), group_end(0, 200_000, 131_072)
    (125000, 200000, 100000)
    """
    if not group:
        return start + most
    if group <= most:
        return (start // group + most // group) * group
    part = -(-group // -(-group // most))
    first = start // group * group
    return first + min(group, ((start - first) // part + 1) * part)


def _footer(content: Path | bytes) -> bytes:
    """Return the beginning of the footer, which stands before its length and a mark at the end of the file."""
    if isinstance(content, bytes):
        length = _length(content[-_TAIL:])
        return content[len(content) - _TAIL - length : -_TAIL][:_BEGINNING]
    with content.open("rb") as file:
        end = file.seek(-_TAIL, 2)
        length = _length(file.read(_TAIL))
        file.seek(end - length)
        return file.read(min(length, _BEGINNING))


def _length(tail: bytes) -> int:
    if tail[4:] != _MAGIC:
        raise ValueError(tail[4:])
    return int.from_bytes(tail[:4], "little")


class _Compact:
    """Values of Thrift's compact protocol, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def varint(self) -> int:
        number, shift = 0, 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield number and type of each field of a struct; each is to be read or skipped before the next."""
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else _signed(self.varint())
            yield number, head & 0x0F

    def list_head(self) -> tuple[int, int]:
        """Return the length of a list and the type of what it holds."""
        head = self.byte()
        return (self.varint() if head >> 4 == 0x0F else head >> 4), head & 0x0F

    def pass_over(self, n_bytes: int) -> None:
        self.place += n_bytes
        if self.place > len(self.data):
            raise IndexError(self.place)

    def skip(self, kind: int) -> None:
        if kind in {_TRUE, _FALSE}:
            return
        if kind in {_BYTE, _DOUBLE}:
            self.pass_over(1 if kind == _BYTE else 8)
        elif kind == _BINARY:
            self.pass_over(self.varint())
        elif kind in {_LIST, _SET}:
            length, inner = self.list_head()
            for _ in range(length):
                # In a list a truth value takes a byte of its own.
                self.skip(_BYTE if inner in {_TRUE, _FALSE} else inner)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner)
        elif kind == _MAP:
            raise ValueError(kind)  # Parquet's metadata has none
        else:
            self.varint()


def _first_group(footer: _Compact) -> int | None:
    for number, kind in footer.fields():
        if number == _ROW_GROUPS:
            length, _ = footer.list_head()
            return _group_rows(footer) if length else None
        footer.skip(kind)
    return None


def _group_rows(footer: _Compact) -> int | None:
    for number, kind in footer.fields():
        if number == _NUMBER_OF_ROWS:
            return _signed(footer.varint())
        footer.skip(kind)
    return None


def _signed(number: int) -> int:
    """Return the number that is written zigzag: 0, -1, 1, -2, ..."""
    return (number >> 1) ^ -(number & 1)
