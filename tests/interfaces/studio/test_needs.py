"""Every need is served: a release is made for it, read again, and its card says what was asked for."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.studio.served import write_patients
from tests.interfaces.studio.test_jobs import SCHEMA
from tests.interfaces.studio.test_tasks import Work

from tacit.data.schemas.columns import Ignored, Numeric, Person, Target
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import TacitError
from tacit.interfaces.studio.needs import NEEDS
from tacit.interfaces.studio.tasks import plan, release
from tacit.interfaces.studio.tasks.promise import Promise
from tacit.kinds.registry import kind_of
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.sidecar import open_release

ASKED: dict[str, Any] = {"table": "patients.csv", "epsilon": 2.0, "delta": 1e-6, "unit": ""}
REGRESSION = Schema(
    (Numeric("age", (0, 110)), Target("dose", (0, 30)), Ignored("sex"), Ignored("ill"), Ignored("id")),
)
# What each need makes, as its file states it, and what one epsilon of it protects.
MADE = {
    "model": ("additive", "record"),
    "rows": ("fabricated_rows", "record"),
    "scores": ("linear", "record"),
    "counts": ("marginals", "record"),
    "regression": ("additive", "record"),
    "distance": ("pair_metric", "pair"),
}


def folder_for(path: Path, need: str) -> Path:
    write_patients(path / "patients.csv", 500)
    schema = REGRESSION if need == "regression" else SCHEMA
    (path / "patients.toml").write_text(format_schema(schema))
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("need", NEEDS)
def test_a_release_is_made_for_every_need(need: str, tmp_path: Path) -> None:
    folder = folder_for(tmp_path, need)
    output = f"made{NEEDS[need].ending}"
    work = Work(folder, {**ASKED, "need": need, "output": output, "facts": {"purpose": "a test"}})
    result = release.run(work)
    opened = open_release(folder / output)
    assert (kind_of(opened).name, opened.card.unit) == MADE[need]
    assert opened.card.epsilon <= 2.0
    assert opened.card.facts.purpose == "a test"
    assert opened.card.secure
    assert not result["contradicted"]
    assert all((folder / name).is_file() for name in result["files"])
    assert work.report.read_text().startswith("<!doctype html>")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("need", ["model", "rows", "counts"])
def test_a_person_is_protected_with_all_their_rows_if_the_schema_names_one(need: str, tmp_path: Path) -> None:
    folder = folder_for(tmp_path, need)
    persons = replace(SCHEMA, columns=(*SCHEMA.columns, Person("id", 2)))
    (folder / "patients.toml").write_text(format_schema(persons))
    ledger = Ledger.create(folder / "p.ledger", Budget(3, 1e-5, unit="person"))
    output = f"made{NEEDS[need].ending}"
    release.run(Work(folder, {**ASKED, "need": need, "output": output, "ledger": "p.ledger"}))
    assert open_release(folder / output).card.unit == "person"
    assert len(ledger.lines()) == 1
    # A record alone can still be asked for, on a ledger of its own.
    promise = Promise.of(Work(folder, {**ASKED, "need": need, "unit": "record"}))
    assert promise.terms().promise.unit == "record"


def test_a_promise_is_what_was_asked_for_and_no_more(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "model")
    promise = Promise.of(Work(folder, {**ASKED, "need": "distance", "bad_records": "clip"}))
    terms = promise.terms()
    assert (terms.promise.epsilon, terms.promise.delta, terms.promise.unit) == (2.0, 1e-6, "pair")
    assert terms.kept.rows is None
    assert terms.schema.refusing_columns == ()
    assert promise.ledger is None
    assert promise.settings["random_state"] is None
    for wrong in ({"table": "none.csv"}, {"ledger": "none.ledger"}, {"table": "../patients.csv"}):
        with pytest.raises(TacitError):
            Promise.of(Work(folder, {**ASKED, "need": "model", **wrong}))


def test_a_schema_with_a_guess_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "model")
    (folder / "patients.toml").write_text(format_schema(replace(SCHEMA, bounds_from_data=True)))
    ledger = Ledger.create(folder / "p.ledger", Budget(3, 1e-5, unit="record"))
    for need in ("model", "rows", "scores", "counts"):
        asked = {**ASKED, "need": need, "ledger": "p.ledger", "output": f"made{NEEDS[need].ending}"}
        for task in (plan, release):
            with pytest.raises(TacitError, match="bounds_from_data"):
                task.run(Work(folder, asked))
    assert ledger.lines() == ()
    assert not list(folder.glob("made*"))
