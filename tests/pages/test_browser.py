"""The report in a real browser: light and dark, on a phone and on a desk."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.adoption.evidence.comparison import compare
from tacit.audit.table_comparison import compare_tables
from tacit.data.public.schemas import image_schema
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.additive import KIND as ADDITIVE
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.kinds.linear import KIND as LINEAR
from tacit.kinds.marginals import KIND as MARGINALS
from tacit.pages.compare import compare_page
from tacit.pages.fabricated import MOST_CORRELATED, FabricatedFacts, fabricated_page
from tacit.pages.model_page import ModelFacts, model_page
from tacit.pages.table_summary import summarise_table
from tacit.releases.file import Release
from tacit.workflows.report import report_release

LONG = "a_very_long_column_name_without_any_place_to_break_it_" * 3


def drawn(schema: Schema, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    y = np.arange(n) % len(schema.classes)
    centres = generator.uniform(0.2, 0.8, (len(schema.classes), len(schema.encoded_names)))
    return np.clip(generator.normal(centres[y], 0.1), 0, 1), y


def page_of(schema: Schema, releases: list[Release]) -> str:
    X, y = drawn(schema, 120)
    summary = summarise_table(X, np.where(np.arange(120) < 30, y, -1), y, len(schema.classes), releases)
    only = np.where(np.arange(120) % 5 == 0, 0, y)
    return model_page(
        ModelFacts(
            schema=schema,
            cards=tuple(each.card for each in releases),
            weights=(1.5, *(0.0 for _ in releases[1:])),
            notes=("columns shared by name",) * len(releases),
            comparison=compare(y, target_only=only, adopted=y, classes=schema.classes),
            measured_on="120 labelled test rows",
            n_labelled=30,
            n_unlabelled=90,
            summary=summary,
            layers=np.stack([summary.predicted] * 2) if schema.image else None,
        )
    )


def fabricated_pages() -> dict[str, str]:
    """Return the pages about a fabricated table of as many columns as they show, and about its comparison."""
    names = (LONG, *(f"column {place}" for place in range(MOST_CORRELATED - 1)))
    wide = Schema((*(Numeric(name, (0, 1)) for name in names), Label("ill", ("no", "yes"))))
    X, y = drawn(wide)
    made = fabricate(X, y, wide, unit="record", epsilon=1.0, delta=1e-6)
    real, rows = (Encoded(each, codes, wide.encoded_names, wide.classes) for each, codes in ((X, y), (made.X, made.y)))
    facts = FabricatedFacts(rows, wide, made.card, method="moments", original=real)
    return {
        "fabricated": fabricated_page(facts),
        "compare": compare_page(compare_tables(real, rows, wide), real, rows, wide),
    }


PAGES = ["pictures", "table", "release", "linear", "additive", "marginals", "fabricated", "compare"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    pictures = image_schema((8, 8), tuple("0123456789"))
    columns = (LONG, "age", "dose", "a column with spaces")
    table = Schema((*(Numeric(name, (0, 1)) for name in columns), Label("ill", (LONG, "B", "C"))))
    entry, record = (
        CLASS_MOMENTS.release(*drawn(pictures), pictures, unit=unit, epsilon=1, delta=1e-6, random_state=seed)
        for unit, seed in (("entry", None), ("record", 1))
    )
    of_table = CLASS_MOMENTS.release(*drawn(table), table, unit="record", epsilon=1, delta=1e-6)
    texts = {
        "pictures": page_of(pictures, [entry, record]),
        "table": page_of(table, [of_table]),
        "release": report_release(of_table),
        "linear": report_release(LINEAR.release(*drawn(table), table, unit="record", epsilon=5, delta=0.0)),
    }
    texts |= {"additive": report_release(ADDITIVE.release(*drawn(table), table, unit="record", epsilon=1, delta=1e-6))}
    texts |= {"marginals": report_release(MARGINALS.release(*drawn(table), table, epsilon=1, delta=1e-6))}
    texts |= fabricated_pages()
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.mark.parametrize("name", PAGES)
def test_a_report_reads_well_everywhere(chromium: Any, reports: dict[str, Path], name: str, tmp_path: Path) -> None:
    backgrounds = set()
    for scheme in ("light", "dark"):
        for width in (375, 420, 1280):
            context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
            page = context.new_page()
            said: list[str] = []
            asked: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.on("pageerror", lambda error, said=said: said.append(str(error)))
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(reports[name].as_uri())
            for details in page.query_selector_all("summary"):
                details.click()
            where = f"{name}, {scheme}, {width}"
            assert said == [], where
            assert [url for url in asked if not url.startswith(("file:", "data:"))] == [], where
            assert page.evaluate("document.documentElement.scrollWidth") <= width, where
            assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)"), where
            # Nothing is drawn over the edge of the window.
            beyond = page.evaluate(
                "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right >"
                " innerWidth + 1 && !e.closest('.scroll') && !e.closest('svg')).length"
            )
            assert beyond == 0, where
            backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            page.screenshot(path=str(tmp_path / f"{scheme}-{width}.png"), full_page=True)
            context.close()
    assert len(backgrounds) == 2
    assert all(path.stat().st_size > 10_000 for path in tmp_path.iterdir())


# Folded text is on the page but not drawn: the browser knows.
DRAWN = "[...document.querySelectorAll('details > *:not(summary)')].map(e => e.checkVisibility())"


@pytest.mark.parametrize("name", ["table", "release"])
def test_folds_are_open_on_paper_and_closed_on_a_screen(chromium: Any, reports: dict[str, Path], name: str) -> None:
    page = chromium.new_page(viewport={"width": 794, "height": 1123})
    page.goto(reports[name].as_uri())
    folded = page.evaluate(DRAWN)
    assert folded
    assert not any(folded)
    page.emulate_media(media="print")
    assert all(page.evaluate(DRAWN))
    # The rule does it: without it the same page would be printed with its folds missing.
    page.add_style_tag(content="@media print { details::details-content { content-visibility: hidden !important; } }")
    assert not any(page.evaluate(DRAWN))
    page.close()


def test_a_release_prints_on_paper_with_room_for_signatures(chromium: Any, reports: dict[str, Path]) -> None:
    page = chromium.new_page(color_scheme="dark")
    page.goto(reports["release"].as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(0, 0, 0)"
    assert page.locator(".signed").count() == 6
    assert len(page.pdf(format="A4")) > 20_000
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_on_paper(chromium: Any, reports: dict[str, Path], name: str) -> None:
    """A4 between its margins is 178 mm or 672 px wide; what would be scrolled on a screen must fit too."""
    page = chromium.new_page(viewport={"width": 672, "height": 1000})
    page.goto(reports[name].as_uri())
    page.emulate_media(media="print")
    beyond = page.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('svg')).map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []
    page.close()
