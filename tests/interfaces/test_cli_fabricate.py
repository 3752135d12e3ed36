"""``tacit fabricate`` as its users meet it, and what reads the files that it leaves."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.data.public.schemas import image_schema
from tacit.data.schemas.columns import Categorical, Label
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError, TacitError
from tacit.interfaces.cli.main import app
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.privacy.ledger import Ledger
from tacit.releases.sidecar import open_release
from tacit.workflows.fabricated_tables import write_fabricated
from tacit.workflows.report import report_fabricated

SCHEMA = """version = 1
[columns.id]
kind = "ignored"
[columns.age]
kind = "numeric"
bounds = [0, 100]
integer = true
[columns.dose]
kind = "numeric"
bounds = [0, 10]
missing = "flag"
[columns.sex]
kind = "categorical"
categories = ["f", "m"]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    ill = rng.random(200) < 0.4
    table = pl.DataFrame(
        {
            "id": range(200),
            "age": rng.integers(0, 101, 200),
            "dose": [None if k % 10 == 0 else float(k % 7) for k in range(200)],
            "sex": np.where(rng.random(200) < 0.5, "f", "m"),
            "ill": np.where(ill, "yes", "no"),
        }
    )
    table.write_csv(tmp_path / "p.csv")
    (tmp_path / "p.toml").write_text(SCHEMA, encoding="utf-8")
    done = CliRunner().invoke(
        app, ["ledger", "init", str(tmp_path / "a.ledger"), "--epsilon", "2", "--delta", "1e-5", "--unit", "record"]
    )
    assert done.exit_code == 0, done.output
    return tmp_path


def run(folder: Path, *more: str) -> Any:
    start = ["fabricate", str(folder / "p.csv"), "-s", str(folder / "p.toml")]
    return CliRunner().invoke(app, [*start, *more])


def lines(folder: Path) -> int:
    return len(Ledger(folder / "a.ledger").lines())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_and_its_release_are_written(folder: Path, ending: str) -> None:
    output = folder / f"f.{ending}"
    done = run(folder, "--epsilon", "1", "--ledger", str(folder / "a.ledger"), "-o", str(output), "--rows", "50")
    assert done.exit_code == 0, done.output
    assert "50 fabricated rows" in done.output
    assert lines(folder) == 1
    made = pl.read_csv(output) if ending == "csv" else pl.read_parquet(output)
    assert made.columns == ["age", "dose", "sex", "ill"]
    assert made.height == 50
    assert made["age"].dtype == pl.Int64
    assert set(made["sex"]) <= {"f", "m"}
    for command in (["card", str(output), "--json"], ["card", f"{output}.tacit", "--json"]):
        card = json.loads(CliRunner().invoke(app, command).output)
        assert (card["epsilon"], card["unit"]) == (1.0, "record")
    audited = CliRunner().invoke(app, ["audit", str(output), "--draws", "2000"])
    assert audited.exit_code == 0, audited.output
    assert "adds up" in audited.output


def test_a_dry_run_spends_and_writes_nothing(folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = run(folder, "--epsilon", "1", "--ledger", str(folder / "a.ledger"), "--dry-run")
    assert done.exit_code == 0, done.output
    assert "nothing was spent" in done.output
    assert lines(folder) == 0
    assert sorted(folder.iterdir()) == before


def test_a_seeded_table_repeats_itself_and_says_that_it_is_not_private(folder: Path) -> None:
    for name in ("f.csv", "g.csv"):
        done = run(folder, "--epsilon", "1", "--seed", "3", "--unit", "entry", "-o", str(folder / name))
        assert "NOT PRIVATE" in done.output
    assert (folder / "f.csv").read_bytes() == (folder / "g.csv").read_bytes()
    assert not open_release(folder / "f.csv").card.secure


def test_the_printed_method_warns_on_its_card(folder: Path) -> None:
    printed = ["--unit", "entry", "--method", "hull", "--accounting", "paper"]
    done = run(folder, "--epsilon", "1", *printed, "-o", str(folder / "f.csv"))
    assert done.exit_code == 0, done.output
    shown = CliRunner().invoke(app, ["card", str(folder / "f.csv")]).output
    assert shown.startswith("THE STATED GUARANTEE DOES NOT HOLD")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--epsilon", "-1"], "epsilon"),
        (["--epsilon", "1", "--unit", "pair"], "unit"),
        (["--epsilon", "1", "--method", "hull"], "entry"),
        (["--epsilon", "1", "--rows", "0"], "rows"),
        (["--epsilon", "9"], "budget"),
        (["--epsilon", "1", "-o", "f.npz"], "end in"),
        (["--epsilon", "1", "-o", "/nowhere/f.csv"], "cannot be written"),
    ],
)
def test_mistakes_cost_nothing(folder: Path, more: list[str], words: str) -> None:
    given = more if "-o" in more else [*more, "-o", str(folder / "f.csv")]
    done = run(folder, "--ledger", str(folder / "a.ledger"), *given)
    assert isinstance(done.exception, TacitError)
    assert words in str(done.exception)
    assert lines(folder) == 0
    assert not list(folder.glob("f.*"))


