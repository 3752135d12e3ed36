"""The main job as its users meet it: release, adopt, predict and report in real processes."""

import json
import os
import re
import resource
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.adoption.receiver_evidence import AdoptionEvidence
from tacit.data.encoding import encode_file
from tacit.errors import ReleaseError
from tacit.interfaces.cli.main import app
from tacit.privacy.ledger import Ledger
from tacit.releases import signature
from tacit.releases.file import read_release
from tacit.workflows.models import read_model

ROOT = Path(__file__).parents[2]
OWNER = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.dose]
kind = "numeric"
bounds = [0, 10]
[columns.sex]
kind = "categorical"
categories = ["f", "m"]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
OURS = """version = 1
[columns.id]
kind = "ignored"
[columns.age]
kind = "numeric"
bounds = [0, 120]
[columns.pulse]
kind = "numeric"
bounds = [0, 200]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
# Runs many command lines in one process, each as `tacit` would, and prints what became of them.
BATCH = """
import contextlib, io, json, sys, traceback
from tacit.interfaces.cli import main
results = []
for arguments in json.load(sys.stdin):
    sys.argv = ["tacit", *arguments]
    out, err = io.StringIO(), io.StringIO()
    code = 1
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main.run()
        except SystemExit as stop:
            code = stop.code or 0
        except BaseException:
            traceback.print_exc()
    results.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(results))
"""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def tacit(folder: Path, *commands: str, largest_file: int | None = None) -> list[Done]:
    """Run command lines, one after the other, in one process that works in ``folder``."""

    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    done = subprocess.run(
        [sys.executable, "-c", BATCH],
        input=json.dumps([command.split() for command in commands]),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        timeout=300,
        preexec_fn=limit,
        env={**os.environ, "COLUMNS": "120"},
    )
    return [Done(*each) for each in json.loads(done.stdout)]


def people(n: int, seed: int) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    ill = generator.integers(0, 2, n)
    return pl.DataFrame(
        {
            "id": np.arange(n),
            "age": generator.normal(40 + 25 * ill, 8).clip(0, 100).round(1),
            "dose": generator.normal(3 + 3 * ill, 1).clip(0, 10).round(2),
            "sex": np.array(["f", "m"])[generator.integers(0, 2, n)],
            "pulse": generator.normal(70 + 10 * ill, 15).clip(0, 200).round(0),
            "ill": np.array(["no", "yes"])[ill],
        }
    )


def write_tables(folder: Path) -> None:
    owner, ours, new = people(900, 0), people(120, 1), people(80, 2)
    owner.select("age", "dose", "sex", "ill").write_csv(folder / "owner.csv")
    labelled = pl.when(pl.int_range(pl.len()) < 16).then(pl.col("ill"))
    ours.select("id", "age", "pulse", ill=labelled).write_csv(folder / "ours.csv")
    new.select("id", "age", "pulse").write_csv(folder / "new.csv")
    new.select("id", "age", "pulse", "ill").write_csv(folder / "test.csv")
    (folder / "owner.toml").write_text(OWNER)
    (folder / "ours.toml").write_text(OURS)


RELEASE = "release owner.csv --schema owner.toml --epsilon 1"
ADOPT = "adopt a.tacit ours.csv --schema ours.toml -o model.tacit"


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Done]]:
    """A folder in which the main job was done, and what the commands said."""
    folder = tmp_path_factory.mktemp("job")
    write_tables(folder)
    return folder, tacit(
        folder,
        "ledger init l.ledger --epsilon 2 --delta 2e-6 --unit record",
        f"{RELEASE} --ledger l.ledger --dry-run",
        f"{RELEASE} --ledger l.ledger -o a.tacit",
        ADOPT,
        "predict model.tacit new.csv -o predictions.csv --keep id",
        "predict model.tacit test.csv -o predictions.parquet",
        "report model.tacit -o own.html",
        "report model.tacit --test test.csv -o test.html",
        "report a.tacit -o release.html",
        "adopt a.tacit a.tacit ours.csv --schema ours.toml -o twice.tacit",
        "adopt a.tacit ours.csv --schema ours.toml -o again.tacit",
    )


def refused(folder: Path, cases: Sequence[tuple[str, str]], *, largest_file: int | None = None) -> None:
    """Check that each command fails with one line that has these words, and leaves the folder as it was."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    results = tacit(folder, *(command for command, _ in cases), largest_file=largest_file)
    for (command, words), done in zip(cases, results, strict=True):
        assert done.code == 2, (command, done)
        assert done.err.splitlines()[-1].startswith("error: "), (command, done)
        assert words in done.err, (command, done.err)
        assert "Traceback" not in done.err, (command, done.err)
        assert done.out == "", (command, done.out)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_every_command_of_the_main_job_succeeds(job: tuple[Path, list[Done]]) -> None:
    for done in job[1]:
        assert done.code == 0, done
        assert "Traceback" not in done.err


