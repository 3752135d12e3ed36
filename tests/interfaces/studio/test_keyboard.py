"""The studio with a keyboard alone, with a table of a hundred megabytes, and with a hostile one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.interfaces.studio.served import serving, write_patients
from tests.interfaces.studio.test_jobs import SCHEMA
from tests.interfaces.studio.visit import Visit, visiting

from tacit.data.schemas.file import format_schema, read_schema
from tacit.privacy.ledger import Ledger


def tab_to(visit: Visit, wanted: str, most: int = 80) -> None:
    """Press the tabulator until the element that ``wanted`` selects has the focus."""
    for _ in range(most):
        visit.page.keyboard.press("Tab")
        if visit.page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"{wanted} cannot be reached by keyboard")


@pytest.mark.slow  # a release in a browser
def test_an_owner_with_a_keyboard_confirms_a_schema_makes_a_ledger_and_releases(chromium: Any, tmp_path: Path) -> None:
    write_patients(tmp_path / "patients.csv", 500)
    (tmp_path / "patients.toml").write_text(format_schema(replace(SCHEMA, bounds_from_data=True)))
    with serving(tmp_path) as studio, visiting(chromium, studio) as visit:
        page, keys = visit.page, visit.page.keyboard
        page.locator("body").focus()
        keys.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        keys.press("Enter")
        tab_to(visit, "li button")
        keys.press("Enter")
        visit.wait_for_job()
        # A column is opened, changed and saved; the others are confirmed.
        tab_to(visit, "li[data-name=age] .line")
        keys.press("Enter")
        tab_to(visit, "li[data-name=age] [name=high]")
        keys.press("Control+a")
        keys.type("120")
        keys.press("Enter")
        page.locator("li[data-name=age] form").wait_for(state="detached")
        for name in ("dose", "sex", "ill"):
            tab_to(visit, f'li[data-name="{name}"] .confirm')
            keys.press("Enter")
            page.locator(f'li[data-name="{name}"] .confirm').wait_for(state="hidden")
        page.locator("#ready").wait_for()
        assert read_schema(tmp_path / "patients.toml").features[0].encoded_names == ("age",)
        visit.go("/ledger/")
        tab_to(visit, "#epsilon")
        keys.type("2")
        keys.press("Enter")
        page.wait_for_url("**/ledger/show/**")
        visit.go("/release/")
        tab_to(visit, "#slider")
        keys.press("ArrowRight")
        assert page.locator("#epsilon").input_value() == "1.5"
        tab_to(visit, "#output")
        tab_to(visit, "[formaction='/release/make']")
        keys.press("Enter")
        visit.wait_for_job()
        assert "is written" in page.locator("[role=status]").first.inner_text()
    assert len(Ledger(tmp_path / "patients.ledger").lines()) == 1
    assert (tmp_path / "patients-release.tacit").is_file()


@pytest.mark.slow  # a hundred megabytes
def test_a_table_of_a_hundred_megabytes_is_dropped_and_read(chromium: Any, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    draw, n = np.random.default_rng(0), 380_000
    columns = {f"c{place}": draw.normal(size=n) for place in range(14)}
    words = draw.choice(["a long category", "another category"], n)
    pl.DataFrame({**columns, "words": words}).write_csv(tmp_path / "large.csv")
    assert (tmp_path / "large.csv").stat().st_size > 100e6
    with serving(folder) as studio, visiting(chromium, studio) as visit:
        visit.page.locator("input[type=file]").set_input_files(tmp_path / "large.csv")
        visit.wait_for_job()
        assert "380,000 rows" in visit.page.locator(".lead").inner_text()
        assert visit.page.locator(".columns > li").count() == 15
    assert (folder / "large.csv").read_bytes() == (tmp_path / "large.csv").read_bytes()


HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


def test_a_hostile_table_runs_nothing_in_the_browser(chromium: Any, tmp_path: Path) -> None:
    names = [HOSTILE, "__proto__", "'; alert(3); '", "a" * 400, "{count}"]
    cells = [[f"<svg onload=alert({n})>", n % 3, "=cmd|' /C calc'!A0", "\u202etxt.exe", n / 8] for n in range(80)]
    frame = pl.DataFrame(cells, schema=names, orient="row")
    frame.write_csv(tmp_path / "hostile.csv")
    alerts: list[str] = []

    def dismiss(dialog: Any) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    with serving(tmp_path) as studio, visiting(chromium, studio) as visit:
        page = visit.page
        page.on("dialog", dismiss)
        page.get_by_role("button", name="Read").click()
        visit.wait_for_job()
        page.get_by_text("Show the first rows").click()
        page.locator("#rows td").get_by_text("<svg onload=alert(0)>").wait_for()
        lines = page.locator(".columns > li")
        assert lines.count() == len(names)
        for place in range(len(names)):
            lines.nth(place).locator(".line").click()
            assert lines.nth(place).locator("form").count() == 1
        row = lines.nth(1)
        row.locator("[name=kind]").select_option("ignored")
        row.locator("form button").click()
        row.locator("form").wait_for(state="detached")
        page.reload()
        assert page.locator("main img, main script, main svg[onload]").count() == 0
    assert alerts == []
