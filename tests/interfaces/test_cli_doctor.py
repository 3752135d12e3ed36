import importlib.util
import json
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tacit.interfaces.cli import doctor
from tacit.interfaces.cli.main import app

run = CliRunner().invoke


def test_a_working_installation_is_found_so() -> None:
    done = run(app, ["doctor", "--json"])
    assert done.exit_code == 0
    content = json.loads(done.stdout)
    states = {each["what"]: each["state"] for each in content["findings"]}
    assert states["noise"] == states["ledger"] == states["numpy"] == "ok"
    assert set(states.values()) <= {"ok", "absent"}


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = run(app, ["doctor"])
    assert done.exit_code == 0
    assert (
        "absent  extra serve: the studio in a browser, and the desk over HTTP: pip install 'tacit-knowledge[serve]'"
        in done.stdout
    )


def test_a_missing_library_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    done = run(app, ["doctor"])
    assert done.exit_code == 1
    assert "wrong  numpy" in done.stdout


def test_halved_noise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = doctor._account

    class Halved:
        def __init__(self, account: Any) -> None:
            self.account = account

        def release(self, *query: Any) -> Any:
            return self.account.release(*query) / 2

    def halved(ledger: Any = None) -> Any:
        account, step = whole(ledger)
        return Halved(account), step

    monkeypatch.setattr(doctor, "_account", halved)
    done = run(app, ["doctor"])
    assert done.exit_code == 1
    assert "do not release anything" in done.stdout


def test_the_doctor_looks_for_every_extra_that_a_user_may_install() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    # Building the documents and testing the package are for those who work on it.
    assert set(doctor.EXTRAS) == set(project["optional-dependencies"]) - {"docs", "dev"}
