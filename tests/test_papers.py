"""The pages about the papers: complete, up to date, and every link, test, command and figure in them exists."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from tacit.experiments.paper_items import Paper, PaperFinding, PaperItem, read_papers
from tacit.experiments.paper_pages import (
    INDEX,
    NUMBERED,
    PLACE,
    UNMEASURED,
    filled,
    index_page,
    our_figures,
    paper_page,
)
from tacit.experiments.recorded import recorded_tables
from tacit.experiments.registry import EXPERIMENTS
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY
from tacit.interfaces.cli.main import app

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "papers"
PAPERS = read_papers(FOLDER)
RECORDED = recorded_tables((table.name for table in EXPERIMENTS), FOLDER)
NAMES = {table.name for table in EXPERIMENTS}
ITEMS = [(paper, item) for paper in PAPERS for item in paper.items]
FINDINGS = [finding for paper in PAPERS for finding in paper.findings]
AGAIN = "Write the pages anew: tacit reproduce NAME --write, or tacit.experiments.paper_pages.write_pages."


def exists(path: str) -> bool:
    """Return whether a file exists and, after ``::``, holds a test of that name."""
    file, _, name = path.partition("::")
    target = ROOT / file
    return target.is_file() and (not name or f"def {name}(" in target.read_text(encoding="utf-8"))


def runs(command: str) -> bool:
    """Return whether what a command names exists: a table, a test, or a script of the repository."""
    words = shlex.split(command)
    if words[:2] == ["tacit", "reproduce"]:
        return words[2] in NAMES
    if words[:3] == ["python", "-m", "pytest"]:
        return exists(words[3])
    return words[0] == "python" and exists(words[1])


def identity(value: Any) -> str:
    return value.key if isinstance(value, Paper) else str(getattr(value, "name", value))


def test_there_is_a_page_for_each_of_the_five_papers() -> None:
    assert {paper.key for paper in PAPERS} == {"membership", "pptl", "dpa", "hull", "thesis"}


@pytest.mark.parametrize("paper", PAPERS, ids=identity)
def test_every_numbered_item_of_a_paper_has_a_row_and_no_other_has(paper: Paper) -> None:
    assert {item.name for item in paper.items} == paper.expected_names()


@pytest.mark.parametrize("paper", PAPERS, ids=identity)
def test_a_page_is_what_its_list_and_figures_make_it(paper: Paper) -> None:
    assert (FOLDER / f"{paper.key}.md").read_text(encoding="utf-8") == paper_page(paper, RECORDED), AGAIN


def test_the_index_is_up_to_date() -> None:
    assert (FOLDER / INDEX).read_text(encoding="utf-8") == index_page(PAPERS, RECORDED), AGAIN


PROSE = [(paper, paper.summary) for paper in PAPERS]
PROSE += [(paper, text) for paper, item in ITEMS for text in (item.reason, item.ours) if text]
# A figure typed into prose: a decimal fraction that is no epsilon, number of an equation or section, or setting.
PERCENT = re.compile(r"(?<![\w.])\d{1,2}(?:\.\d+)?(?![\w.])")
TYPED = re.compile(r"(?<![\w.])\.\d{2,4}(?![\w.])")


def test_every_paper_says_who_wrote_it_and_what_it_proposes() -> None:
    for paper in PAPERS:
        assert paper.authors
        assert len(paper.about) > 100
        assert "`" in paper.about, "where it is in tacit"


@pytest.mark.parametrize(("paper", "text"), PROSE)
def test_places_in_prose_are_recorded_figures(paper: Paper, text: str) -> None:
    for place in PLACE.findall(text):
        name, *rest = place.split("|")
        assert name in NAMES, place
        assert name not in RECORDED or RECORDED[name].figure(*rest), place
    assert "{" not in NUMBERED.sub("", filled(text, RECORDED))


@pytest.mark.parametrize("item", [item for _, item in ITEMS if NUMBERED.search(item.ours)], ids=identity)
def test_each_listed_figure_has_its_place_in_the_words_about_them(item: PaperItem) -> None:
    assert [int(place) for place in NUMBERED.findall(item.ours)] == list(range(1, len(item.figures) + 1))
    assert "{" not in our_figures(item, RECORDED)


def rounded_forms(values: list[float]) -> set[str]:
    """Return fractions as prose has them, with two to four decimals and no 0 before the point."""
    return {f"{abs(value):.{digits}f}".lstrip("0") for value in values for digits in (2, 3, 4)}


@pytest.mark.parametrize(("paper", "text"), PROSE)
def test_a_fraction_typed_into_prose_is_printed_in_the_paper_or_recorded(paper: Paper, text: str) -> None:
    """Places follow what is measured; figures typed by hand would stay behind."""
    rows = [row for name in paper.tables if name in RECORDED for row in RECORDED[name].rows]
    forms = rounded_forms([value for row in rows for value in (row.mean, row.std)])
    printed = " ".join(item.printed for item in paper.items)
    forms |= set(TYPED.findall(printed)) | rounded_forms([float(word) / 100 for word in PERCENT.findall(printed)])
    assert set(TYPED.findall(PLACE.sub("", text))) <= forms


# What these releases hold names no class by itself: a metric needs labelled rows.
NAMELESS = {"pairs-transfer"}
ROWS = [(name, row) for name, table in RECORDED.items() for row in table.rows]


def printed_forms(figure: float) -> set[str]:
    """Return how a paper may print a figure: as a fraction with or without its 0, or in percent."""
    fraction, percent = f"{figure:.4f}", f"{100 * figure:.2f}"
    short = {fraction.rstrip("0"), percent.rstrip("0").rstrip("."), percent.removesuffix("0")}
    return {fraction, percent, *short} | {form.lstrip("0") for form in (fraction, *short)}


@pytest.mark.parametrize("name", sorted({name for name, row in ROWS if row.paper is not None}))
def test_a_published_figure_of_a_table_is_printed_in_an_item_of_its_paper(name: str) -> None:
    (paper,) = (paper for paper in PAPERS if name in paper.tables)
    words = {word.strip(",;:()%") for item in paper.items for word in item.printed.split()}
    for row in RECORDED[name].rows:
        assert row.paper is None or printed_forms(row.paper) & words, f"{row.paper} is in no item of {paper.key}"


def test_a_figure_that_no_paper_printed_would_be_noticed() -> None:
    assert {"0.951", ".951", "95.1"} <= printed_forms(0.951)
    assert {"67", "67.0", ".67"} <= printed_forms(0.67)
    assert "95" not in printed_forms(0.951)
    assert ".65" not in printed_forms(0.951)


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_a_recorded_table_says_its_draws_rows_delta_settings_and_time(name: str) -> None:
    table = RECORDED[name]
    for word in ("Draws: ", "Rows: ", "Delta: ", "Settings: ", "Time: "):
        assert word in table.caption()
    assert min(len(value) for value in vars(table.conditions).values()) > 2
    assert table.seconds > 0
    assert not table.quick


@pytest.mark.parametrize("name", sorted({name for name, row in ROWS if row.method == ADOPTED}))
def test_what_is_adopted_stands_beside_the_target_and_the_release_alone(name: str) -> None:
    rows, needed = RECORDED[name].rows, {TARGET_ONLY} if name in NAMELESS else {TARGET_ONLY, RELEASE_ALONE}
    for setting in {row.setting for row in rows if row.method == ADOPTED}:
        assert needed <= {row.method for row in rows if row.setting == setting}, setting


def test_every_table_is_on_one_page_and_no_page_names_another() -> None:
    named = [name for paper in PAPERS for name in paper.tables]
    assert len(named) == len(set(named))
    assert set(named) <= NAMES
    shown = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md"))
    for name in NAMES:
        assert shown.count(f"## `tacit reproduce {name}`\n") == 1, f"{name} is on no page. {AGAIN}"


@pytest.mark.parametrize(("paper", "item"), ITEMS, ids=identity)
def test_what_a_row_names_exists(paper: Paper, item: PaperItem) -> None:
    for path in (*item.code, *item.tests):
        assert exists(path), path
    assert not item.command or runs(item.command), item.command
    for name, *rest in item.figures:
        assert name in paper.tables
        assert name not in RECORDED or RECORDED[name].figure(*rest), rest


@pytest.mark.parametrize("item", [item for _, item in ITEMS], ids=identity)
def test_a_verdict_says_why_and_where(item: PaperItem) -> None:
    if item.verdict != "reproduced":
        assert item.reason
    if item.verdict in {"reproduced", "unsound, mended"}:
        assert item.code
        assert item.tests


@pytest.mark.parametrize("item", [item for _, item in ITEMS if item.verdict == "reproduced"], ids=identity)
def test_what_is_called_reproduced_has_a_figure_of_ours_beside_the_printed_one(item: PaperItem) -> None:
    assert UNMEASURED not in our_figures(item, RECORDED)


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.claim[:40])
def test_what_shows_a_fault_can_be_run(finding: PaperFinding) -> None:
    assert runs(finding.command), finding.command


def test_a_test_or_a_command_that_does_not_exist_is_noticed() -> None:
    assert exists("tests/test_papers.py::test_the_index_is_up_to_date")
    assert not exists("tests/test_papers.py::test_perpetual_motion")
    assert not runs("tacit reproduce perpetual-motion")
    assert not runs("python -m pytest tests/test_perpetual_motion.py")
    assert not runs("rm -r docs")


def test_links_of_the_pages_lead_somewhere() -> None:
    for page in FOLDER.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert (FOLDER / target).exists(), target


@pytest.mark.parametrize("line", ["units --write", "--all --write", "--all --quick", "units --quick --json"])
def test_the_command_line_that_the_pages_name_would_be_accepted(line: str) -> None:
    group: Any = typer.main.get_command(app)
    with group.make_context("tacit", [], resilient_parsing=True) as context:
        name, command, _ = group.resolve_command(context, ["reproduce"])
        command.make_context(name, shlex.split(line), parent=context)
