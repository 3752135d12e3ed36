"""``tacit audit --members``: real files, what is printed, what is written, what is refused."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tacit import PrivateNearestMean, write_release

ROOT = Path(__file__).parents[2]
COLUMNS = 12
NUMBERS = "".join(f'[columns.x{place}]\nkind = "numeric"\nbounds = [0, 1]\n' for place in range(COLUMNS))
SCHEMA = f'version = 1\n{NUMBERS}[columns.ill]\nkind = "label"\nclasses = ["no", "yes"]\n'


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from tacit.interfaces.cli.main import run; run()", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "140"}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=120, env=environment)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with members, others, their schema, and releases of the members."""
    folder = tmp_path_factory.mktemp("attacks")
    generator = np.random.default_rng(0)
    names = ",".join([*(f"x{k}" for k in range(COLUMNS)), "ill"])
    for name, count in (("members", 40), ("others", 150)):
        rows = [",".join(f"{v:.4f}" for v in row) for row in generator.random((count, COLUMNS))]
        lines = [f"{row},{('no', 'yes')[place % 2]}" for place, row in enumerate(rows)]
        (folder / f"{name}.csv").write_text("\n".join([names, *lines]) + "\n")
    (folder / "rows.toml").write_text(SCHEMA)
    X = np.loadtxt(folder / "members.csv", delimiter=",", skiprows=1, usecols=range(COLUMNS))
    labels = np.array(["no", "yes"])[np.arange(40) % 2]
    model = PrivateNearestMean(1.0, bounds=(0, 1), classes=["no", "yes"]).fit(X, labels)
    write_release(model.release(), folder / "means.tacit")
    return folder


def test_the_page_about_attacks_does_what_it_says(folder: Path) -> None:
    text = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "140"}
    done = subprocess.run(
        ["bash", "-eu", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for words in ("distance threshold", "nearest released row", "shadow releases", "cannot be measured", "adds up"):
        assert words in done.stdout, words
    assert "needs 1,000 others" in done.stdout
    assert "Members can be told from others" in done.stdout
    assert "keep it as you keep the table" in done.stdout
    page = (folder / "roc.html").read_text(encoding="utf-8")
    assert page.count('class="curve ') == 3
    assert "http" not in re.sub(r'http-equiv|xmlns="[^"]*"', "", page)
    for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(compile(code, "attacks.md", "exec"), {})


def test_class_means_need_a_schema_and_stand_up_to_attacks(folder: Path) -> None:
    given = ("means.tacit", "--members", "members.csv", "--non-members", "others.csv")
    lacking = run("audit", *given, cwd=folder)
    assert lacking.returncode == 2
    assert "--schema must be given" in lacking.stderr
    assert lacking.stdout == ""
    done = run("audit", *given, "--schema", "rows.toml", "--shadows", "4", "--seed", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "FAILS" not in done.stdout
    assert "shadow releases" in done.stdout
    assert "the card promises a record epsilon 1, delta 1e-06." in done.stdout


def test_fabricated_tables_are_attacked_with_the_release_beside_them(folder: Path) -> None:
    settings = ("--schema", "rows.toml", "--epsilon", "1", "-o", "invented.csv")
    assert run("fabricate", "members.csv", *settings, cwd=folder).returncode == 0
    given = ("--members", "members.csv", "--non-members", "others.csv", "--shadows", "0")
    done = run("audit", "invented.csv", *given, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "nearest released row" in done.stdout
    assert "shadow releases" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("means.tacit", "--members", "members.csv"), "attacks need both --members and --non-members"),
        (("means.tacit", "--report", "page.html"), "attacks need both --members and --non-members"),
        (("--self", "--members", "members.csv", "--non-members", "others.csv"), "for a release FILE, not for --self"),
        (
            ("means.tacit", "--members", "members.csv", "--non-members", "others.csv", "--report", "members.csv"),
            "also an input",
        ),
    ],
    ids=["half", "page-alone", "self", "lost-input"],
)
def test_what_makes_no_sense_is_refused_before_the_work(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    done = run("audit", *arguments, cwd=folder)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
    assert not (folder / "page.html").exists()
