from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Ledger
from tacit.errors import InputError
from tacit.interfaces.cli.main import app
from tacit.interfaces.cli.project_file import option_defaults, project_options

run = CliRunner().invoke


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [30.0, 40.0], "ill": ["no", "yes"]}).write_csv("patients.csv")
    columns = (
        '[columns.age]\nkind = "numeric"\nbounds = [0, 110]\n[columns.ill]\nkind = "label"\nclasses = ["no", "yes"]\n'
    )
    Path("patients.toml").write_text(f"version = 1\n{columns}")
    return tmp_path


def test_options_of_the_file_need_not_be_typed(project: Path) -> None:
    Path("tacit.toml").write_text('[options]\nschema = "patients.toml"\n[ledger.init]\nepsilon = 3\nunit = "record"\n')
    made = run(app, ["ledger", "init", "patients.ledger"])
    assert made.exit_code == 0, made.output
    assert "from tacit.toml: schema, epsilon, unit" in made.stderr
    assert Ledger("patients.ledger").budget.epsilon == 3
    checked = run(app, ["schema", "check", "patients.csv"])
    assert checked.exit_code == 0
    assert "The table fits its schema." in checked.stdout


def test_the_command_line_wins(project: Path) -> None:
    Path("tacit.toml").write_text('[ledger.init]\nepsilon = 3\nunit = "record"\n')
    made = run(app, ["ledger", "init", "a.ledger", "--epsilon", "2"])
    assert "from tacit.toml: unit" in made.stderr
    assert Ledger("a.ledger").budget.epsilon == 2


def test_without_a_file_nothing_is_said(project: Path) -> None:
    done = run(app, ["schema", "check", "patients.csv", "--schema", "patients.toml"])
    assert "tacit.toml" not in done.output
    assert project_options(project) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("schema = 1", "must stand in a table"),
        ("[options]\nforce = true", "'force' cannot be set here"),
        ("[release]\noutput = 'a.tacit'", "'output' cannot be set here"),
        ("[schema.check]\nepsilon = 1", "has no option 'epsilon'"),
        ("[options", "is no TOML"),
    ],
)
def test_a_file_that_means_nothing_is_refused(project: Path, content: str, message: str) -> None:
    Path("tacit.toml").write_text(content)
    done = run(app, ["schema", "check", "patients.csv", "--schema", "patients.toml"])
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)


def test_shared_options_are_taken_by_commands_that_have_them() -> None:
    class Option:
        param_type_name, is_flag = "option", False

        def __init__(self, name: str) -> None:
            self.name, self.opts = name.replace("-", "_"), [f"--{name}"]

    class Command:
        params = (Option("schema"), Option("rows-per-person"))

    content = {"options": {"schema": "a", "ledger": "b"}, "release": {"rows_per_person": 2}}
    assert option_defaults(Command, "release", content) == {"schema": "a", "rows_per_person": 2}
