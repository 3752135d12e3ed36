"""The main job as its users meet it: release, adopt, predict and report in real processes."""

import re
import stat
from pathlib import Path

import polars as pl
import pytest
from tests.interfaces.main_job import ADOPT, OURS, RELEASE, Done, refused, tacit, write_tables

from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence
from tacit.data.rows.encoding import encode_file
from tacit.privacy.ledger import Ledger
from tacit.releases import signature
from tacit.releases.file import read_release
from tacit.workflows.models import read_model

ROOT = Path(__file__).parents[2]


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
