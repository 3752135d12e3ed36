import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Schema, what_if
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.errors import InputError
from tacit.interfaces.cli.main import app

SCHEMA = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("ill", ("no", "yes"))))


def stand_ins(n_rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 2))
    ill = np.array(["no", "yes"])[(X[:, 0] + 0.1 * rng.normal(size=n_rows) > 0.6).astype(int)]
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "ill": ill})


def test_more_epsilon_is_not_worse_and_the_same_question_gets_the_same_answer() -> None:
    found = what_if(stand_ins(1500), SCHEMA, epsilons=(0.05, 5.0), method="moments", draws=3)
    small, large = found.epsilons
    assert large.refused == 0
    assert large.mean > 0.85 > found.baseline
    assert small.refused or small.mean <= large.mean + 0.02
    again = what_if(stand_ins(1500), SCHEMA, epsilons=(5.0,), method="moments", draws=3)
    assert again.epsilons == (large,)


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(InputError, match="at least 40 labelled rows"):
        what_if(stand_ins(20), SCHEMA)


def test_the_command_says_what_the_rows_must_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    stand_ins(800).write_csv("public.csv")
    Path("public.toml").write_text(format_schema(SCHEMA))
    command = "what-if public.csv -s public.toml --epsilon 0.5,2 --method moments --draws 2 --picture a.png"
    done = CliRunner().invoke(app, command.split())
    assert done.exit_code == 0, done.output
    assert "never the private table itself" in done.stderr
    assert "refused of 2" in done.stdout
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    printed = CliRunner().invoke(app, [*command.split(), "--force", "--json"])
    content = json.loads(printed.stdout)
    assert [each["epsilon"] for each in content["epsilons"]] == [0.5, 2.0]
    wrong = CliRunner().invoke(app, ["what-if", "public.csv", "-s", "public.toml", "--epsilon", "much"])
    assert isinstance(wrong.exception, InputError)
