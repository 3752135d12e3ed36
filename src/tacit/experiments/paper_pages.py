"""The pages about the papers, made of the lists of their items and of recorded figures."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tacit.experiments.paper_items import VERDICTS, Paper, PaperItem, read_papers
from tacit.experiments.recorded import RecordedTable, recorded_tables
from tacit.experiments.registry import EXPERIMENTS, Experiment
from tacit.experiments.table_layout import layout
from tacit.files.atomic import write_text

INDEX = "README.md"
UNMEASURED = "not measured here"
# From docs/papers to the root of the repository.
ROOT_LINK = "../../"
MADE = (
    "<!-- Made from the list in items/ and the figures in figures/ by `tacit reproduce NAME --write`; "
    "do not edit it here. -->"
)
# In prose: table, method, setting and perhaps metric of a recorded figure.
PLACE = re.compile(r"\{([a-z-]+(?:\|[^{}|]+){2,3})\}")
NUMBERED = re.compile(r"\{(\d+)\}")
ITEM_COLUMNS = ("item", "where", "test", "command", "printed", "ours", "verdict")
FINDING_COLUMNS = ("claim", "what is wrong", "what tacit does", "what shows it")

Recorded = Mapping[str, RecordedTable]


def paper_page(paper: Paper, recorded: Recorded) -> str:
    """Return the page of a paper: what it is, what came out in short, faults of proofs, every item, every table."""
    parts = [MADE, f"# [{paper.key}] {paper.title}", f"{paper.authors}. {unwrapped(paper.about)}", _contents(paper)]
    parts += ["## What came out", filled(unwrapped(paper.summary), recorded)]
    if paper.findings:
        faults = [(finding.claim, finding.fault, finding.mended, f"`{finding.command}`") for finding in paper.findings]
        parts += ["## What does not hold as printed", markdown_table(FINDING_COLUMNS, faults)]
    lines = [item_line(item, recorded) for item in paper.items]
    parts += ["## Item by item", VERDICT_WORDS, markdown_table(ITEM_COLUMNS, lines)]
    parts += [table_section(name, recorded.get(name)) for name in paper.tables]
    return "\n\n".join(parts) + "\n"


def _contents(paper: Paper) -> str:
    """Return the number of items by verdict, with links to their list and to the tables of ours below it."""
    count, verdicts = _counts(paper)
    words = f"Its {count} numbered items, [one by one](#item-by-item): {verdicts}."
    if not paper.tables:
        return words
    tables = ", ".join(table_link(name) for name in paper.tables)
    return f"{words} Tables of ours, each run again by `tacit reproduce` and its name: {tables}."


def table_link(name: str) -> str:
    """Return a link to a table of ours on the same page."""
    return f"[{name}](#tacit-reproduce-{name})"


def unwrapped(text: str) -> str:
    """Return prose with each paragraph and each point of a list on one line: figures in it differ in length."""
    return re.sub(r"(?<!\n)\n(?!\n|- ) *", " ", text.strip())


def filled(text: str, recorded: Recorded) -> str:
    """Return prose with the recorded figures in their places, three decimals of a fraction or one of a larger number.

    A place is ``{table|method|setting}`` or ``{table|method|setting|metric}``.
    """
    return PLACE.sub(lambda place: _in_prose(recorded, *place.group(1).split("|")), text)


def _in_prose(recorded: Recorded, name: str, *rest: str) -> str:
    row = recorded[name].figure(*rest) if name in recorded else None
    if row is None:
        return UNMEASURED
    return f"{row.mean:.1f}" if abs(row.mean) >= 1 else f"{row.mean:.3f}".replace("0.", ".", 1)


VERDICT_WORDS = (
    "*Reproduced*: built as stated, tested, and where there is a figure ours supports the claim. *Not reproduced*: "
    "built, and ours does not support it. *Unsound, mended*: false or not private as printed; the default is a sound "
    "form. *Data not public*: the printed figures are of data that are private, need a licence or could not be had, as "
    "the reason says. *Nothing to reproduce*: a drawing, a list of words or a remark that claims nothing. *Not built*: "
    "nothing here does it."
)


def item_line(item: PaperItem, recorded: Recorded) -> tuple[str, ...]:
    """Return the cells of one item."""
    tests = ", ".join(link(test) for test in item.tests)
    verdict = f"*{item.verdict}*" + (f": {filled(item.reason, recorded)}" if item.reason else "")
    where = ", ".join(link(path) for path in item.code)
    command = f"`{item.command}`" if item.command else ""
    return (
        f"**{item.name}** {item.subject}",
        where,
        tests,
        command,
        item.printed,
        our_figures(item, recorded),
        verdict,
    )


def our_figures(item: PaperItem, recorded: Recorded) -> str:
    """Return recorded figures of ours; without a list of them what ``ours`` says, or that none was measured.

    In ``ours`` ``{1}`` is the first of the listed figures, and so on; without such places they follow it.
    """
    if not item.figures:
        return filled(item.ours, recorded) or (UNMEASURED if item.printed else "")
    rows = [recorded[name].figure(*rest) if name in recorded else None for name, *rest in item.figures]
    figures = [UNMEASURED if row is None else f"{row.mean:.4g}" for row in rows]
    if NUMBERED.search(item.ours):
        return NUMBERED.sub(lambda place: figures[int(place.group(1)) - 1], item.ours)
    return f"{item.ours} {' / '.join(figures)}".strip()


def link(path: str) -> str:
    """Return a link to a file of the repository, from a page about a paper; a test's name is shown, not linked."""
    file, _, name = path.partition("::")
    shown = name or Path(file).name
    return f"[{shown.removeprefix('test_').replace('_', ' ') if name else shown}]({ROOT_LINK}{file})"