def test_without_output_or_over_an_input_nothing_is_done(folder: Path) -> None:
    done = run(folder, "--epsilon", "1")
    assert "-o fabricated.csv" in str(done.exception)
    done = run(folder, "--epsilon", "1", "--force", "-o", str(folder / "p.csv"))
    assert "also an input" in str(done.exception)
    (folder / "f.csv.tacit").write_text("mine", encoding="utf-8")
    done = run(folder, "--epsilon", "1", "-o", str(folder / "f.csv"))
    assert "exists already" in str(done.exception)


def test_a_failing_disk_says_that_the_charge_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tacit.files.atomic.os.fsync", full)
    done = run(folder, "--epsilon", "1", "--ledger", str(folder / "a.ledger"), "-o", str(folder / "f.csv"))
    assert isinstance(done.exception, ReleaseError)
    assert "The charge stands" in str(done.exception)
    assert lines(folder) == 1
    assert not list(folder.glob("f.*"))


def test_a_changed_table_or_a_missing_release_is_noticed(folder: Path) -> None:
    run(folder, "--epsilon", "1", "-o", str(folder / "f.csv"))
    (folder / "f.csv").write_bytes((folder / "f.csv").read_bytes() + b"1,1,f,no\n")
    with pytest.raises(ReleaseError, match="changed"):
        open_release(folder / "f.csv")
    (folder / "f.csv.tacit").unlink()
    with pytest.raises(InputError, match="beside it"):
        open_release(folder / "f.csv")


def test_originals_appear_only_when_they_are_given(folder: Path) -> None:
    run(folder, "--epsilon", "1", "-o", str(folder / "f.csv"))
    alone = report_fabricated(folder / "f.csv")
    assert "original" not in alone.split("<main")[1].split("<footer")[0]
    assert "keep it as you keep" not in alone
    beside = report_fabricated(folder / "f.csv.tacit", originals=folder / "p.csv")
    assert "keep it as you keep the table" in beside
    assert "200 original ones" in beside
    done = CliRunner().invoke(app, ["report", str(folder / "f.csv"), "-o", str(folder / "r.html")])
    assert done.exit_code == 0, done.output
    wrong = CliRunner().invoke(
        app, ["report", str(folder / "f.csv"), "--test", str(folder / "p.csv"), "-o", str(folder / "s.html")]
    )
    assert "--test is for models" in str(wrong.exception)


def wide_page(file: Path) -> str:
    """Return the page of a table with more columns than fit."""
    kinds = [Categorical(f"occupation_{place}", ("blue-collar", "management", "unemployed")) for place in range(20)]
    schema = Schema((*kinds, Label("ill", ("no", "yes"))))
    X = np.tile(np.eye(3)[np.arange(60) % 3], 20)
    made = fabricate(X, np.arange(60) % 2, schema, unit="record", epsilon=1.0, delta=1e-6, rows=30)
    write_fabricated(made, file)
    return report_fabricated(file)


def test_the_page_reads_well_in_a_browser(folder: Path, chromium: Any) -> None:
    run(folder, "--epsilon", "1", "-o", str(folder / "f.csv"))
    beside = report_fabricated(folder / "f.csv", originals=folder / "p.csv")
    (folder / "table.html").write_text(beside, encoding="utf-8")
    schema = image_schema((8, 8), ("0", "1"))
    X = np.random.default_rng(0).random((40, 64))
    made = fabricate(X, np.arange(40) % 2, schema, unit="entry", epsilon=1.0, delta=1e-6)
    write_fabricated(made, folder / "i.parquet")
    (folder / "pictures.html").write_text(report_fabricated(folder / "i.parquet"), encoding="utf-8")
    (folder / "wide.html").write_text(wide_page(folder / "w.csv"), encoding="utf-8")
    for name in ("table", "pictures", "wide"):
        for scheme, width in (("light", 375), ("dark", 1200)):
            context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
            page = context.new_page()
            said: list[str] = []
            asked: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto((folder / f"{name}.html").as_uri())
            assert said == []
            assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
            assert page.query_selector_all("img.pixels" if name == "pictures" else "svg.bars")
            heights = page.evaluate("[...document.querySelectorAll('.scroll td')].map(cell => cell.clientHeight)")
            assert max(heights, default=0) < 40  # one line each: words are not broken to fit
            context.close()
