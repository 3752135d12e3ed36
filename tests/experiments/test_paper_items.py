"""A list of a paper's items is read as it is written, and a verdict that is none is refused."""

from pathlib import Path

import pytest

from tacit.errors import InputError
from tacit.experiments.paper_items import VERDICTS, Paper, PaperItem, read_paper, read_papers

LIST = """
key = "toy"
title = "A toy"
tables = ["units"]
summary = "Nothing."

[numbered]
Lemma = ["1-2"]
Figure = ["3.1-3.2", "B.1"]

[[finding]]
claim = "c"
fault = "f"
mended = "m"
command = "tacit reproduce units"

[[item]]
name = "Lemma 1"
subject = "on toys"
verdict = "reproduced"
code = ["src/tacit/errors.py"]
figures = [["units", "adding up", "entry epsilon 1, 10 features"]]
"""


def write(folder: Path, name: str = "toy") -> Path:
    (folder / "items").mkdir(exist_ok=True)
    path = folder / "items" / f"{name}.toml"
    path.write_text(LIST.replace('"toy"', f'"{name}"'))
    return path


def test_a_list_is_read_as_written(tmp_path: Path) -> None:
    paper = read_paper(write(tmp_path))
    (item,) = paper.items
    assert (paper.key, paper.tables, paper.findings[0].fault) == ("toy", ("units",), "f")
    assert item.code == ("src/tacit/errors.py",)
    assert item.figures == (("units", "adding up", "entry epsilon 1, 10 features"),)
    assert (item.tests, item.command, item.printed) == ((), "", "")


def test_ranges_of_numbers_are_all_their_numbers(tmp_path: Path) -> None:
    expected = {"Lemma 1", "Lemma 2", "Figure 3.1", "Figure 3.2", "Figure B.1"}
    assert read_paper(write(tmp_path)).expected_names() == expected
    long = Paper("k", "t", "s", (), {"Figure": ["3.9-3.11"], "Remark": ["7"]})
    assert long.expected_names() == {"Figure 3.9", "Figure 3.10", "Figure 3.11", "Remark 7"}


def test_lists_come_by_file_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write(tmp_path, name)
    assert [paper.key for paper in read_papers(tmp_path)] == ["a", "b"]


def test_only_verdicts_of_the_list_are_taken() -> None:
    for verdict in VERDICTS:
        assert PaperItem("Lemma 1", "on toys", verdict).verdict == verdict
    with pytest.raises(InputError, match=r"verdict of Lemma 1 must be one of reproduced, .*; got 'sort of'"):
        PaperItem("Lemma 1", "on toys", "sort of")