def test_a_dry_run_shows_the_plan_and_spends_nothing(job: tuple[Path, list[Done]]) -> None:
    folder, results = job
    dry = results[1].out
    for words in (
        "the number of rows at each level",
        "gaussian",
        "sigma",
        "adding one row adds 1 to one level of each column",
        "would spend epsilon 1",
        "nothing was spent",
    ):
        assert words in re.sub(r"\s+", " ", dry), (words, dry)
    # What it foretells is what the release then spends.
    foretold = re.search(r"epsilon ([\d.]+) of 2 would be spent, ([\d.]+) left", dry)
    assert foretold is not None
    assert f"The ledger has spent epsilon {foretold[1]} of 2; {foretold[2]} is left." in results[2].out
    assert len(Ledger(folder / "l.ledger").lines()) == 1


def test_the_release_is_charged_named_and_complete(job: tuple[Path, list[Done]]) -> None:
    folder, results = job
    release = read_release(folder / "a.tacit")
    line = Ledger(folder / "l.ledger").verify()[0]
    assert release.card.ledger == {
        "identifier": Ledger(folder / "l.ledger").identifier,
        "line": 1,
        "digest": line.digest,
    }
    assert line.purpose == "release a.tacit"
    assert release.card.holds
    assert "tacit adopt a.tacit" in results[2].out


def test_adopting_compares_with_the_labels_alone(job: tuple[Path, list[Done]]) -> None:
    folder, results = job
    out = results[3].out
    evidence = read_model(folder / "model.tacit").classifier.evidence_
    assert isinstance(evidence, AdoptionEvidence)
    adopted = next(each for each in evidence.methods if each.name == "adopted")
    assert f"labels and releases {adopted.accuracy.value:.1%}" in re.sub(r" +", " ", out)
    assert "16 labels, held out in turn" in out
    for method in ("the commonest class", "your labels alone", "the releases alone"):
        assert method in out
    assert "95 % interval" in out
    assert "bounds differ" in re.sub(r"\s+", " ", out)
    assert stat.S_IMODE((folder / "model.tacit").stat().st_mode) == 0o600
    assert results[9].out.count("a.tacit: epsilon 1") == 2


def test_adopting_again_gives_the_same_model(job: tuple[Path, list[Done]]) -> None:
    folder = job[0]
    assert (folder / "again.tacit").read_bytes() == (folder / "model.tacit").read_bytes()


def test_predictions_are_those_of_the_model_beside_the_kept_columns(job: tuple[Path, list[Done]]) -> None:
    folder = job[0]
    opened = read_model(folder / "model.tacit")
    rows = encode_file(folder / "new.csv", opened.schema)
    names = [opened.schema.classes[code] for code in opened.classifier.predict(rows.X)]
    found = pl.read_csv(folder / "predictions.csv")
    assert found.columns == ["id", "prediction", "confidence"]
    assert found["prediction"].to_list() == names
    assert found["id"].to_list() == list(range(80))
    assert found["confidence"].is_between(0.5, 1).all()
    # The same people with their labels beside them: a label is not looked at.
    labelled = pl.read_parquet(folder / "predictions.parquet")
    assert labelled.equals(found.drop("id"))
    accuracy = (pl.read_csv(folder / "test.csv")["ill"] == found["prediction"]).mean()
    assert isinstance(accuracy, float)
    assert accuracy > 0.8


