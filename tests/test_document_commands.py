"""The shell blocks of README and the documents run as they are written, page by page, from top to bottom."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.test_documents import DOCUMENTS, ROOT, blocks, identity

from tacit import Budget, Ledger

# Blocks without a command of tacit are not run: they install, or speak of other programs.
NOT_OURS = ("make ", "pip ", "flwr ", "python ", "ssh-keygen ", "openssl ", "flower-")
# Lines that are not run here, and the file with the test that runs them.
ELSEWHERE = {
    "tacit audit --self": "tests/audit/test_self_audit.py",
    "tacit studio": "tests/interfaces/studio/test_whole_job.py",
    "tacit join ": "tests/interfaces/test_cli_join.py",
    "tacit adopt joint.tacit": "tests/interfaces/test_cli_join.py",
}
# What a person does between two lines. A desk is open until Ctrl-C; its token and address are known when it is there.
ADAPTED = {
    # The default learner is a network, which takes minutes; it is tested with its own file.
    "tacit infer": "{line} --learner logistic",
    # Whoever drafts a schema then says what is public.
    "tacit schema draft": "{line}\nsed -i /bounds_from_data/d patients.toml",
    "tacit desk provider add": r"TOKEN=$({line} | grep -oE '[0-9A-Za-z_-]{{30,}}' | head -1)",
    "tacit desk serve": "{line} --port 0 > desk.log &\nDESK=$!\ntrap 'kill $DESK' EXIT\n"
    "for i in $(seq 600); do grep -q '^desk: ' desk.log && break; sleep .1; done\n"
    "ADDRESS=$(grep '^desk: ' desk.log | cut -d' ' -f2)",
    "tacit tune --desk": "{line}\nkill $DESK; wait $DESK || true; trap - EXIT; rm -f tuned.safetensors",
}


def patients(n_rows: int, seed: int, label: str = "ill") -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age, pressure = rng.integers(20, 90, n_rows), rng.normal(130, 20, n_rows).round().clip(60, 240)
    ill = age / 90 + pressure / 200 + 0.2 * rng.normal(size=n_rows) > 1.3
    columns: dict[str, Any] = {"age": age, "pressure": pressure, "sex": rng.choice(["female", "male"], n_rows)}
    return pl.DataFrame({**columns, label: np.where(ill, "yes", "no")})


def schema(label: str = "ill") -> str:
    return f"""version = 1
[columns.age]
kind = "numeric"
bounds = [0, 110]
[columns.pressure]
kind = "numeric"
bounds = [60, 240]
[columns.sex]
kind = "categorical"
categories = ["female", "male"]
[columns.{label}]
kind = "label"
classes = ["no", "yes"]
"""


def write_tables(label: str = "ill", *, drafted: bool = False, owner: str = "patients") -> None:
    """Write what a page starts from: the owner's table, and the receiver's with few labels."""
    patients(800, 0, label).write_csv(f"{owner}.csv")
    ours = patients(200, 1, label)
    ours.with_columns(pl.when(pl.int_range(pl.len()) < 40).then(pl.col(label)).alias(label)).write_csv("ours.csv")
    patients(80, 2, label).drop(label).write_csv("new.csv")
    for name in ("others", "later"):
        patients(300, 3, label).write_csv(f"{name}.csv")
    for name in ("ours", *(() if drafted else (owner,))):
        Path(f"{name}.toml").write_text(schema(label))


def readme() -> None:
    write_tables(drafted=True)
    patients(900, 4).write_csv("a.csv")
    Path("a.toml").write_text(schema())


def attacks() -> None:
    names = {"members": 5, "others": 6}
    for name, seed in names.items():
        patients(1000, seed).write_csv(f"{name}.csv")
    Path("rows.toml").write_text(schema())


def with_ledger() -> None:
    write_tables()
    Ledger.create("patients.ledger", Budget(3, 1e-5, unit="record"))


def survey() -> None:
    table = patients(200, 0).rename({"sex": "race"})
    table.with_columns(race=pl.when(pl.int_range(pl.len()) % 5 > 0).then(pl.col("race"))).write_csv("survey.csv")
    text = schema().replace("[columns.sex]", "[columns.race]").replace('"male"]', '"male"]\nmissing = "category"')
    Path("survey.toml").write_text(text)


SETUPS: dict[str, Callable[[], None]] = {
    "README.md": readme,
    "docs/architecture.md": with_ledger,
    "docs/attacks.md": attacks,
    "examples/joint/README.md": lambda: Path("clinic-a").mkdir(),
    "docs/linear-transfer.md": lambda: write_tables(owner="clinic-a"),
    "docs/marginals.md": lambda: write_tables("outcome"),
    "docs/missing.md": survey,
    "docs/schema.md": lambda: write_tables("diagnosis", drafted=True),
}


def shell_lines(document: Path) -> list[str]:
    """Return the lines of all blocks of a document that hold a command of tacit, with continued lines joined."""
    lines = []
    for block in blocks(document):
        joined = re.sub(r"\\\n\s*", " ", block).splitlines()
        if any(line.startswith("tacit ") for line in joined):
            lines += joined
    return lines


def script(document: Path) -> str:
    """Return the page as a script: what is tested elsewhere left out, what stays open in the background."""
    parts = []
    for line in shell_lines(document):
        if any(line.startswith(each) for each in (*ELSEWHERE, *NOT_OURS)):
            continue
        shape = next((shape for start, shape in ADAPTED.items() if line.startswith(start)), "{line}")
        parts.append(shape.format(line=line.split("  #")[0].strip() if shape != "{line}" else line))
    return "\n".join(parts).replace("http://127.0.0.1:8765", "$ADDRESS")


PAGES = [document for document in DOCUMENTS if "tacit " in script(document)]


@pytest.mark.slow
@pytest.mark.parametrize("document", PAGES, ids=identity)
def test_the_commands_of_a_page_run_in_their_order(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "desk serve" in script(document):
        pytest.importorskip("fastapi", reason="needs the extra serve")
    monkeypatch.chdir(tmp_path)
    SETUPS.get(identity(document), write_tables)()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    command = ["bash", "-euo", "pipefail", "-x", "-c", script(document)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    for name in re.findall(r"(?:-o|--report) (\S+)", script(document)):
        if name != "tuned.safetensors":  # which the next part of its page makes anew
            assert any(path.stat().st_size for path in tmp_path.rglob(name)), name


def test_pages_with_commands_are_found_and_shell_blocks_of_other_programs_are_named() -> None:
    names = {identity(document) for document in PAGES}
    assert {"README.md", "docs/main-job.md", "docs/desk.md", "docs/marginals.md", "docs/pairs.md"} <= names
    assert set(SETUPS) <= names
    for document in DOCUMENTS:
        for block in blocks(document, "sh"):
            assert re.search(r"^tacit ", block, re.MULTILINE) or block.startswith(NOT_OURS), block


def test_what_is_run_elsewhere_is_run_there() -> None:
    for start, file in ELSEWHERE.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(r"self_audit|join|studio", text), (start, file)


def test_a_command_that_fails_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\ntacit card nowhere.tacit\n```\n")
    monkeypatch.chdir(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-eu", "-c", script(page)], env={**os.environ, "PATH": path}, check=False)
    assert done.returncode == 2
