"""Tasks call the workflows that the command line calls: the same request gives the same bytes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.interfaces.main_job import tacit
from tests.interfaces.studio.served import write_patients
from tests.interfaces.studio.test_jobs import RELEASE, SCHEMA, prepare

from tacit.data.schemas.columns import Label, Numeric, Target
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError, TacitError
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.jobs import Job
from tacit.interfaces.studio.needs import NEEDS
from tacit.interfaces.studio.tasks import adopt, audit, card, plan, predict, release, sign, verify, what_if
from tacit.interfaces.studio.worker import Order
from tacit.kinds.registry import kind_by_method
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release
from tacit.releases.signature import generate_key, save_key, save_public_key

ASKED = {**RELEASE, "epsilon": 1.0, "delta": 1e-6, "unit": "", "ledger": "", "seed": 3}


class Work(Order):
    """What a task gets, without a process."""

    def __init__(self, folder: Path, arguments: dict[str, Any], secret: str = "") -> None:
        job = Job(folder / ".studio" / "jobs" / "0000000000001-task-abcdef")
        self.folder = WorkFolder.at(folder)
        job.path.mkdir(parents=True, exist_ok=True)
        (job.path / "report.html").unlink(missing_ok=True)
        self.arguments, self.secret, self.report, self._job = arguments, secret, job.path / "report.html", job
        self.stages: list[str] = []

    def progress(self, stage: str) -> None:
        self.stages.append(stage)


def test_every_need_is_served_by_a_kind_that_exists() -> None:
    methods = [need.method for need in NEEDS.values() if need.method]
    assert [kind_by_method(method).method for method in methods] == methods
    assert {need.workflow for need in NEEDS.values()} == {"release", "fabricate"}


@pytest.mark.filterwarnings("ignore")
def test_the_same_request_gives_the_same_bytes_as_the_command_line(tmp_path: Path) -> None:
    prepare(tmp_path)
    write_patients(tmp_path / "ours.csv", 120, seed=9, labels=0.3)
    (tmp_path / "ours.toml").write_text(format_schema(SCHEMA))
    made = release.run(Work(tmp_path, {**ASKED, "output": "a.tacit", "facts": {"owner": "Clinic"}}))
    assert made["files"] == ["a.tacit"]
    work = Work(tmp_path, {"releases": ["a.tacit"], "table": "ours.csv", "output": "m.tacit"})
    adopt.run(work)
    page = work.report.read_bytes()
    predict.run(Work(tmp_path, {"model": "m.tacit", "table": "ours.csv", "keep": ["id"], "output": "p.csv"}))
    fabricated = release.run(Work(tmp_path, {**ASKED, "need": "rows", "output": "f.csv"}))
    assert fabricated["files"] == ["f.csv", "f.csv.tacit"]
    (tmp_path / "cli").mkdir()
    table = "patients.csv -s patients.toml --epsilon 1 --seed 3"
    lines = (
        f"release {table} --owner Clinic -o cli/a.tacit",
        "adopt a.tacit ours.csv -s ours.toml -o cli/m.tacit",
        "predict m.tacit ours.csv --keep id -o cli/p.csv",
        "report m.tacit -o cli/m.html",
        f"fabricate {table} -o cli/f.csv",
    )
    assert [done.code for done in tacit(tmp_path, *lines)] == [0] * len(lines)
    for name in ("m.tacit", "p.csv", "f.csv"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "cli" / name).read_bytes(), name
    assert (tmp_path / "cli/m.html").read_bytes() == page
    # Cards say when they were made; all else of the releases is the same.
    ours, theirs = (read_release(tmp_path / name) for name in ("a.tacit", "cli/a.tacit"))
    assert {**ours.card.to_dict(), "made": ""} == {**theirs.card.to_dict(), "made": ""}
    assert all(np.array_equal(ours.arrays[name], theirs.arrays[name]) for name in theirs.arrays)


def test_a_dry_run_spends_nothing_and_says_what_would_be_left(tmp_path: Path) -> None:
    ledger = prepare(tmp_path)
    asked = {**ASKED, "ledger": "patients.ledger", "seed": None}
    planned = plan.run(Work(tmp_path, asked))
    assert planned["of"] == "1.5"
    assert float(planned["spent"]) == pytest.approx(1, rel=1e-3)
    assert all(step["because"] for step in planned["steps"])
    refused = plan.run(Work(tmp_path, {**asked, "epsilon": 2.0}))
    assert "refused" in refused
    assert plan.run(Work(tmp_path, {**asked, "need": "rows"}))["steps"]
    assert "spent" not in plan.run(Work(tmp_path, {**asked, "ledger": ""}))
    assert ledger.lines() == ()
    with pytest.raises(TacitError):
        plan.run(Work(tmp_path, {**asked, "table": "../patients.csv"}))


def test_what_epsilon_buys_is_never_simulated_on_the_private_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path)
    monkeypatch.setattr(what_if, "DRAWS", 1)
    asked = {"table": "patients.csv", "need": "model", "delta": 1e-6, "rows": 400}
    with pytest.raises(InputError, match="private table itself"):
        what_if.run(Work(tmp_path, {**asked, "stand_ins": "patients.csv"}))
    found = what_if.run(Work(tmp_path, asked))
    assert [each["epsilon"] for each in found["means"]] == list(what_if.EPSILONS)
    assert (found["rows"], found["measure"]) == (400, "accuracy")
    json.dumps(found)


# What each need is judged by, and where its figures lie for rows that were invented.
MEASURED = {
    "model": "accuracy",
    "rows": "trained",
    "scores": "accuracy",
    "counts": "accuracy",
    "regression": "explained",
    "distance": "neighbours",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("need", MEASURED)
def test_what_epsilon_buys_is_simulated_for_every_need(
    need: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_if, "EPSILONS", (10.0,))
    monkeypatch.setattr(what_if, "DRAWS", 2)
    numbers = Schema((Numeric("age", (0, 110)), Numeric("weight", (0, 200)), Target("dose", (0, 30))))
    rules = numbers if need == "regression" else SCHEMA
    (tmp_path / "patients.csv").write_text("never read\n")
    (tmp_path / "patients.toml").write_text(format_schema(rules))
    result = what_if.run(Work(tmp_path, {"table": "patients.csv", "need": need, "delta": 1e-6, "rows": 1200}))
    (only,) = result["means"]
    assert (result["measure"], only["refused"]) == (MEASURED[need], 0)
    # More than without the release, but for a distance: here every column says as much as another.
    assert only["mean"] > result["baseline"] - 0.03 * (need == "distance")


def test_invented_rows_come_from_the_schema_alone() -> None:
    rows = what_if.invented(SCHEMA, 3000)
    assert rows.X.shape == (3000, len(SCHEMA.encoded_names))
    assert rows.X.min() >= 0
    assert rows.X.max() <= 1
    assert np.bincount(rows.y).tolist() == [1500, 1500]
    # One hot, and never missing; classes differ by a deviation in the first column, not in the next.
    places = SCHEMA.positions
    assert (rows.X[:, list(places["sex"])].sum(axis=1) == 1).all()
    assert (rows.X[:, places["dose"][1]] == 0).all()
    gaps = [rows.X[rows.y == 1, place].mean() - rows.X[rows.y == 0, place].mean() for place in (0, 1)]
    assert gaps[0] == pytest.approx(what_if.SPREAD * what_if.APART, abs=0.03)
    assert abs(gaps[1]) < 0.02
    with pytest.raises(TacitError, match="label"):
        what_if.invented(Schema((Numeric("a", (0, 1)),)), 100)
    numbers = what_if.invented(Schema((Numeric("a", (0, 1)), Target("t", (5, 9)))), 2000)
    assert numbers.targets is not None
    assert 5 <= numbers.targets.min() < numbers.targets.max() <= 9
    assert np.corrcoef(numbers.X[:, 0], numbers.targets)[0, 1] > 0.5
    assert len(what_if.invented(Schema((Numeric("a", (0, 1)), Label("l", tuple("abc")))), 1).y) == 100


def test_a_reviewer_reads_audits_compares_and_signs(tmp_path: Path) -> None:
    prepare(tmp_path)
    release.run(Work(tmp_path, {**ASKED, "seed": None, "ledger": "patients.ledger", "output": "a.tacit"}))
    read = card.run(Work(tmp_path, {"file": "a.tacit"}))
    assert (read["kind"], read["adds_up"], read["holds"], read["signer"]) == ("release", True, True, "")
    assert read["claimed"] == "1"
    work = Work(tmp_path, {"file": "a.tacit"})
    audited = audit.run(work)
    stages = work.stages
    assert audited["passed"]
    assert len(stages) == len(audited["results"])
    assert stages[0].startswith(f"game 1 of {len(stages)}")
    checked = verify.run(Work(tmp_path, {"file": "a.tacit", "account": "patients.ledger"}))
    assert checked["lines"] == 1
    key = generate_key()
    save_key(key, tmp_path / "a.key", passphrase="secret words")
    save_public_key(key.public_key(), tmp_path / "a.pub", owner="Clinic A")
    with pytest.raises(ReleaseError, match="passphrase"):
        sign.run(Work(tmp_path, {"file": "a.tacit", "key": "a.key"}, "wrong words"))
    signed = sign.run(Work(tmp_path, {"file": "a.tacit", "key": "a.key"}, "secret words"))
    assert signed["digest"] == read["digest"]
    trusted = card.run(Work(tmp_path, {"file": "a.tacit", "key": "a.pub"}))
    assert (trusted["signer"], trusted["owner"]) == (signed["signer"], "Clinic A")


def test_a_card_alone_is_read_and_one_that_lies_is_found(tmp_path: Path) -> None:
    prepare(tmp_path)
    release.run(Work(tmp_path, {**ASKED, "output": "a.tacit"}))
    content = read_release(tmp_path / "a.tacit").card.to_dict()
    (tmp_path / "card.json").write_text(json.dumps(content))
    read = card.run(Work(tmp_path, {"file": "card.json"}))
    assert (read["kind"], read["adds_up"], read["holds"]) == ("card", True, False)
    (tmp_path / "lie.json").write_text(json.dumps({**content, "epsilon": 0.5}))
    assert not card.run(Work(tmp_path, {"file": "lie.json"}))["adds_up"]
    assert not audit.run(Work(tmp_path, {"file": "lie.json"}))["passed"]
    (tmp_path / "none.json").write_text('{"a": NaN}')
    with pytest.raises(ReleaseError):
        card.run(Work(tmp_path, {"file": "none.json"}))


def test_a_release_of_another_ledger_is_told_from_its_own(tmp_path: Path) -> None:
    prepare(tmp_path)
    release.run(Work(tmp_path, {**ASKED, "seed": None, "ledger": "patients.ledger", "output": "a.tacit"}))
    budget = Ledger(tmp_path / "patients.ledger").budget
    Ledger.create(tmp_path / "other.ledger", budget)
    with pytest.raises(TacitError, match="two budgets"):
        verify.run(Work(tmp_path, {"file": "a.tacit", "account": "other.ledger"}))