def test_the_reports_say_what_they_measured(job: tuple[Path, list[Done]]) -> None:
    folder = job[0]
    assert "your own 16 labelled rows, each held out in turn" in (folder / "own.html").read_text()
    assert "the 80 labelled rows of test.csv" in (folder / "test.html").read_text()
    page = (folder / "release.html").read_text()
    assert "It protects one record." in page
    assert "it may go wherever the release goes" in page


def test_without_a_ledger_or_with_a_seed_one_is_warned(tmp_path: Path) -> None:
    write_tables(tmp_path)
    plain, seeded, adopted = tacit(
        tmp_path,
        f"{RELEASE} --unit entry -o plain.tacit",
        f"{RELEASE} --seed 1 -o seeded.tacit",
        "adopt seeded.tacit plain.tacit ours.csv --schema ours.toml -o model.tacit",
    )
    assert (plain.code, seeded.code, adopted.code) == (0, 0, 0)
    assert "warning: no --ledger" in plain.err
    assert "NOT PRIVATE" not in plain.err
    assert "NOT PRIVATE" in seeded.err
    assert not read_release(tmp_path / "seeded.tacit").card.holds
    assert "seeded.tacit does not hold" in adopted.err
    assert "plain.tacit does not hold" not in adopted.err


def test_rows_without_a_label_are_left_out_and_said(tmp_path: Path) -> None:
    write_tables(tmp_path)
    (tmp_path / "owner.csv").write_text((tmp_path / "owner.csv").read_text() + "50,5,f,\n51,5,m,\n")
    (done,) = tacit(tmp_path, f"{RELEASE} --seed 1 -o a.tacit")
    assert done.code == 0
    assert "2 rows without a label left out." in done.err


def test_past_the_budget_nothing_is_written(tmp_path: Path) -> None:
    write_tables(tmp_path)
    tacit(
        tmp_path,
        "ledger init l.ledger --epsilon 1.2 --delta 2e-6 --unit record",
        f"{RELEASE} --ledger l.ledger -o a.tacit",
    )
    refused(tmp_path, [(f"{RELEASE} --ledger l.ledger -o b.tacit", "does not fit the budget")])
    (dry,) = tacit(tmp_path, f"{RELEASE} --ledger l.ledger --dry-run")
    assert "does not fit the budget" in dry.out
    assert len(Ledger(tmp_path / "l.ledger").lines()) == 1


