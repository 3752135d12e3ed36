"""The page of a job: while it runs, when it failed or was interrupted, and what each task has to show."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.studio.client import Pages

from tacit.interfaces.studio.jobs import FAILED, INTERRUPTED, RUNNING
from tacit.interfaces.studio.jobs_page import ROOM
from tacit.interfaces.studio.outcomes import NEXT, SHOWN

HOSTILE = "<script>x</script>"
CLAIMS = {"claimed": "1", "recomputed": "1", "adds_up": True, "holds": True, "title": "t", "headline": "h"}
RELEASE = {"file": "a.tacit", "kind": "release", **CLAIMS, "signer": "", "digest": "d", "trusted": "", "owner": ""}
AUDIT = {"what": HOSTILE, "claimed": "1", "bound": "0.2", "draws": 20000, "passed": True}
STEP = {"what": HOSTILE, "noise": "gaussian", "because": "it moves by 1"}


@pytest.fixture
def studio(tmp_path: Path) -> Pages:
    (tmp_path / "a.tacit").write_bytes(b"x")
    return Pages(tmp_path)


def shown(studio: Pages, task: str, result: dict[str, Any], **arguments: Any) -> str:
    """Return the page of a job that is done, without what every page has."""
    page = studio.get(f"/jobs/{studio.jobs.done(task, arguments, result).name}")
    assert HOSTILE not in page
    return page.split("<main")[1]


def test_every_task_belongs_to_a_page_and_has_an_outcome() -> None:
    assert set(ROOM) == set(NEXT) | set(SHOWN)
    names = {path.stem for path in (Path(__file__).parents[3] / "src/tacit/interfaces/studio/tasks").glob("*.py")}
    assert set(ROOM) == names - {"__init__", "promise"}


def test_a_job_that_runs_says_what_it_does_and_where_to_ask(studio: Pages) -> None:
    job = studio.jobs.done("release", {}, {}, finished=False, state=RUNNING, stage="drawing <noise>", started=0.0)
    with job.alive():
        page = studio.get(f"/jobs/{job.name}")
        assert "Drawing &lt;noise&gt;" in page
        assert f'data-state="/jobs/{job.name}/state"' in page
        state = json.loads(studio.get(f"/jobs/{job.name}/state"))
        assert state["state"] == RUNNING
        assert state["stage"] == "Drawing <noise>"
    assert json.loads(studio.get(f"/jobs/{job.name}/state"))["state"] == INTERRUPTED
    assert "was interrupted" in studio.get(f"/jobs/{job.name}")


@pytest.mark.parametrize(
    ("arguments", "state", "words", "not_said"),
    [
        ({}, {"error": HOSTILE}, "Nothing was charged", "the charge stands"),
        ({"ledger": "x.ledger"}, {"error": "no room"}, "/ledger/show/x.ledger", "the charge stands"),
        ({"ledger": "x.ledger"}, {"error": "?", "unforeseen": True}, "the charge stands", "Nothing was charged"),
    ],
)
def test_a_job_that_failed_says_what_became_of_the_ledger(
    studio: Pages, arguments: dict[str, str], state: dict[str, Any], words: str, not_said: str
) -> None:
    job = studio.jobs.done("release", arguments, {}, finished=False, state=FAILED, **state)
    page = studio.get(f"/jobs/{job.name}")
    assert words in page
    assert not_said not in page
    assert HOSTILE not in page


def test_what_reading_a_table_gave_is_another_page(studio: Pages) -> None:
    for task in NEXT:
        job = studio.jobs.done(task, {}, {"table": "Ärzte 1.csv"})
        answer = studio.ask("GET", f"/jobs/{job.name}")
        assert answer.headers["location"] == "/table/%C3%84rzte%201.csv"


def test_a_release_is_shown_with_its_report_to_be_signed_and_saved(studio: Pages, tmp_path: Path) -> None:
    result = {"file": "a.tacit", "files": ["a.tacit"], "quality": "fine", "contradicted": False}
    page = shown(studio, "release", result, ledger="x.ledger")
    assert "a.tacit is written" in page
    assert 'sandbox="allow-same-origin"' in page
    assert "There is no key" in page
    assert 'href="/files/a.tacit"' in page
    assert "contradicts" not in page
    (tmp_path / "a.key").write_text("x")
    page = shown(studio, "release", {**result, "contradicted": True})
    assert "contradicts the card" in page
    assert 'action="/review/sign"' in page


def test_a_report_is_framed_by_the_studio_alone_and_runs_nothing(studio: Pages) -> None:
    job = studio.jobs.done("card", {}, RELEASE)
    assert studio.ask("GET", f"/jobs/{job.name}/report").status_code == 404
    (job.path / "report.html").write_text("<p>report</p>")
    answer = studio.ask("GET", f"/jobs/{job.name}/report")
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'self'" in policy
    assert "script-src" not in policy
    assert "default-src 'none'" in policy
    assert "content-disposition" not in answer.headers
    saved = studio.ask("GET", f"/jobs/{job.name}/report?save=1")
    assert "a.tacit.html" in saved.headers["content-disposition"]


def test_a_dry_run_shows_its_steps_and_what_would_be_left(studio: Pages) -> None:
    plan = {"budget": "epsilon 1", "steps": [STEP]}
    page = shown(studio, "plan", {**plan, "spent": "1", "left": "0.4", "of": "1.5"})
    assert "epsilon 1 of 1.5; 0.4 would be left" in page
    assert "it moves by 1" in page
    assert "no room" in shown(studio, "plan", {**plan, "refused": "no room"})
    assert "No ledger was chosen" in shown(studio, "plan", plan)


def test_a_review_says_what_adds_up_who_signed_and_what_may_be_done(studio: Pages) -> None:
    page = shown(studio, "card", RELEASE)
    assert "it adds up" in page
    assert "Nobody has signed" in page
    assert 'action="/review/audit"' in page
    signed = shown(studio, "card", {**RELEASE, "signer": "abc"})
    assert "by the key abc" in signed
    assert 'action="/review/sign"' not in signed
    assert "Clinic A" in shown(studio, "card", {**RELEASE, "signer": "abc", "trusted": "a.pub", "owner": "Clinic A"})
    lie = shown(studio, "card", {**RELEASE, "recomputed": "2", "adds_up": False, "holds": False})
    assert "Do not trust it" in lie
    assert "does not hold" in lie
    assert "promises nothing" in shown(studio, "card", {"file": "m.tacit", "kind": "model"})
    assert "Nobody has signed" not in shown(studio, "card", {"file": "c.json", "kind": "card", **CLAIMS})


def test_an_audit_shows_every_game_and_its_verdict(studio: Pages) -> None:
    audit = {"file": "a.tacit", **CLAIMS, "understated": [], "passed": True, "results": [AUDIT]}
    assert "Nothing contradicts" in shown(studio, "audit", audit)
    failing = {**AUDIT, "passed": False}
    page = shown(studio, "audit", {**audit, "passed": False, "understated": ["a part"], "results": [failing]})
    assert "FAILS" in page
    assert "a part: the mechanism costs more" in page


def test_signatures_comparisons_adoptions_and_predictions_lead_on(studio: Pages) -> None:
    assert "a.tacit is signed" in shown(studio, "sign", {"file": "a.tacit", "signer": "abc", "digest": "d"})
    verified = {"file": "a.tacit", "ledger": "x.ledger", "lines": 3, "budget": "b"}
    assert "chain of its lines is unbroken (3)" in shown(studio, "verify", verified)
    adopted = shown(studio, "adopt", {"file": "m.tacit", "table": "t.csv", "failing": ["a.tacit"]})
    assert "/adopt/?model=m.tacit#predict" in adopted
    assert "card of a.tacit does not hold" in adopted
    predicted = {"file": "p.csv", "rows": 1234, "columns": ["id", "prediction"], "first": [[HOSTILE, "yes"]]}
    assert "1,234 rows are predicted" in shown(studio, "predict", predicted)


def test_notes_for_the_owner_stand_beside_the_result(studio: Pages) -> None:
    result = {"file": "a.tacit", "files": ["a.tacit"], "quality": "", "contradicted": False}
    job = studio.jobs.done("release", {}, result, notes=[f"12 rows left out {HOSTILE}"])
    page = studio.get(f"/jobs/{job.name}")
    assert "12 rows left out &lt;script&gt;" in page


@pytest.mark.parametrize("task", ["card", "release"])
def test_the_guarantee_is_told_in_a_language_that_the_report_is_not_in(studio: Pages, task: str) -> None:
    released = {"files": ["a.tacit"], "quality": "", "contradicted": False}
    result = {**RELEASE, **released, "unit": "person", "epsilon": 1.0, "delta": 0.0}
    older = {name: value for name, value in result.items() if name != "epsilon"}
    assert "What it promises" not in shown(studio, task, result)  # the report below says it
    studio.cookies["tacit-language"] = "de"
    german = shown(studio, task, result)
    assert "Was sie verspricht" in german
    assert "eine Person mit allen ihren Zeilen" in german
    assert "73,1" in german or "73.1" in german
    assert "Was sie verspricht" not in shown(studio, task, older)
