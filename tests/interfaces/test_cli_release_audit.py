"""A release can carry the results of the games on its mechanisms."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit.interfaces.cli.main import app
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release

SCHEMA = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


@pytest.mark.parametrize("method", ["moments", "linear"])
def test_an_audited_release_says_so_on_its_card_and_spends_no_more(method: str, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 100, 60)
    table, schema, ledger = tmp_path / "t.csv", tmp_path / "s.toml", tmp_path / "l.ledger"
    table.write_text("age,ill\n" + "".join(f"{age},{'yes' if age > 50 else 'no'}\n" for age in rows))
    schema.write_text(SCHEMA)
    runner = CliRunner()
    made = ["ledger", "init", str(ledger), "--epsilon", "1", "--delta", "1e-5", "--unit", "record"]
    if method == "linear":
        made += ["--relation", "replace"]
    assert runner.invoke(app, made).exit_code == 0
    output = tmp_path / "r.tacit"
    arguments = ["release", str(table), "-s", str(schema), "--epsilon", "1", "--ledger", str(ledger), "-o", str(output)]
    done = runner.invoke(app, [*arguments, "--method", method, "--audit"])
    assert done.exit_code == 0, done.output
    card = read_release(output).card
    assert len(card.audits) == len(card.parts)
    assert all(result.passed for result in card.audits)
    assert len(Ledger(ledger).lines()) == 1
    assert "draws a side" in " ".join(runner.invoke(app, ["card", str(output)]).output.split())
