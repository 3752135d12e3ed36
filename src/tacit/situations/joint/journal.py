"""What a party or the aggregator has said in a run, kept so that a restart repeats it and never says it otherwise."""

import struct
from collections.abc import Iterator, MutableMapping
from pathlib import Path

from tacit.errors import InputError
from tacit.files import atomic
from tacit.situations.joint.messages import Message
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError

# A run in one process that nobody resumes keeps its entries in a plain dict.
Journal = MutableMapping[str, bytes]
_LENGTH = struct.Struct("<Q")


class FolderJournal(MutableMapping[str, bytes]):
    """Entries as files of a folder, each written whole and kept on disk before it is used.

    Parameters
    ----------
    folder : Path
        Made if it is not there; readable by its owner alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> bytes:
        path = self.folder / name
        if not path.is_file():
            raise KeyError(name)
        return path.read_bytes()

    def __setitem__(self, name: str, content: bytes) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"{self.folder} cannot be made: {problem.strerror}.") from problem
        atomic.write_bytes(self.folder / name, content, mode=atomic.OWNER_ONLY)

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        (self.folder / name).unlink()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(path.name for path in self.folder.glob("*") if path.is_file()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class AnswerBook:
    """Questions with their answers, by stage and query: each is answered once.

    Parameters
    ----------
    journal : mutable mapping of str to bytes
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def answer_to(self, question: Message, request: bytes) -> bytes | None:
        """Return the answer that was given before; refuse the same question with another content."""
        entry = self._journal.get(_name(question.stage, question.query))
        if entry is None:
            return None
        before, answer = _parts(entry)
        if before != request:
            raise JoinRefusedError(JoinRefusal.REPEATED)
        return answer

    def keep(self, question: Message, request: bytes, answer: bytes) -> None:
        """Write an answer down, before it leaves."""
        self._journal[_name(question.stage, question.query)] = _LENGTH.pack(len(request)) + request + answer

    def question(self, stage: str, query: int) -> Message:
        """Return a question that was answered before; refuse to go on without it."""
        return Message.from_bytes(self._entry(stage, query)[0])

    def answer(self, stage: str, query: int) -> bytes:
        """Return the signed answer that was given to a question; refuse to go on without it."""
        return self._entry(stage, query)[1]

    def answered(self, stage: str) -> int:
        """Return how many queries in a row, from the first on, have an answer in this stage."""
        count = 0
        while _name(stage, count) in self._journal:
            count += 1
        return count

    def _entry(self, stage: str, query: int) -> tuple[bytes, bytes]:
        entry = self._journal.get(_name(stage, query))
        if entry is None:
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return _parts(entry)


def _name(stage: str, query: int) -> str:
    return f"{stage}-{query}"


def _parts(entry: bytes) -> tuple[bytes, bytes]:
    (length,) = _LENGTH.unpack_from(entry)
    end = _LENGTH.size + length
    return entry[_LENGTH.size : end], entry[end:]
