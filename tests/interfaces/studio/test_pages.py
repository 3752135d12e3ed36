"""What the pages show and ask for, page by page, and what they refuse."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.interfaces.studio.client import ORIGIN, Pages
from tests.interfaces.studio.served import write_patients
from tests.interfaces.studio.test_jobs import SCHEMA, prepare
from tests.situations.joint.joint_parties import parties, run

from tacit import make_release
from tacit.audit.guessing import best_guess
from tacit.data.schemas.columns import Person
from tacit.data.schemas.file import format_schema
from tacit.interfaces.studio.app import ROOMS, load_pages
from tacit.interfaces.studio.frame import PAGES
from tacit.interfaces.studio.gate import HEADERS
from tacit.interfaces.studio.needs import NEEDS
from tacit.privacy.budget import Budget
from tacit.privacy.events import LaplaceEvent
from tacit.privacy.ledger import Ledger
from tacit.releases.file import write_release
from tacit.releases.signature import generate_key, key_owner, load_key, load_public_key
from tacit.workflows.join_plan import plan_join

FORM = {"table": "patients.csv", "need": "model", "epsilon": "0,5", "delta": "1e-6", "output": "a", "ledger": ""}


@pytest.fixture
def empty(tmp_path: Path) -> Pages:
    return Pages(tmp_path)


@pytest.fixture
def full(tmp_path: Path) -> Pages:
    prepare(tmp_path)
    return Pages(tmp_path)


def options(page: str, name: str) -> list[str]:
    """Return the values that a list offers."""
    inside = re.search(rf'<select name="{name}".*?</select>', page, re.DOTALL)
    assert inside is not None
    return re.findall(r'<option value="([^"]*)"', inside[0])


def chosen(page: str, name: str) -> list[str]:
    inside = re.search(rf'<select name="{name}".*?</select>', page, re.DOTALL)
    assert inside is not None
    return re.findall(r'<option value="([^"]*)" selected', inside[0])


@pytest.mark.parametrize("room", PAGES)
def test_every_page_of_an_empty_folder_says_what_to_do_first(empty: Pages, room: str) -> None:
    page = empty.get(f"/{room}/")
    assert f'<a href="/{room}/" aria-current="page">' in page
    assert 'class="empty"' in page or 'class="note"' in page


def test_every_page_can_be_loaded_before_it_is_asked_for() -> None:
    load_pages()
    assert set(PAGES) < set(ROOMS)


def test_every_answer_has_the_headers_and_a_page_that_is_not_there_says_so(empty: Pages) -> None:
    for path in ("/data/", "/nothing", "/static/none.js", "/table/none.csv", "/jobs/none"):
        answer = empty.ask("GET", path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS, path
    assert empty.ask("GET", "/nothing").status_code == 404
    assert empty.ask("GET", "/static/none.js").status_code == 404
    assert empty.ask("GET", "/static/..%2fapp.py").status_code == 404


def test_the_language_is_kept_and_leads_nowhere_else(empty: Pages) -> None:
    for back, place in (
        ("/ledger/", "/ledger/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil", "/"),
    ):
        answer = empty.ask("GET", "/language", params={"to": "de", "back": back})
        assert answer.headers["location"] == place
        assert "tacit-language=de" in answer.headers["set-cookie"]
    assert "set-cookie" not in empty.ask("GET", "/language", params={"to": "xx"}).headers
    assert 'lang="de"' in empty.get("/data/", **{"Accept-Language": "de"})


def test_names_with_marks_of_addresses_find_their_way(full: Pages, tmp_path: Path) -> None:
    name = "a + b = c (1).csv"
    write_patients(tmp_path / name, 60)
    (tmp_path / "a + b = c (1).toml").write_text(format_schema(SCHEMA))
    assert chosen(full.get("/release/").replace("&amp;", "&"), "ledger") == []
    page = full.ask("GET", "/release/", params={"table": name}).text
    assert chosen(page, "table") == [name]
    full.post("/data/read", {"name": name})
    assert full.jobs.asked[-1][1]["table"] == name
    shown = full.ask("GET", f"/files/{name}")
    assert shown.content == (tmp_path / name).read_bytes()
    place = full.ask("GET", f"/table/{name}")
    assert place.headers["location"] == "/data/"
    language = re.search(r'href="(/language[^"]*)"', full.get("/ledger/show/patients.ledger"))
    assert language is not None
    assert full.ask("GET", language[1].replace("&amp;", "&")).headers["location"] == "/ledger/show/patients.ledger"


def test_an_error_leads_back_to_a_page_of_the_studio_and_nowhere_else(full: Pages) -> None:
    for referer, back in ((f"{ORIGIN}/release/", f"{ORIGIN}/release/"), ("https://evil.example/", "/")):
        headers = {"Origin": ORIGIN, "Referer": referer}
        answer = full.ask("POST", "/release/make", data={**FORM, "epsilon": "x"}, headers=headers)
        assert answer.status_code == 400
        assert "epsilon must be a number" in answer.text
        assert f'href="{back}"' in answer.text


def test_the_data_page_tells_read_tables_from_others_and_sends_each_to_its_task(full: Pages, tmp_path: Path) -> None:
    for name in ("sheet.xlsx", "note.json"):
        (tmp_path / name).write_bytes(b"x")
    page = full.get("/data/")
    assert page.count("not read yet") == 2
    full.post("/data/read", {"name": "patients.csv"})
    full.post("/data/read", {"name": "sheet.xlsx"})
    assert [task for task, *_ in full.jobs.asked] == ["describe", "import_table"]
    assert "is no table" in full.post("/data/read", {"name": "note.json"}, 400)
    assert "no such file" in full.post("/data/read", {"name": "none.csv"}, 400)


def test_a_query_goes_to_a_job_and_its_address_as_a_secret(full: Pages) -> None:
    query = {"query": "SELECT 1", "output": "q.parquet", "address": "ann:pw@host/db"}
    full.post("/data/query", query)
    task, arguments, secret = full.jobs.asked[-1]
    assert (task, secret) == ("import_table", "postgresql://ann:pw@host/db")
    assert "pw" not in str(arguments)
    full.post("/data/query", {**query, "database": "clinic.db"})
    assert full.jobs.asked[-1][2] == ""
    assert "Parquet" in full.post("/data/query", {**query, "output": "q.csv"}, 400)
    assert "query is missing" in full.post("/data/query", {**query, "query": " "}, 400)


def test_a_ledger_is_made_as_the_command_makes_it(full: Pages, tmp_path: Path) -> None:
    (tmp_path / "patients.ledger").unlink()
    fields = {"name": "p.ledger", "table": "patients.csv", "epsilon": "3", "delta": "1e-6", "unit": "record"}
    assert full.post("/ledger/new", fields) == "/ledger/show/p.ledger"
    ledger = Ledger(tmp_path / "p.ledger")
    assert ledger.budget == Budget(3, 1e-6, unit="record")
    assert ledger.name == "p"
    for wrong, words in (({"name": "p.csv"}, "must end in .ledger"), ({"epsilon": "-1"}, "epsilon"), ({}, "p.ledger")):
        assert words in full.post("/ledger/new", {**fields, **wrong}, 400)
    replaced = {**fields, "name": "r.ledger", "table": "", "relation": "replace"}
    full.post("/ledger/new", replaced)
    assert Ledger(tmp_path / "r.ledger").budget.relation == "replace"


def test_the_ledger_page_shows_every_charge_the_sum_and_what_is_left(full: Pages, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "patients.ledger")
    assert "Nothing has been charged" in full.get("/ledger/show/patients.ledger")
    for purpose in ("first <b>", "second"):
        ledger.charge(LaplaceEvent(scale=4, sensitivity=1), unit="record", purpose=purpose)
    page = full.get("/ledger/show/patients.ledger")
    assert "first &lt;b&gt;" in page
    assert page.index("second") < page.index("first &lt;b&gt;")
    assert "<b>0.5</b>" in page
    assert 'width="33.33%"' in page
    assert page.count("0.25") == 2
    assert "epsilon 0.5 of 1.5 spent" in full.get("/ledger/")
    assert "2 lines, unbroken" in full.post("/ledger/verify/patients.ledger", {}, 200)


def test_a_joint_release_stands_on_the_ledger_page_of_each_party(empty: Pages, tmp_path: Path) -> None:
    made = parties(tmp_path, 3)
    write_release(run(made).run(), tmp_path / "joint.tacit")
    for number in range(3):
        assert "/review/?file=joint.tacit" in empty.get(f"/ledger/show/{number}.ledger")
        assert "joint.tacit" in empty.post(f"/ledger/verify/{number}.ledger", {}, 200)
    Ledger.create(tmp_path / "other.ledger", Budget(1, 1e-6, unit="record"))
    assert "joint.tacit" not in empty.post("/ledger/verify/other.ledger", {}, 200)


def test_a_file_that_is_no_ledger_does_not_break_the_page(full: Pages, tmp_path: Path) -> None:
    (tmp_path / "broken.ledger").write_bytes(b"no ledger")
    page = full.get("/ledger/")
    assert "patients.ledger" in page
    assert "broken.ledger" in page
    assert full.ask("GET", "/ledger/show/broken.ledger").status_code == 400


def test_the_release_page_offers_confirmed_tables_and_their_own_ledger(full: Pages, tmp_path: Path) -> None:
    write_patients(tmp_path / "guessed.csv", 60)
    (tmp_path / "guessed.toml").write_text(format_schema(replace(SCHEMA, bounds_from_data=True)))
    Ledger.create(tmp_path / "a.ledger", Budget(1, unit="record"))
    page = full.get("/release/")
    assert options(page, "table") == ["patients.csv"]
    assert chosen(page, "ledger") == ["patients.ledger"]
    assert all(f'value="{need}"' in page for need in NEEDS)


def test_the_slider_says_what_each_epsilon_means(full: Pages) -> None:
    stops = re.findall(r"&quot;epsilon&quot;: &quot;([\d.]+)&quot;.*?at most ([\d.]+)", full.get("/release/"))
    assert len(stops) == 14
    for epsilon, guess in stops:
        assert float(guess) == pytest.approx(100 * best_guess(float(epsilon), 0.0), abs=0.051)
    typed = full.ask(
        "GET", "/release/meaning", params={"epsilon": "0,7"}, headers={"Accept": "application/json"}
    ).json()
    assert "66.8" in typed["words"]
    wrong = full.ask("GET", "/release/meaning", params={"epsilon": "-1"}, headers={"Accept": "application/json"})
    assert wrong.status_code == 400
    assert "epsilon" in wrong.json()["error"]


def test_forms_of_a_release_become_requests(full: Pages, tmp_path: Path) -> None:
    full.post("/release/plan", FORM)
    assert full.jobs.asked[-1][:2] == ("plan", {"table": "patients.csv", "need": "model", "unit": "", "epsilon": 0.5,
                                                "delta": 1e-6, "bad_records": "", "ledger": ""})  # fmt: skip
    full.post("/release/make", {**FORM, "owner": "Clinic A", "purpose": ""})
    assert full.jobs.asked[-1][1]["output"] == "a.tacit"
    assert full.jobs.asked[-1][1]["facts"] == {"owner": "Clinic A"}
    full.post("/release/make", {**FORM, "need": "rows", "output": "f.csv"})
    assert full.jobs.asked[-1][1]["output"] == "f.csv"
    (tmp_path / "a.tacit").write_bytes(b"x")
    assert "exists already" in full.post("/release/make", FORM, 400)
    assert "what the receiver needs" in full.post("/release/make", {**FORM, "need": "x"}, 400)
    full.post("/release/what-if", {**FORM, "stand_in_rows": "500"})
    assert full.jobs.asked[-1][1]["rows"] == 500
    for need in NEEDS:
        full.post("/release/what-if", {**FORM, "need": need})
        assert full.jobs.asked[-1][1]["need"] == need


def test_what_was_simulated_for_a_table_stands_beside_its_slider(full: Pages) -> None:
    means = [{"epsilon": 0.1, "mean": None, "refused": 3}, {"epsilon": 1.0, "mean": 0.8, "refused": 0}]
    figures = {"measure": "accuracy", "baseline": 0.5, "means": means}
    result = {"table": "patients.csv", "stand_ins": "", "rows": 400, **figures}
    job = full.jobs.done("what_if", {"table": "patients.csv"}, result)
    page = full.get("/release/")
    assert "Simulated on 400 rows" in page
    assert "80.0" in page
    assert "commonest class alone is right in 50" in page
    assert "how noise fades" in full.get(f"/jobs/{job.name}")
    # What was simulated before there were other measures is still shown.
    older = {"table": "patients.csv", "stand_ins": "", "rows": 400, "majority": 0.5, "means": means}
    old_job = full.jobs.done("what_if", {"table": "other.csv"}, older)
    assert "commonest class alone is right in 50" in full.get(f"/jobs/{old_job.name}")
    full.jobs.done("what_if", {"table": "other.csv"}, {**result, "rows": 77})
    assert "Simulated on 77 rows" not in full.get("/release/")


def test_the_adopt_page_offers_releases_and_models_each_in_its_place(full: Pages, tmp_path: Path) -> None:
    assert "at least one release" in full.get("/adopt/")
    full.post("/adopt/dropped", {"name": "patients.csv"})
    assert full.jobs.asked[-1][0] == "describe"
    fields = {"release": "a.tacit", "table": "patients.csv", "output": "m.tacit", "rename": "yes = ill\n\nno=well"}
    full.post("/adopt/learn", fields)
    assert full.jobs.asked[-1][1] == {"releases": ["a.tacit"], "table": "patients.csv", "output": "m.tacit",
                                      "rename": {"yes": "ill", "no": "well"}, "key": ""}  # fmt: skip
    for wrong, words in (
        ({"release": ""}, "at least one release"),
        ({"output": "m.csv"}, "must end in .tacit"),
        ({"output": "../m.tacit"}, "name must be"),
        ({"rename": "yes"}, "theirs = ours"),
    ):
        assert words in full.post("/adopt/learn", {**fields, **wrong}, 400)
    predicted = {"model": "m.tacit", "rows": "patients.csv", "keep": "id, age", "predictions": "p.csv"}
    full.post("/adopt/predict", predicted)
    assert full.jobs.asked[-1][1]["keep"] == ["id", "age"]
    (tmp_path / "p.csv").write_text("x")
    assert "exists already" in full.post("/adopt/predict", predicted, 400)


def test_the_review_page_reads_audits_compares_and_signs_by_jobs(full: Pages, tmp_path: Path) -> None:
    (tmp_path / "a.tacit").write_bytes(b"x")
    assert options(full.get("/review/?file=a.tacit"), "file") == ["a.tacit"]
    full.post("/review/read", {"file": "a.tacit", "key": "a.pub"})
    full.post("/review/dropped", {"name": "a.tacit"})
    full.post("/review/audit", {"file": "a.tacit"})
    full.post("/review/verify", {"file": "a.tacit", "account": "patients.ledger"})
    full.post("/review/sign", {"file": "a.tacit", "key": "a.key", "passphrase": "words", "read": "on"})
    assert [task for task, *_ in full.jobs.asked] == ["card", "card", "audit", "verify", "sign"]
    assert full.jobs.asked[-1][2] == "words"
    assert "words" not in str(full.jobs.asked[-1][1])
    unread = {"file": "a.tacit", "key": "a.key"}
    assert "read the card first" in full.post("/review/sign", unread, 400)
    assert "neither a release" in full.post("/review/dropped", {"name": "patients.ledger"}, 400)


def test_json_that_is_no_card_is_not_offered_as_one(full: Pages, tmp_path: Path) -> None:
    keys = {name: generate_key().public_key() for name in ("a", "b")}
    plan_join(SCHEMA, keys, epsilon=1.0, output=tmp_path / "joint.json")
    (tmp_path / "report.json").write_text('{"problem": null}')
    rows = np.zeros((40, len(SCHEMA.encoded_names)))
    release = make_release(rows, np.arange(40) % 2, SCHEMA, unit="record", epsilon=1.0, delta=1e-6)
    (tmp_path / "card.json").write_text(release.card.to_json())
    assert options(full.get("/review/"), "file") == ["card.json"]
    full.post("/review/dropped", {"name": "card.json"})
    assert "the plan of a joint release" in full.post("/review/dropped", {"name": "joint.json"}, 400)
    assert "neither a release" in full.post("/review/dropped", {"name": "report.json"}, 400)
    assert [task for task, *_ in full.jobs.asked] == ["card"]


def test_a_key_pair_is_made_as_the_command_makes_it(full: Pages, tmp_path: Path) -> None:
    fields = {"name": "clinic", "owner": "Clinic A", "passphrase": "long words"}
    full.post("/review/key", fields)
    key = load_key(tmp_path / "clinic.key", passphrase="long words")
    assert load_public_key(tmp_path / "clinic.pub") == key.public_key()
    assert key_owner(tmp_path / "clinic.pub") == "Clinic A"
    assert (tmp_path / "clinic.key").stat().st_mode & 0o077 == 0
    assert "exists already" in full.post("/review/key", fields, 400)
    assert "clinic.pub" in full.get("/review/")


def test_the_desk_page_lists_logs_and_refuses_what_is_none(full: Pages, tmp_path: Path) -> None:
    (tmp_path / "patients.desk").write_bytes(b"")
    assert "/desk/show/patients.desk" in full.get("/desk/")
    assert "<iframe" in full.get("/desk/show/patients.desk")
    watched = full.ask("GET", "/desk/watch/patients.desk/owner")
    assert "frame-ancestors 'self'" in watched.headers["content-security-policy"]
    assert "sha256-" in watched.headers["content-security-policy"]
    for path in ("/desk/watch/patients.csv/owner/state", "/desk/watch/patients.desk/owner/state?after=x"):
        assert full.ask("GET", path).status_code == 400


def test_a_person_column_bounds_what_is_read(full: Pages, tmp_path: Path) -> None:
    with_person = replace(SCHEMA, columns=(*SCHEMA.columns, Person("id", 3)))
    (tmp_path / "patients.toml").write_text(format_schema(with_person))
    assert options(full.get("/release/"), "unit") == ["", "record", "person"]