def test_a_bad_release_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    write_tables(tmp_path)
    rows = (tmp_path / "owner.csv").read_text().splitlines()
    spoiled = {
        "columns": [rows[0].replace("dose", "doze"), *rows[1:]],
        "nan": [*rows, "nan,5,f,no"],
        "infinite": [*rows, "50,inf,f,no"],
        "empty": [],
        "header": rows[:1],
        "category": [*rows, "50,5,x,no"],
        "class": [*rows, "50,5,f,maybe"],
    }
    for name, lines in spoiled.items():
        (tmp_path / f"{name}.csv").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "draft.toml").write_text(OWNER.replace("version = 1", "version = 1\nbounds_from_data = true"))
    (tmp_path / "unlabelled.toml").write_text(OWNER.split("[columns.ill]", maxsplit=1)[0])
    (tmp_path / "old.tacit").write_text("something dear")
    tacit(tmp_path, "ledger init l.ledger --epsilon 50 --delta 1e-3 --unit record")
    good = "--schema owner.toml --ledger l.ledger"
    to = "-o new.tacit"
    refused(
        tmp_path,
        [
            (f"release columns.csv {good} --epsilon 1 {to}", "lacks 'dose'"),
            (f"release nan.csv {good} --epsilon 1 {to}", "the cell is missing"),
            (f"release infinite.csv {good} --epsilon 1 {to}", "no finite number"),
            (f"release empty.csv {good} --epsilon 1 {to}", "the file is empty"),
            (f"release header.csv {good} --epsilon 1 {to}", "no rows"),
            (f"release category.csv {good} --epsilon 1 {to}", "outside the closed list"),
            (f"release class.csv {good} --epsilon 1 {to}", "no class of the schema"),
            (f"release nowhere.csv {good} --epsilon 1 {to}", "no such file"),
            (f"release owner.csv {good} --epsilon -1 {to}", "epsilon must be a finite number above 0; got -1"),
            (f"release owner.csv {good} --epsilon 0 {to}", "epsilon must be"),
            (f"release owner.csv {good} --epsilon 1000 {to}", "epsilon must be at most 100"),
            (f"release owner.csv {good} --epsilon nan {to}", "epsilon must be"),
            (f"release owner.csv {good} --epsilon 1 --delta 2 {to}", "delta must be in"),
            (f"release owner.csv {good} --epsilon 1 --unit row {to}", "unit must be one of"),
            (f"release owner.csv {good} --epsilon 1", "output must be given"),
            (f"release owner.csv {good} --epsilon 1 -o old.tacit", "exists already"),
            (f"release owner.csv {good} --epsilon 1 -o owner.csv --force", "is also an input"),
            (f"release owner.csv {good} --epsilon 1 -o l.ledger --force", "is also an input"),
            (f"release owner.csv {good} --epsilon 1 -o nowhere/new.tacit", "no such file or folder"),
            (f"release owner.csv {good} --epsilon 1 -o .", "is a folder"),
            (f"release owner.csv {good} --epsilon 1 --sign nokey.pem {to}", "nokey.pem"),
            (f"release owner.csv {good} --epsilon 1 --sign owner.toml {to}", "not a private key"),
            (f"release owner.csv --schema nowhere.toml --epsilon 1 {to}", "schema cannot be read"),
            (f"release owner.csv --schema draft.toml --epsilon 1 {to}", "bounds_from_data is true"),
            (f"release owner.csv --schema unlabelled.toml --epsilon 1 {to}", "label"),
            (f"release owner.csv --schema owner.toml --epsilon 1 --ledger no.ledger {to}", "there is no ledger at"),
        ],
    )
    assert Ledger(tmp_path / "l.ledger").lines() == ()


def test_bad_files_are_refused_by_receiver_and_reviewer(job: tuple[Path, list[Done]], tmp_path: Path) -> None:
    for name in ("a.tacit", "model.tacit", "ours.csv", "new.csv", "test.csv"):
        (tmp_path / name).write_bytes((job[0] / name).read_bytes())
    (tmp_path / "ours.toml").write_text(OURS)
    release, model = ((tmp_path / name).read_bytes() for name in ("a.tacit", "model.tacit"))
    (tmp_path / "short.tacit").write_bytes(release[:-30])
    (tmp_path / "changed.tacit").write_bytes(_flipped(release))
    (tmp_path / "changed-model.tacit").write_bytes(_flipped(model))
    (tmp_path / "wrong.csv").write_text("id,age\n1,30\n")
    signature.save_public_key(signature.generate_key().public_key(), tmp_path / "public.pem")
    end = "ours.csv --schema ours.toml -o new.tacit"
    refused(
        tmp_path,
        [
            (f"adopt short.tacit {end}", "short.tacit"),
            (f"adopt changed.tacit {end}", "changed.tacit"),
            (f"adopt model.tacit {end}", "it is a model, but a release is wanted"),
            (f"adopt ours.csv {end}", "ours.csv"),
            (f"adopt nowhere.tacit {end}", "no such file"),
            (f"adopt {end}", "at least one release"),
            ("adopt ours.csv a.tacit --schema ours.toml -o new.tacit", "the last file must be your own table"),
            (f"adopt a.tacit {end} --key public.pem", "not signed"),
            (f"adopt a.tacit {end} --combine magic", "combine must be one of"),
            ("adopt a.tacit ours.csv --schema ours.toml -o a.tacit --force", "is also an input"),
            ("adopt a.tacit ours.csv --schema ours.toml -o model.tacit", "exists already"),
            ("predict a.tacit new.csv -o p.csv", "it is a release, but a model is wanted"),
            ("predict changed-model.tacit new.csv -o p.csv", "changed-model.tacit"),
            ("predict model.tacit wrong.csv -o p.csv", "lacks 'pulse'"),
            ("predict model.tacit new.csv -o p.txt", "must end in"),
            ("predict model.tacit new.csv -o p.csv.gz", "must end in .csv or .parquet"),
            ("predict model.tacit new.csv -o p.csv --keep name", "--keep must name columns"),
            ("predict model.tacit new.csv -o new.csv --force", "is also an input"),
            ("report short.tacit -o r.html", "short.tacit"),
            ("report changed.tacit -o r.html", "changed.tacit"),
            ("report changed-model.tacit -o r.html", "changed-model.tacit"),
            ("report new.csv -o r.html", "new.csv"),
            ("report a.tacit --test test.csv -o r.html", "--test is for models"),
            ("report model.tacit --test new.csv -o r.html", "must hold labelled rows"),
            ("report model.tacit -o nowhere/r.html", "no such file or folder"),
        ],
    )


