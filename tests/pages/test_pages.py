"""The report page: escaped, self-contained, readable, and true to the numbers behind it."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from tacit.adoption.evidence.comparison import Comparison, compare
from tacit.data.public.schemas import image_schema
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.pages.model_page import ModelFacts, model_page
from tacit.pages.table_summary import summarise_table
from tacit.privacy.card_facts import CardFacts
from tacit.releases.file import Release
from tacit.workflows.report import report_release

EVIL = "<script>alert('x')</script>&\"'>"
VOID = {"meta", "link", "img", "br", "line", "rect", "circle", "path"}


class Page(HTMLParser):
    """Checks that tags nest, and gathers what a test asks for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in {tag}"
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.seen if name == tag]


def table_schema(names: str, classes: tuple[str, ...] = ("no", "yes"), high: float = 1.0) -> Schema:
    return Schema((*(Numeric(name, (0, high)) for name in names), Label("ill", classes)))


def rows(schema: Schema, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    y = np.arange(n) % len(schema.classes)
    centres = generator.uniform(0.2, 0.8, (len(schema.classes), len(schema.encoded_names)))
    return np.clip(generator.normal(centres[y], 0.05), 0, 1), y


def released(schema: Schema, unit: str = "record", **settings: object) -> Release:
    X, y = rows(schema, 300)
    return CLASS_MOMENTS.release(X, y, schema, unit=unit, epsilon=1, delta=1e-6, **settings)  # type: ignore[arg-type]


def compared(n_classes: int = 2, helped: int = 9, harmed: int = 1) -> Comparison:
    truth = np.arange(60) % n_classes
    only, both = truth.copy(), truth.copy()
    only[:helped] = (truth[:helped] + 1) % n_classes
    both[helped : helped + harmed] = (truth[helped : helped + harmed] + 1) % n_classes
    return compare(truth, target_only=only, adopted=both, classes=[f"class {code}" for code in range(n_classes)])


def facts(ours: Schema, releases: list[Release], **changes: object) -> ModelFacts:
    X, y = rows(ours, 60)
    labels = np.where(np.arange(60) < 20, y, -1)
    summary = summarise_table(X, labels, y, len(ours.classes), releases)
    layers = np.stack([summary.predicted] * 2) if ours.image else None
    made = ModelFacts(
        schema=ours,
        cards=tuple(each.card for each in releases),
        weights=(1.5,) * len(releases),
        notes=("2 columns shared by name",) * len(releases),
        comparison=compared(len(ours.classes)),
        measured_on="60 labelled test rows",
        n_labelled=20,
        n_unlabelled=40,
        summary=summary,
        layers=layers,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def pages() -> dict[str, str]:
    table, pictures = table_schema("abc"), image_schema((4, 4), ("x", "y", "z"))
    return {
        "table": model_page(facts(table_schema("bcd"), [released(table)])),
        "pictures": model_page(facts(pictures, [released(pictures, "entry"), released(pictures, random_state=1)])),
        "table release": report_release(released(table)),
        "picture release": report_release(released(pictures, "entry")),
    }


@pytest.fixture(scope="module", name="pages")
def all_pages() -> dict[str, str]:
    return pages()


def test_pages_are_well_formed_accessible_and_ask_nothing_of_the_network(pages: dict[str, str]) -> None:
    for text in pages.values():
        page = Page(text)
        assert text.startswith("<!doctype html>")
        assert page.all("html") == [{"lang": "en"}]
        assert len(page.all("title")) == len(page.all("h1")) == len(page.all("main")) == 1
        assert all(image["alt"] for image in page.all("img"))
        assert all(chart["role"] == "img" and chart["aria-label"] for chart in page.all("svg"))
        assert all(cell["scope"] in {"row", "col"} for cell in page.all("th"))
        assert page.all("script") == []
        assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:)""", text)
        assert not re.search(r"url\(|@import|https?:|//", re.sub(r"base64,[\w+/=]+", "", text).split("</style>")[1])
        assert "url(" not in text
        assert "default-src 'none'" in text


def test_whatever_a_file_says_is_shown_and_never_run() -> None:
    evil = Schema((Numeric(EVIL, (0, 1)), Numeric("b", (0, 1)), Label("ill", (EVIL, "yes"))))
    release = released(evil)
    card = replace(release.card, title=EVIL, assumptions=(EVIL,), warning=EVIL, made=EVIL, adjacency=EVIL)
    release = replace(release, card=card)
    found = compare([0, 1], target_only=[1, 1], adopted=[0, 1], classes=evil.classes)
    for text in (
        report_release(release),
        model_page(facts(evil, [release], notes=(EVIL,), comparison=found, measured_on=EVIL)),
    ):
        page = Page(text)
        assert page.all("script") == []
        assert "<script" not in text
        assert EVIL in page.text


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        (CardFacts(owner="Clinic A", dataset="scans"), "What Clinic A hands out"),
        (CardFacts(dataset="scans of 2024"), "What is handed out of scans of 2024"),
        (CardFacts(), "What the owner hands out"),
    ],
)
def test_the_title_of_a_release_says_who_hands_something_out(stated: CardFacts, title: str) -> None:
    release = released(table_schema("abc"))
    text = report_release(replace(release, card=replace(release.card, facts=stated)))
    assert f"<title>{title}</title>" in text
    assert f"<h1>{title}</h1>" in text
    assert release.card.title.lower() in Page(text).text.lower()


def test_the_title_of_a_model_says_what_it_predicts(pages: dict[str, str]) -> None:
    assert "<title>What was adopted for predicting ill</title>" in pages["table"]


def test_a_release_page_holds_nothing_but_the_release() -> None:
    """Two tables whose releases agree give the same page."""
    release = released(table_schema("abc"), random_state=3)
    assert report_release(release) == report_release(release)
    page = Page(report_release(release)).text
    assert "your" not in page.replace("your corrections", "")


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_letters_stand_out_in_both_themes(theme: int) -> None:
    style = (files("tacit.pages") / "page.css").read_text(encoding="utf-8")
    block = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[theme]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
    for ink in ("ink", "soft", "with", "help", "harm"):
        assert _contrast(colours[ink], colours["paper"]) >= 4.5, ink
    assert _contrast(colours["soft"], colours["card"]) >= 4.5
    assert _contrast(colours["warn-ink"], colours["warn-paper"]) >= 4.5
    for mark in ("alone", "third"):
        assert _contrast(colours[mark], colours["paper"]) >= 3, mark
    # A cell of the matrix is at most half tinted.
    tint = [int(part) for part in re.findall(r"--tint: (\d+), (\d+), (\d+)", block)[0]]
    paper = [int(colours["paper"][at : at + 2], 16) for at in (1, 3, 5)]
    mixed = "#" + "".join(f"{round((a + b) / 2):02x}" for a, b in zip(tint, paper, strict=True))
    assert _contrast(colours["ink"], mixed) >= 4.5
