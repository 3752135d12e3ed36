"""Pages are made of lists and recorded figures: nothing measured is left out, and what was not measured is said."""

from pathlib import Path

from tacit.experiments.paper_items import Paper, PaperFinding, PaperItem
from tacit.experiments.paper_pages import (
    UNMEASURED,
    filled,
    index_page,
    item_line,
    link,
    markdown_table,
    our_figures,
    paper_page,
    unwrapped,
    write_pages,
)
from tacit.experiments.recorded import RecordedTable, papers_folder, write_recorded
from tacit.experiments.registry import EXPERIMENTS
from tacit.experiments.results import Conditions, ResultRow

CONDITIONS = Conditions("2", "ten", "0", "elsewhere")
ROWS = (ResultRow("good", "epsilon 1", "accuracy", 0.91234), ResultRow("losing", "epsilon 1", "accuracy", 0.125))
RECORDED = {"units": RecordedTable("units", ROWS, CONDITIONS, 3.0)}
ITEM = PaperItem(
    "Table 1",
    "on toys",
    "not reproduced",
    reason="the other one wins",
    code=("src/tacit/errors.py",),
    tests=("tests/test_package.py::test_it_is_so",),
    command="tacit reproduce units",
    printed=".95",
    figures=(("units", "good", "epsilon 1"), ("units", "absent", "epsilon 1"), ("hearts", "good", "epsilon 1")),
)
PAPER = Paper(
    "toy",
    "A toy",
    "In short, {units|good|epsilon 1}.",
    (ITEM,),
    {"Table": ["1"]},
    ("units", "hearts"),
    (PaperFinding("c", "f", "m", "x"),),
    "A. Author",
    "It proposes nothing.",
)


def test_a_line_has_place_test_command_figures_and_verdict() -> None:
    assert item_line(ITEM, RECORDED) == (
        "**Table 1** on toys",
        "[errors.py](../../src/tacit/errors.py)",
        "[it is so](../../tests/test_package.py)",
        "`tacit reproduce units`",
        ".95",
        "0.9123 / not measured here / not measured here",
        "*not reproduced*: the other one wins",
    )


def test_figures_that_nobody_measured_are_said_to_be_unmeasured() -> None:
    assert our_figures(PaperItem("Table 2", "", "not built", printed=".9"), RECORDED) == "not measured here"
    assert our_figures(PaperItem("Lemma 1", "", "reproduced"), RECORDED) == ""
    assert our_figures(PaperItem("Table 2", "", "reproduced", printed=".9", ours=".8"), RECORDED) == ".8"
    named = PaperItem("Table 2", "", "reproduced", ours="good:", figures=(("units", "good", "epsilon 1"),))
    assert our_figures(named, RECORDED) == "good: 0.9123"
    both = (("units", "good", "epsilon 1"), ("hearts", "good", "epsilon 1"))
    placed = PaperItem("Table 2", "", "reproduced", ours="good {1}, hearts {2}", figures=both)
    assert our_figures(placed, RECORDED) == "good 0.9123, hearts not measured here"


def test_a_page_shows_findings_items_and_every_row_of_its_tables() -> None:
    page = paper_page(PAPER, RECORDED)
    assert "| c | f | m | `x` |" in page
    for row in ROWS:
        assert f"| {row.method} | {row.setting} | {row.metric} | {row.mean:.4f} |" in page
    assert "Draws: 2. Rows: ten. Delta: 0. Settings: elsewhere. Time: 3 s." in page
    assert "## `tacit reproduce hearts`\n\nNot measured here." in page


def test_a_page_opens_with_what_the_paper_is_and_where_everything_stands() -> None:
    first, second = paper_page(PAPER, RECORDED).split("\n\n## ")[:2]
    assert "# [toy] A toy\n\nA. Author. It proposes nothing.\n" in first
    assert "Its 1 numbered items, [one by one](#item-by-item): 1 not reproduced." in first
    assert "[units](#tacit-reproduce-units), [hearts](#tacit-reproduce-hearts)" in first
    assert second == "What came out\n\nIn short, .912."


def test_figures_in_prose_are_those_recorded() -> None:
    large = RecordedTable("units", (ResultRow("m", "s", "test error, %", 12.34, paper=9.0),), CONDITIONS, 1.0)
    assert filled("from {units|m|s|test error, %} on", {"units": large}) == "from 12.3 on"
    assert filled("{units|m|s|accuracy}, {hearts|m|s}", {"units": large}) == f"{UNMEASURED}, {UNMEASURED}"
    small = RecordedTable("units", (ResultRow("m", "s", "gain", -0.0204),), CONDITIONS, 1.0)
    assert filled("{units|m|s} is {no place}", {"units": small}) == "-.020 is {no place}"


def test_prose_has_one_line_for_each_paragraph_and_point() -> None:
    assert unwrapped("\na\nb\n\n- c\n  d\n- e\n") == "a b\n\n- c d\n- e"


def test_a_test_is_shown_by_its_words_and_a_file_by_its_name() -> None:
    assert link("tests/a/test_b.py::test_c_d") == "[c d](../../tests/a/test_b.py)"
    assert link("tests/a/test_b.py") == "[test_b.py](../../tests/a/test_b.py)"


def test_a_bar_in_a_cell_is_no_new_cell() -> None:
    assert markdown_table(("a", "b"), [("x|y", "z")]) == "| a | b |\n| --- | --- |\n| x\\|y | z |"


def test_the_index_counts_verdicts_and_shows_tables_of_no_paper() -> None:
    page = index_page([PAPER], RECORDED)
    assert "| [[toy]](toy.md) | A toy | 1 | 1 not reproduced |" in page
    for table in EXPERIMENTS:
        assert (f"`tacit reproduce {table.name}`" in page) == (table.name not in PAPER.tables)
        assert (f"[{table.name}](#tacit-reproduce-{table.name})" in page) == (table.name not in PAPER.tables)


def test_pages_are_written_below_their_lists(tmp_path: Path) -> None:
    (tmp_path / "items").mkdir()
    source = papers_folder() / "items" / "dpa.toml"
    (tmp_path / "items" / "dpa.toml").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    write_recorded(RecordedTable("behaviour", ROWS, CONDITIONS, 3.0), tmp_path)
    write_pages(tmp_path)
    assert "0.1250" in (tmp_path / "dpa.md").read_text(encoding="utf-8")
    assert "[[dpa]](dpa.md)" in (tmp_path / "README.md").read_text(encoding="utf-8")