def _flipped(content: bytes) -> bytes:
    """Return the file with one bit of its arrays changed."""
    place = content.index(b"arrays.safetensors") + len(content) // 2
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def test_on_a_full_disk_nothing_is_spent_and_nothing_half_written(job: tuple[Path, list[Done]], tmp_path: Path) -> None:
    for name in ("owner.csv", "owner.toml", "ours.csv", "ours.toml", "test.csv", "a.tacit", "model.tacit", "new.csv"):
        (tmp_path / name).write_bytes((job[0] / name).read_bytes())
    tacit(tmp_path, "ledger init l.ledger --epsilon 2 --delta 2e-6 --unit record")
    words = "the file would exceed the largest size allowed here"
    refused(
        tmp_path,
        [
            (f"{RELEASE} --ledger l.ledger -o b.tacit", words),
            ("adopt a.tacit ours.csv --schema ours.toml -o b.tacit", words),
            ("predict model.tacit new.csv -o p.csv", "p.csv cannot be written: File too large"),
            ("report model.tacit -o r.html", words),
        ],
        largest_file=500,
    )
    assert Ledger(tmp_path / "l.ledger").lines() == ()


def test_a_charge_that_could_not_be_delivered_is_said_to_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(app, ["ledger", "init", "l.ledger", "--epsilon", "2", "--delta", "2e-6", "--unit", "record"])

    def broken(*_: object, **__: object) -> None:
        raise ReleaseError("a.tacit cannot be written: the disk is full.")

    monkeypatch.setattr("tacit.workflows.release.write_release", broken)
    result = CliRunner().invoke(app, f"{RELEASE} --ledger l.ledger -o a.tacit".split())
    assert "The charge stands on the ledger" in str(result.exception)
    assert len(Ledger("l.ledger").lines()) == 1


def test_a_signed_release_is_adopted_by_those_who_know_the_key(tmp_path: Path) -> None:
    write_tables(tmp_path)
    for name in ("owner", "stranger"):
        key = signature.generate_key()
        signature.save_key(key, tmp_path / f"{name}.pem")
        signature.save_public_key(key.public_key(), tmp_path / f"{name}.pub")
    made, adopted = tacit(tmp_path, f"{RELEASE} --seed 0 --sign owner.pem -o a.tacit", f"{ADOPT} --key owner.pub")
    assert (made.code, adopted.code) == (0, 0), (made, adopted)
    refused(tmp_path, [(f"{ADOPT} --force --key stranger.pub", "it is signed by")])


@pytest.mark.slow
def test_the_walk_through_runs_as_it_is_written(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "main-job.md").read_text(encoding="utf-8")
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert script.count("tacit ") > 10
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    for name in ("answers.csv", "answers.parquet", "clinic-a.html", "adopted.html"):
        assert (tmp_path / "demo-output" / name).stat().st_size > 1000