def table_section(name: str, table: RecordedTable | None, summary: str = "") -> str:
    """Return a table of ours with its conditions, every row of it; or that it was not measured."""
    title = f"## `tacit reproduce {name}`" + (f"\n\n{summary[0].upper()}{summary[1:]}." if summary else "")
    if table is None:
        return f"{title}\n\n{UNMEASURED.capitalize()}."
    return f"{title}\n\n{table.caption()}\n\n{markdown_table(*layout(table.rows))}"


def markdown_table(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    rows = [columns, ["---"] * len(columns), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def index_page(papers: Sequence[Paper], recorded: Recorded, tables: Sequence[Experiment] = EXPERIMENTS) -> str:
    """Return the first page: the papers with their verdicts counted, and the tables that belong to none of them."""
    lines = [(f"[[{paper.key}]]({paper.key}.md)", paper.title, *_counts(paper)) for paper in papers]
    of_papers = {name for paper in papers for name in paper.tables}
    others = [table for table in tables if table.name not in of_papers]
    parts = [
        MADE,
        "# The papers, item by item",
        INDEX_WORDS,
        markdown_table(("page", "title", "items", "verdicts"), lines),
        "## Tables of no paper",
        ", ".join(table_link(table.name) for table in others),
        *(table_section(table.name, recorded.get(table.name), table.summary) for table in others),
    ]
    return "\n\n".join(parts) + "\n"


INDEX_WORDS = (
    "Every theorem, lemma, definition, proposition, remark, algorithm, table and figure of the papers that tacit "
    "builds on: where it is here, how it is tested, what runs it again, the printed figure beside ours, and what came "
    "out. Rows that lose are shown. `tacit reproduce NAME --write` measures a table again and refreshes its page; "
    "`tacit reproduce --all --write` does so for all (some twelve hours), `tacit reproduce --all --quick` runs all of "
    "them small (ten minutes of a processor)."
)


def _counts(paper: Paper) -> tuple[str, str]:
    verdicts = [item.verdict for item in paper.items]
    counted = [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts]
    return str(len(verdicts)), "; ".join(counted)


def write_pages(folder: Path) -> None:
    """Write all pages anew from the lists and figures below ``folder``."""
    recorded = recorded_tables((table.name for table in EXPERIMENTS), folder)
    papers = read_papers(folder)
    for paper in papers:
        write_text(folder / f"{paper.key}.md", paper_page(paper, recorded))
    write_text(folder / INDEX, index_page(papers, recorded))
