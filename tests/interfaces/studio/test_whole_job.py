"""The whole job in a real browser: owner, reviewer and receiver, from an empty folder to a signed card."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.interfaces.studio.served import serving, write_patients
from tests.interfaces.studio.visit import Visit, visiting

from tacit.data.schemas.file import read_schema
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release
from tacit.releases.signature import key_text, load_public_key

# Where pictures for the documentation go, if somebody wants new ones.
PICTURES = os.environ.get("TACIT_STUDIO_PICTURES", "")


def picture(visit: Visit, name: str) -> None:
    if PICTURES:
        visit.page.wait_for_timeout(300)
        visit.page.screenshot(path=f"{PICTURES}/{name}.png")


def press(visit: Visit, text: str) -> None:
    visit.page.get_by_role("button", name=text, exact=True).click()


def describe_patients(visit: Visit, table: Path) -> None:
    """Drop a table, and state its public facts."""
    page = visit.page
    visit.go("/data/")
    picture(visit, "data")
    page.locator("input[type=file]").set_input_files(table)
    visit.wait_for_job()
    facts: dict[str, dict[str, str]] = {
        "age": {"low": "0", "high": "110"},
        "dose": {"low": "0", "high": "30"},
        "ill": {"kind": "label", "values": "no\nyes"},
    }
    for name, fields in facts.items():
        row = page.locator(f'.columns li[data-name="{name}"]')
        row.locator(".line").click()
        for field, value in fields.items():
            box = row.locator(f"[name={field}]")
            box.select_option(value) if field == "kind" else box.fill(value)
        if name == "dose":
            row.locator("[name=missing]").select_option("flag")
            picture(visit, "schema")
        row.locator("form button").click()
        row.locator("form").wait_for(state="detached")
    page.locator('.columns li[data-name="sex"] .confirm').click()
    page.locator("#ready").wait_for()


def release_patients(visit: Visit, name: str, epsilon: str = "1") -> None:
    """Fill in the form of a release, and send it."""
    visit.go("/release/")
    visit.page.locator("#epsilon").fill(epsilon)
    visit.page.locator("#epsilon").press("Tab")
    visit.page.locator("#output").fill(name)
    visit.page.locator("#purpose").fill("for clinic B")
    press(visit, "Charge and release")


@contextmanager
def owner(chromium: Any, folder: Path) -> Iterator[Visit]:
    """Yield an owner who has a table with a schema, and a ledger."""
    with serving(folder) as studio, visiting(chromium, studio) as visit:
        describe_patients(visit, folder.parent / "patients.csv")
        visit.go("/ledger/")
        visit.page.locator("#epsilon").fill("3")
        press(visit, "Make the ledger")
        yield visit


@pytest.mark.slow  # every page, in a browser
def test_owner_receiver_and_reviewer_do_the_whole_job(chromium: Any, tmp_path: Path) -> None:
    write_patients(tmp_path / "patients.csv", 2000)
    write_patients(tmp_path / "ours.csv", 300, seed=5, labels=0.15)
    mine, theirs = tmp_path / "owner", tmp_path / "receiver"
    mine.mkdir()
    theirs.mkdir()
    with owner(chromium, mine) as visit:
        page = visit.page
        assert Ledger(mine / "patients.ledger").left() == 3

        # A dry run and a simulation spend nothing.
        visit.go("/release/")
        press(visit, "Dry run")
        visit.wait_for_job()
        assert "Nothing was spent" in page.locator("main").inner_text()
        visit.go("/release/")
        page.get_by_text("What does epsilon buy?").click()
        page.locator("#stand_in_rows").fill("200")  # as many as tell something: fifteen releases are drawn and adopted
        press(visit, "Simulate")
        visit.wait_for_job()
        assert page.locator("tbody tr").count() == 5
        assert Ledger(mine / "patients.ledger").lines() == ()

        visit.go("/release/")
        page.locator("#slider").fill("9")
        assert page.locator("#epsilon").input_value() == "3"
        assert "95.3" in page.locator("#meaning").inner_text()
        picture(visit, "release")
        release_patients(visit, "clinic-a")
        # Neither a reload nor the way back and forth stops or repeats it.
        page.wait_for_url("**/jobs/**")
        page.reload()
        page.go_back()
        page.go_forward()
        visit.wait_for_job()
        assert "clinic-a.tacit is written" in page.locator("[role=status]").first.inner_text()
        assert "Whatever anybody concludes" in page.frame_locator("iframe").locator("main").inner_text()
        assert len(Ledger(mine / "patients.ledger").lines()) == 1

        # The reviewer reads, recomputes, audits, compares with the ledger, and signs.
        visit.go("/review/")
        page.get_by_text("Make a key pair").click()
        page.locator("#owner").fill("Clinic A")
        page.locator("#passphrase").fill("horse battery")
        press(visit, "Make the keys")
        visit.go("/review/?file=clinic-a.tacit")
        press(visit, "Read it")
        visit.wait_for_job()
        assert "it adds up" in page.locator("[role=status]").inner_text()
        review = page.url
        press(visit, "Compare with the ledger")
        visit.wait_for_job()
        assert "stands in patients.ledger" in page.locator("[role=status]").inner_text()
        page.goto(review)
        press(visit, "Audit")
        visit.wait_for_job()
        assert "Nothing contradicts the card" in page.locator("main").inner_text()
        page.goto(review)
        before = read_release(mine / "clinic-a.tacit")
        page.locator("#passphrase").fill("wrong")
        page.get_by_text("I have read the card").click()
        press(visit, "Sign")
        visit.wait_for_job()
        assert "passphrase is wrong" in page.locator("[role=alert]").inner_text()
        page.goto(review)
        page.locator("#passphrase").fill("horse battery")
        page.get_by_text("I have read the card").click()
        press(visit, "Sign")
        visit.wait_for_job()
        signed = read_release(mine / "clinic-a.tacit")
        assert signed.digest == before.digest
        assert signed.signer == key_text(load_public_key(mine / "ours.pub"))
        visit.go("/ledger/show/patients.ledger")
        assert "for clinic B" in page.locator("tbody").inner_text()
        picture(visit, "ledger")
        press(visit, "Check every line, and the releases of this folder")
        assert "The charge of clinic-a.tacit stands" in page.locator("main").inner_text()
    secrets = [path.read_bytes() for path in mine.rglob("*") if path.is_file()]
    assert not any(b"horse battery" in content for content in secrets)

    with serving(theirs) as studio, visiting(chromium, studio) as visit:
        page = visit.page
        visit.go("/adopt/")
        page.locator("input[type=file]").set_input_files(
            [mine / "clinic-a.tacit", mine / "ours.pub", tmp_path / "ours.csv"]
        )
        visit.wait_for_job()
        row = page.locator('.columns li[data-name="ill"]')
        row.locator(".line").click()
        row.locator("[name=kind]").select_option("label")
        row.locator("form button").click()
        row.locator("form").wait_for(state="detached")
        assert read_schema(theirs / "ours.toml").label is not None
        visit.go("/adopt/")
        page.get_by_text("More").click()
        page.locator("#key").select_option("ours.pub")
        press(visit, "Adopt")
        visit.wait_for_job()
        assert "model.tacit is written" in page.locator("[role=status]").inner_text()
        assert "Ways to learn" in page.frame_locator("iframe").locator("main").inner_text()
        picture(visit, "adopt")
        page.get_by_role("link", name="Predict with it").click()
        page.locator("#keep").fill("id")
        press(visit, "Predict")
        visit.wait_for_job()
        with page.expect_download() as saved:
            page.get_by_role("link", name="Save predictions.csv").click()
        predicted = pl.read_csv(saved.value.path())
        assert predicted.columns == ["id", "prediction", "confidence"]
        assert predicted.height == 300
