"""``tacit compare`` as the owner meets it."""

import json
import re
from pathlib import Path

import pytest
from tests.models.marginals.conftest import SCHEMA, people
from typer.testing import CliRunner

import tacit
from tacit.data.schemas.file import format_schema
from tacit.errors import InputError
from tacit.interfaces.cli.main import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walls")
    for seed, name in enumerate(("real", "held", "made")):
        people(500, seed).write_csv(path / f"{name}.csv")
    (path / "p.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    return path


def run(folder: Path, *arguments: str) -> str:
    words = [str(folder / each) if each.endswith((".csv", ".toml", ".html")) else each for each in arguments]
    result = CliRunner().invoke(app, ["compare", *words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_every_figure_is_printed_and_the_page_is_for_the_owner(folder: Path) -> None:
    output = run(folder, "real.csv", "made.csv", "-s", "p.toml", "--holdout", "held.csv", "--report", "page.html")
    for words in (
        "total variation, 3 columns",
        "correlations",
        "impossible",
        "boosting",
        "closest record",
        "membership",
    ):
        assert words in output
    assert "inside your walls" in output
    page = (folder / "page.html").read_text()
    headings = re.findall("<h2>(.*?)</h2>", page)
    assert headings[0] == "Likeness"
    assert "Closeness" in headings
    assert "keep it inside your walls" in page
    assert page.count("<svg") > 5
    assert "://" not in page.replace("http://www.w3.org", "")


def test_without_held_out_rows_it_says_what_is_missing(folder: Path) -> None:
    assert "--holdout" in run(folder, "real.csv", "made.csv", "-s", "p.toml")


def test_an_existing_page_is_kept(folder: Path) -> None:
    (folder / "kept.html").write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        run(folder, "real.csv", "made.csv", "-s", "p.toml", "--report", "kept.html")


def test_too_few_rows_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="at least 10"):
        tacit.compare(people(500), people(5), SCHEMA)


def test_python_gives_the_same_figures(folder: Path) -> None:
    found = tacit.compare(folder / "real.csv", folder / "made.csv", folder / "p.toml")
    assert f"{found.variations[2]:.4f}" in run(folder, "real.csv", "made.csv", "-s", "p.toml")


def test_figures_are_printed_as_json_that_says_they_are_private(folder: Path) -> None:
    content = json.loads(run(folder, "real.csv", "made.csv", "-s", "p.toml", "--holdout", "held.csv", "--json"))
    found = tacit.compare(folder / "real.csv", folder / "made.csv", folder / "p.toml", holdout=folder / "held.csv")
    assert "not to be handed out" in content["private"]
    assert content["total_variation"] == {str(count): value for count, value in found.variations.items()}
    assert content["rows"] == {"private": 500, "fabricated": 500}
    assert found.closeness is not None
    assert content["closest_record"]["membership_auc"] == found.closeness.attack.area
    assert set(content["auc"]) == set(found.learned)
    alone = json.loads(run(folder, "real.csv", "made.csv", "-s", "p.toml", "--json"))
    assert alone["closest_record"] is None
