"""``tacit desk`` and ``tacit tune`` as owner and provider meet them: real processes, real files."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from click.testing import Result
from typer.testing import CliRunner

from tacit import Ledger
from tacit.errors import TacitError
from tacit.interfaces.cli.desk.opening import open_desk
from tacit.interfaces.cli.desk.options import DeskOptions
from tacit.interfaces.cli.main import app
from tacit.privacy.ledger import as_ledger
from tacit.situations.feedback.desk.log import DeskLog

PROGRAM = [sys.executable, "-c", "from tacit.interfaces.cli.main import run; run()"]
TERMS = ("--schema", "patients.toml", "--model", "linear.toml", "--queries", "400")


def run(*arguments: str) -> Result:
    """Run a command in this process, in the current folder."""
    return CliRunner().invoke(app, list(arguments))


def must(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, (done.exception, done.stderr)
    return done.stdout


def problem(*arguments: str) -> str:
    done = run(*arguments)
    assert isinstance(done.exception, TacitError), (done.exception, done.output)
    return str(done.exception)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.random((1000, 3))
    y = (X @ np.array([4.0, -3.0, 2.0]) > 1.5).astype(int)
    rows = [f"{a:.4f},{b:.4f},{c:.4f},{'yes' if t else 'no'}" for (a, b, c), t in zip(X, y, strict=True)]
    (tmp_path / "patients.csv").write_text("\n".join(["a,b,c,ill", *rows]) + "\n")
    columns = [f'[columns.{name}]\nkind = "numeric"\nbounds = [0, 1]' for name in "abc"]
    label = '[columns.ill]\nkind = "label"\nclasses = ["no", "yes"]'
    (tmp_path / "patients.toml").write_text("\n".join(["version = 1", *columns, label]) + "\n")
    (tmp_path / "linear.toml").write_text('kind = "linear"\n')
    must(
        "ledger",
        "init",
        "patients.ledger",
        "--epsilon",
        "30",
        "--delta",
        "1e-5",
        "--unit",
        "record",
        "--relation",
        "replace",
    )
    return tmp_path


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    command = [*PROGRAM, "desk", "serve", "patients.csv", *TERMS, "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        lines: list[str] = []
        while not (lines and lines[-1].startswith("your page")):
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read()
        yield next(line.split()[1] for line in lines if line.startswith("desk: "))
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def accuracy(folder: Path, name: str) -> float:
    found = safetensors.numpy.load((folder / name).read_bytes())
    rows = [line.split(",") for line in (folder / "patients.csv").read_text().splitlines()[1:]]
    X = np.array([row[:3] for row in rows], dtype=float)
    predicted = X @ found["weight"][0] + found["bias"][0] > 0
    return float((predicted == np.array([row[3] == "yes" for row in rows])).mean())


@pytest.mark.slow
def test_a_provider_tunes_on_a_desk_and_resumes_without_paying_twice(folder: Path) -> None:
    token = must("desk", "provider", "add", "patients.desk", "ann", "--queries", "300").strip()
    with serving(folder, "--epsilon", "20", "--ledger", "patients.ledger") as url:
        tune = ("tune", "--desk", url, "--token", token, "--queries", "240", "--seed", "1", "-o", "tuned.safetensors")
        # Killed on its way, as soon as some batches are done.
        process = subprocess.Popen([*PROGRAM, *tune], stdout=subprocess.DEVNULL)
        log = DeskLog(folder / "patients.desk")
        used = 0
        while used < 45 and process.poll() is None:
            time.sleep(0.02)
            with log.reading() as transaction:
                used = transaction.used()
        process.kill()
        process.wait()
        assert not (folder / "tuned.safetensors").exists()
        done = run(*tune)
        assert done.exit_code == 0, done.exception
        assert "resuming" in done.stderr
        with log.reading() as transaction:
            assert transaction.used("ann") == 240
    assert accuracy(folder, "tuned.safetensors") > 0.85
    assert len(Ledger(folder / "patients.ledger").lines()) == 1
    shown = must("desk", "show", "patients.desk")
    assert "240 of 400 queries answered; the log is unbroken" in shown
    assert "ann: 240 of 300" in shown


def test_candidates_and_scores_travel_as_files(folder: Path) -> None:
    must("desk", "provider", "add", "patients.desk", "ann", "--queries", "100")
    begin = ("-s", "patients.toml", "-m", "linear.toml", "--queries", "60", "--seed", "1", "--method", "lcps")
    score = ("desk", "score", "patients.csv", "batch.tacit", *TERMS, "--provider", "ann", "-o", "scores.json")
    must("tune", "ask", "--state", "ann.run", *begin, "-o", "batch.tacit")
    noted = run(*score)
    assert noted.exit_code == 0, noted.exception
    assert "no promise holds" in noted.stderr.replace("\n", " ")
    first = (folder / "scores.json").read_text()
    must(*score)
    assert (folder / "scores.json").read_text() == first
    told = must("tune", "tell", "scores.json", "--state", "ann.run", "-o", "tuned.safetensors")
    n_asked = len(json.loads(first)["scores"])
    assert f"{n_asked} of 60 queries used" in told
    assert "scores of the open batch" in problem("tune", "tell", "scores.json", "--state", "ann.run")
    with DeskLog(folder / "patients.desk").reading() as transaction:
        assert transaction.used("ann") == n_asked
    eve = ["eve" if each == "ann" else each for each in score]
    assert "there is no provider 'eve'" in problem(*eve)


def test_an_owner_hears_what_an_epsilon_is_worth_and_what_cannot_be(folder: Path) -> None:
    serve = ("desk", "serve", "patients.csv", *TERMS, "--port", "0")
    for options, words in (
        (("--ledger", "patients.ledger"), "no finite epsilon"),
        (("--epsilon", "1"), "ledger must be given"),
        (("--epsilon", "1", "--ledger", "patients.ledger", "--metric", "balanced_accuracy"), "no known sensitivity"),
        (("--epsilon", "-1", "--ledger", "patients.ledger"), "epsilon must be"),
        (("--epsilon", "60", "--ledger", "patients.ledger"), "does not fit"),
        (("--decimals", "-1"), "decimals must be"),
    ):
        assert words in problem(*serve, *options, "--log", "other.desk"), options
        (folder / "other.desk").unlink(missing_ok=True)
    told = run(*serve, "--epsilon", "60", "--ledger", "patients.ledger").stderr.replace("\n", " ")
    assert "take about epsilon 4.9" in told
    assert Ledger(folder / "patients.ledger").lines() == ()


def test_a_desk_per_person_charges_persons_and_scores_few_rows_of_each(folder: Path) -> None:
    lines = (folder / "patients.csv").read_text().splitlines()
    named = [f"{lines[0]},patient", *(f"{line},P{i // 5}" for i, line in enumerate(lines[1:]))]
    (folder / "patients.csv").write_text("\n".join(named) + "\n")
    must("ledger", "init", "persons.ledger", "--epsilon", "8", "--unit", "person", "--relation", "replace")
    must("desk", "provider", "add", "p.desk", "ann", "--queries", "20")
    person = ("--person", "patient", "--rows-per-person", "2", "--ledger", "persons.ledger", "--log", "p.desk")
    opened = open_desk(
        Path("patients.csv"), desk_options(*person, queries=20, epsilon=4.0), as_ledger(Path("persons.ledger"))
    )
    assert (opened.terms.n_rows, opened.terms.rows_per_person) == (400, 2)
    assert opened.card is not None
    assert (opened.card.unit, opened.card.rows_per_person) == ("person", 2)
    (line,) = Ledger(folder / "persons.ledger").lines()
    assert (line.unit, line.claim.rows_per_person, line.claim.relations) == ("person", 2, ("replace",))
    opened.close()
    # Started again it reads the same rows of each person: the terms are the same.
    open_desk(
        Path("patients.csv"), desk_options(*person, queries=20, epsilon=4.0), as_ledger(Path("persons.ledger"))
    ).close()
    assert len(Ledger(folder / "persons.ledger").lines()) == 1


def desk_options(*arguments: str, queries: int, epsilon: float) -> DeskOptions:
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    return DeskOptions(
        schema=Path("patients.toml"),
        model=Path("linear.toml"),
        queries=queries,
        epsilon=epsilon,
        ledger=Path(given["--ledger"]),
        log=Path(given["--log"]),
        person=given["--person"],
        rows_per_person=int(given["--rows-per-person"]),
    )


def test_a_desk_per_record_says_what_a_repeating_person_loses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (folder / "patients.csv").read_text().splitlines()
    named = [f"{lines[0]},patient", *(f"{line},P{i // 5}" for i, line in enumerate(lines[1:]))]
    (folder / "patients.csv").write_text("\n".join(named) + "\n")
    with (folder / "patients.toml").open("a") as schema:
        schema.write('[columns.patient]\nkind = "ignored"\n')
    options = DeskOptions(
        schema=Path("patients.toml"), model=Path("linear.toml"), queries=5, epsilon=1.0, log=Path("r.desk")
    )
    open_desk(Path("patients.csv"), options, as_ledger(Path("patients.ledger"))).close()
    assert "'patient' repeats like an identifier: 5 rows" in capsys.readouterr().err
