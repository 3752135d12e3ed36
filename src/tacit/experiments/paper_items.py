"""What a paper contains, item by item, and what became of each: read from a list that was drawn up from the paper."""

import tomllib
from dataclasses import field
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.records import record

VERDICTS = ("reproduced", "not reproduced", "unsound, mended", "data not public", "nothing to reproduce", "not built")


@record
class PaperItem:
    """A theorem, lemma, definition, proposition, remark, algorithm, table or figure of a paper."""

    name: str
    subject: str
    """Its number, such as ``Algorithm 3``, and what it is about."""
    verdict: str
    reason: str = ""
    """One of ``VERDICTS``, and why."""
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    """Paths of modules, and of tests with ``::`` and the test's name, from the root of the repository."""
    command: str = ""
    """What runs it again."""
    printed: str = ""
    ours: str = ""
    """The figures of the paper, and ours in words: ``{1}`` is the first of the list below, and so on."""
    figures: tuple[tuple[str, ...], ...] = ()
    """Table, method, setting and perhaps metric of recorded figures of ours."""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise InputError(f"verdict of {self.name} must be one of {', '.join(VERDICTS)}; got {self.verdict!r}.")


@record
class PaperFinding:
    """A claim of a paper that does not hold as printed: what is wrong, what is done instead, and what shows it."""

    claim: str
    fault: str
    mended: str
    command: str


@record
class Paper:
    """A paper, the numbered items that it has, and what became of them.

    ``numbered`` gives for each sort of item the ranges of its numbers, as in ``Figure = ["3.1-3.11"]``. In the prose of
    ``summary`` and of items ``{table|method|setting}`` stands for a recorded figure of ours.
    """

    key: str
    title: str
    summary: str
    """What came out, in short."""
    items: tuple[PaperItem, ...]
    numbered: dict[str, list[str]]
    tables: tuple[str, ...] = ()
    findings: tuple[PaperFinding, ...] = field(default=())
    authors: str = ""
    about: str = ""
    """What the paper proposes, and where that is in tacit."""

    def expected_names(self) -> set[str]:
        """Return the names of all items that the paper numbers."""
        return {
            f"{sort} {number}" for sort, ranges in self.numbered.items() for span in ranges for number in _numbers(span)
        }


def _numbers(span: str) -> list[str]:
    """Return the numbers of a range: ``3.1-3.3`` are 3.1, 3.2 and 3.3; ``5`` is itself."""
    first, _, last = span.partition("-")
    chapter, dot, start = first.rpartition(".")
    end = (last or first).rpartition(".")[2]
    return [f"{chapter}{dot}{number}" for number in range(int(start), int(end) + 1)]


def read_paper(path: Path) -> Paper:
    """Return the paper whose list stands in a TOML file."""
    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    items = tuple(PaperItem(**_tuples(item)) for item in content.pop("item"))
    findings = tuple(PaperFinding(**finding) for finding in content.pop("finding", ()))
    return Paper(items=items, findings=findings, **content | {"tables": tuple(content.get("tables", ()))})


def _tuples(item: dict[str, Any]) -> dict[str, Any]:
    figures = tuple(tuple(figure) for figure in item.get("figures", ()))
    lists = {name: tuple(value) for name, value in item.items() if isinstance(value, list)}
    return item | lists | {"figures": figures}


def read_papers(folder: Path) -> list[Paper]:
    """Return the papers whose lists stand in ``items`` below a folder, by file name."""
    return [read_paper(path) for path in sorted((folder / "items").glob("*.toml"))]
