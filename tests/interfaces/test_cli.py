"""The command line as a user meets it: real processes, real files, real exit codes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tacit import Ledger, PrivateNearestMean, write_release


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from tacit.interfaces.cli.main import run; run()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=120)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("release") / "small.tacit"
    X = [[0.1, 0.2], [0.2, 0.1], [0.8, 0.9], [0.9, 0.8]]
    write_release(PrivateNearestMean(1.0, bounds=(0, 1), classes=["a", "b"]).fit(X, list("aabb")).release(), path)
    return path


def test_the_help_says_where_to_start() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "Start with:" in done.stdout


def test_the_card_of_a_release_is_shown(release: Path) -> None:
    done = run("card", release)
    assert done.returncode == 0
    assert done.stdout.startswith("This release is differentially private at the level of one record.")
    content = json.loads(run("card", release, "--json").stdout)
    assert content["epsilon"] == 1.0


def test_a_truncated_release_is_one_clear_line_and_exit_2(release: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.tacit"
    broken.write_bytes(release.read_bytes()[:-20])
    done = run("card", broken)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_release_is_audited(release: Path) -> None:
    done = run("audit", release, "--draws", "4000", "--seed", "1")
    assert done.returncode == 0
    assert "passes" in done.stdout
    assert "adds up" in done.stdout


def test_an_audit_of_nothing_says_what_to_give() -> None:
    done = run("audit")
    assert done.returncode == 2
    assert "either a release FILE or --self" in done.stderr


def test_tables_are_listed_and_run() -> None:
    assert "[membership] Table 1" in " ".join(run("reproduce").stdout.split())
    rows = json.loads(run("reproduce", "units", "--json").stdout)["rows"]
    image = [row for row in rows if row["setting"] == "entry epsilon 0.1, 784 features"]
    assert image[0]["mean"] == pytest.approx(14.884, abs=1e-3)
    unknown = run("reproduce", "perpetual-motion")
    assert unknown.returncode == 2
    assert "units" in unknown.stderr


@pytest.mark.slow
def test_the_demo_plays_every_part_and_leaves_files_to_look_at(tmp_path: Path) -> None:
    for _ in ("first", "again"):
        done = run("demo", "--output", tmp_path / "out")
        assert done.returncode == 0, done.stderr
    for words in ("$ tacit release", "$ tacit adopt", "PRIVACY CARD", "passes", "adds up", "is spent"):
        assert words in done.stdout, words
    outcome = done.stdout.split("what adopting did")[1]
    # No labels, and labels alone and with the release, of which there are 20 and 100. Noise is fresh each time.
    none, few, few_adopted, many, many_adopted = (int(right) for right in re.findall(r"(\d+)/347", outcome))
    assert none > 347 / 2
    assert few_adopted >= few - 5
    assert many_adopted >= many - 5
    for name in ("owner.csv", "receiver.toml", "owner.ledger", "owner.tacit", "model.tacit", "release.html"):
        assert (tmp_path / "out" / name).exists(), name
    assert len((tmp_path / "out" / "predictions.csv").read_text().splitlines()) == 348
    assert "the 347 labelled rows of held-out.csv" in (tmp_path / "out" / "report.html").read_text()
    assert len(Ledger(tmp_path / "out" / "owner.ledger").lines()) == 1


def test_the_version_is_shown() -> None:
    assert run("--version").stdout.startswith("tacit 0.")
