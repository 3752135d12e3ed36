"""``tacit release --method marginals``, ``tacit fabricate --from`` and ``tacit ask`` as their users meet them."""

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import Result
from tests.models.marginals.conftest import SCHEMA, people
from typer.testing import CliRunner

import tacit
from tacit.data.schemas.file import format_schema
from tacit.errors import InputError
from tacit.interfaces.cli.main import app
from tacit.privacy.ledger import Ledger


def run(folder: Path, *arguments: str) -> Result:
    paths = [
        str(folder / each) if each.endswith((".csv", ".toml", ".tacit", ".ledger")) else each for each in arguments
    ]
    result = CliRunner().invoke(app, paths)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("owner")
    people(3000).write_csv(path / "p.csv")
    (path / "p.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    run(path, "ledger", "init", "p.ledger", "--epsilon", "5", "--delta", "1e-5", "--unit", "record")
    run(path, "release", "p.csv", "-s", "p.toml", "--epsilon", "2", "--method", "marginals", "--ledger", "p.ledger",
        "-o", "r.tacit")  # fmt: skip
    return path


def test_rows_are_drawn_from_a_release_at_no_cost(folder: Path) -> None:
    spent = Ledger(folder / "p.ledger").spent()
    result = run(folder, "fabricate", "--from", "r.tacit", "--rows", "700", "-o", "rows.csv")
    assert "700 fabricated rows" in result.output
    rows = pl.read_csv(folder / "rows.csv")
    assert rows.columns == [column.name for column in SCHEMA.columns]
    assert rows.height == 700
    assert Ledger(folder / "p.ledger").spent() == spent
    assert "differentially private" in run(folder, "card", "rows.csv").output


def test_conditions_hold_in_every_row(folder: Path) -> None:
    run(folder, "fabricate", "--from", "r.tacit", "--rows", "200", "--where", "age=60-70", "--where", "outcome=ill",
        "-o", "old.csv")  # fmt: skip
    rows = pl.read_csv(folder / "old.csv")
    assert rows["age"].is_between(60, 70).all()
    assert rows["outcome"].unique().to_list() == ["ill"]


def test_drawn_rows_are_adopted_and_reported(folder: Path) -> None:
    run(folder, "fabricate", "--from", "r.tacit", "--rows", "500", "-o", "for-all.csv")
    people(200, seed=3).write_csv(folder / "ours.csv")
    run(folder, "adopt", "for-all.csv", "ours.csv", "--schema", "p.toml", "-o", "model.tacit")
    assert (folder / "model.tacit").is_file()
    result = CliRunner().invoke(app, ["report", str(folder / "for-all.csv"), "-o", str(folder / "page.html")])
    assert result.exit_code == 0, result.output


def test_counts_are_asked_with_intervals(folder: Path) -> None:
    output = run(folder, "ask", "r.tacit", "work x outcome").output
    assert "office" in output
    assert "95 % interval" in output
    assert "no interval is known" in run(folder, "ask", "r.tacit", "work x grade x points").output
    with pytest.raises(InputError, match="height"):
        run(folder, "ask", "r.tacit", "height")


def test_options_of_a_private_table_are_refused_beside_a_release(folder: Path) -> None:
    with pytest.raises(InputError, match="leave out TABLE"):
        run(folder, "fabricate", "p.csv", "--from", "r.tacit", "-o", "x.csv")
    with pytest.raises(InputError, match="leave out TABLE"):
        run(folder, "fabricate", "--from", "r.tacit", "--epsilon", "1", "-o", "x.csv")
    with pytest.raises(InputError, match="give TABLE"):
        run(folder, "fabricate", "p.csv", "-s", "p.toml", "--epsilon", "1", "--where", "age=3", "-o", "x.csv")
    with pytest.raises(InputError, match="costs nothing"):
        run(folder, "fabricate", "--from", "r.tacit", "--dry-run")


def test_other_kinds_of_release_are_refused(folder: Path) -> None:
    run(folder, "release", "p.csv", "-s", "p.toml", "--epsilon", "1", "--method", "moments", "-o", "m.tacit")
    with pytest.raises(InputError, match="--method marginals"):
        run(folder, "fabricate", "--from", "m.tacit", "-o", "x.csv")
    with pytest.raises(InputError, match="--method marginals"):
        run(folder, "ask", "m.tacit", "work")


def test_mixed_tables_are_fabricated_from_tables_by_default(folder: Path) -> None:
    run(folder, "fabricate", "p.csv", "-s", "p.toml", "--epsilon", "1", "--seed", "0", "-o", "f.csv")
    assert tacit.read_release(folder / "f.csv.tacit").settings["method"] == "marginals"
    run(folder, "fabricate", "p.csv", "-s", "p.toml", "--epsilon", "1", "--seed", "0", "--method", "moments",
        "-o", "g.csv")  # fmt: skip
    assert tacit.read_release(folder / "g.csv.tacit").settings["method"] == "moments"


def test_a_dry_run_shows_the_plan_of_tables(folder: Path) -> None:
    output = run(folder, "fabricate", "p.csv", "-s", "p.toml", "--epsilon", "1", "--dry-run").output
    assert "pairs of cells" in output


def test_python_gives_what_the_command_line_gives(folder: Path) -> None:
    run(folder, "fabricate", "--from", "r.tacit", "--rows", "50", "--seed", "4", "-o", "seeded.csv")
    made = tacit.fabricate_from(folder / "r.tacit", rows=50, random_state=4)
    assert made.table().write_csv() == (folder / "seeded.csv").read_text()
    assert made.X.shape == (50, len(SCHEMA.encoded_names))
    assert tacit.ask(folder / "r.tacit", "work").cells[0][-1] == "missing"


def test_answers_are_printed_as_json_and_under_conditions(folder: Path) -> None:
    whole = json.loads(run(folder, "ask", "r.tacit", "work x outcome", "--json").output)
    assert whole["columns"] == ["work", "outcome"]
    assert len(whole["counts"]) == 12
    low, high = whole["counts"][0]["interval"]
    assert low <= whole["counts"][0]["rows"] <= high
    assert {"cells", "rows", "interval", "noisy", "ruled_out"} == set(whole["counts"][0])
    assert min(line["rows"] for line in whole["counts"]) >= 0
    part = json.loads(run(folder, "ask", "r.tacit", "work x outcome", "--where", "age=17-40", "--json").output)
    assert 0 < sum(line["rows"] for line in part["counts"]) < sum(line["rows"] for line in whole["counts"])
    assert part["counts"][0]["interval"] is None
    assert part["counts"][0]["noisy"] is None
    assert "no interval" in run(folder, "ask", "r.tacit", "work", "--where", "age=17-40").output
    assert tacit.ask(folder / "r.tacit", "work", where=["age = 17-40"]).half_width is None


@pytest.mark.parametrize(
    ("where", "message"), [("height=3", "begin with the name"), ("age=old", "holds numbers"), ("age>90", "some rows")]
)
def test_conditions_that_cannot_be_met_are_refused(folder: Path, where: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(folder, "ask", "r.tacit", "work", "--where", where)
