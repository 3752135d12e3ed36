"""Every page, on a desk and on a phone, light and dark: nothing is cut, and axe-core finds nothing serious."""

import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.interfaces.studio.served import Served, serving, write_patients
from tests.interfaces.studio.test_jobs import RELEASE, SCHEMA, prepare
from tests.interfaces.studio.visit import visiting

from tacit.data.schemas.file import format_schema
from tacit.interfaces.studio.strings import words_in
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk, ScoreQuery
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

# Where pictures of every page go, to be looked at.
PICTURES = os.environ.get("TACIT_STUDIO_LOOK", "")
FORBIDDEN = ("serious", "critical")


def open_desk(folder: Path) -> None:
    """Leave the log of a desk that has answered a few queries."""
    draw = np.random.default_rng(0)
    X = draw.random((300, 4))
    y = (X.sum(axis=1) > 2).astype(np.int64)
    ledger = Ledger.create(folder / "desk.ledger", Budget(5, 1e-5, unit="record", relation="replace"))
    with DeskLog(folder / "patients.desk").writing() as transaction:
        transaction.add(Provider("ann", token_digest("a"), 300))
    architecture = Architecture("linear", 4, 1)
    terms = DeskTerms(architecture, "accuracy", 2, 1000, 300, epsilon=4.0, delta=1e-6)
    desk = Desk.open(Scorer(X, y, architecture, metric="accuracy"), terms, folder / "patients.desk", ledger=ledger)
    for number in range(12):
        desk.answer([ScoreQuery("ann", f"q{number}", str(number), draw.normal(size=5))])


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    """Yield a studio in which everything was done once, and the places of its pages."""
    folder = tmp_path_factory.mktemp("studio")
    prepare(folder, epsilon=4)
    write_patients(folder / "ours.csv", 200, seed=3, labels=0.2)
    (folder / "ours.toml").write_text(format_schema(SCHEMA))
    write_patients(folder / "new.csv", 80, seed=4)
    open_desk(folder)
    with serving(folder) as served:
        served.enter()
        served.work("/data/read", {"name": "patients.csv"})
        served.work("/data/read", {"name": "new.csv"})
        key = {"name": "ours", "owner": "Clinic A", "passphrase": ""}
        assert served.ask("/review/key", key).status == 303
        asked = {**RELEASE, "output": "clinic-a", "purpose": "for clinic B"}
        jobs = {
            "released": ("/release/make", asked),
            "planned": ("/release/plan", asked),
            "bought": ("/release/what-if", {**asked, "stand_ins": "new.csv"}),
            "card": ("/review/read", {"file": "clinic-a.tacit"}),
            "audited": ("/review/audit", {"file": "clinic-a.tacit"}),
            "verified": ("/review/verify", {"file": "clinic-a.tacit", "account": "patients.ledger"}),
            "adopted": ("/adopt/learn", {"release": "clinic-a.tacit", "table": "ours.csv", "output": "model.tacit"}),
            "predicted": ("/adopt/predict", {"model": "model.tacit", "rows": "new.csv", "predictions": "p.csv"}),
            "signed": ("/review/sign", {"file": "clinic-a.tacit", "key": "ours.key", "read": "on"}),
        }
        places = {name: served.work(path, fields) for name, (path, fields) in jobs.items()}
        places |= {name: f"/{name}/" for name in ("data", "ledger", "release", "adopt", "review", "desk")}
        failed = served.ask("/release/make", {**asked, "output": "too-much", "epsilon": "9"}).headers["location"]
        assert served.wait(failed) == "failed"
        places |= {"table": "/table/new.csv", "account": "/ledger/show/patients.ledger", "failed": failed}
        yield served, {**places, "watched": "/desk/show/patients.desk", "nothing": "/nothing"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
@pytest.mark.slow  # twenty pages in four guises, after everything was done once
def test_every_page_reads_well_everywhere(
    chromium: Any, studio: tuple[Served, dict[str, str]], scheme: str, width: int
) -> None:
    served, places = studio
    axe = files(pytest.importorskip("axe_playwright_python", reason="needs axe-core (extra `dev`)")) / "axe.min.js"
    served.ask("/enter/again", "", Cookie="")
    served.address = served.next_address()
    troubles = []
    with visiting(chromium, served, width=width, scheme=scheme, bypass_csp=True) as visit:
        page = visit.page
        for name, place in places.items():
            visit.go(place)
            page.wait_for_load_state("networkidle") if name != "watched" else page.wait_for_timeout(1500)
            for summary in page.query_selector_all("main summary"):
                summary.click()
            if name == "table":
                for line in page.query_selector_all(".columns .line")[1:5]:
                    line.click()
            if PICTURES:
                page.screenshot(path=f"{PICTURES}/{name}-{scheme}-{width}.png", full_page=True)
            where = f"{name}, {scheme}, {width}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, where
            beyond = page.evaluate(
                "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
                " && !e.closest('.scroll') && !e.closest('svg')).map(e => e.outerHTML.slice(0, 80))"
            )
            assert beyond == [], where
            page.evaluate(axe.read_text())
            found = page.evaluate("axe.run({iframes: false}).then(result => result.violations)")
            troubles += [
                f"{where}: {each['id']}: {node['html'][:120]}"
                for each in found
                if each["impact"] in FORBIDDEN
                for node in each["nodes"]
            ]
        # A page that does not exist says so.
        visit.said[:] = [text for text in visit.said if "status of 404" not in text]
    assert troubles == []


def test_axe_finds_what_is_wrong(chromium: Any) -> None:
    axe = files(pytest.importorskip("axe_playwright_python", reason="needs axe-core (extra `dev`)")) / "axe.min.js"
    page = chromium.new_page()
    page.set_content("<html lang=en><title>x</title><main><input><p style='color:#ccc;background:#fff'>pale</p></main>")
    page.evaluate(axe.read_text())
    found = {each["id"] for each in page.evaluate("axe.run().then(result => result.violations)")}
    assert {"label", "color-contrast"} <= found
    page.close()


def test_the_language_is_that_of_the_browser_or_the_one_chosen(chromium: Any, tmp_path: Path) -> None:
    german, english = words_in("de"), words_in("en")
    with serving(tmp_path) as served, visiting(chromium, served, locale="de-AT") as visit:
        page = visit.page
        assert page.locator("h1").inner_text() == german("data.title")
        assert page.locator("html").get_attribute("lang") == "de"
        for room in ("ledger", "release", "adopt", "review", "desk"):
            visit.go(f"/{room}/")
            assert page.locator("h1").inner_text() == german(f"{room}.title")
        page.get_by_role("link", name="English").click()
        assert page.locator("h1").inner_text() == english("desk.title")
        visit.go("/data/")
        assert page.locator("h1").inner_text() == english("data.title")
