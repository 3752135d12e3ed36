"""The report page: escaped, self-contained, readable, and true to the numbers behind it."""

import base64
import math
import re
import struct
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from tacit.adoption.comparison import Comparison, Share, compare
from tacit.data.columns import Label, Numeric
from tacit.data.public_schemas import image_schema
from tacit.data.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.pages import charts, looks, outcome
from tacit.pages.guarantee import guarantee_block
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.page import ModelFacts, model_page
from tacit.pages.pictures import picture, png
from tacit.pages.portraits import draw_portraits, stored_portraits, with_portraits
from tacit.privacy.card import AuditResult
from tacit.releases.file import Release
from tacit.releases.model import Model
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
    portraits = draw_portraits(X, labels, y, len(ours.classes), releases)
    layers = np.stack([portraits.sorted] * 2) if ours.image else None
    made = ModelFacts(
        schema=ours,
        cards=tuple(each.card for each in releases),
        weights=(1.5,) * len(releases),
        notes=("2 columns shared by name",) * len(releases),
        comparison=compared(len(ours.classes)),
        measured_on="60 labelled test rows",
        n_labelled=20,
        n_unlabelled=40,
        portraits=portraits,
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


def test_markup_escapes_text_and_attributes_but_not_itself() -> None:
    assert tag("p", EVIL, title=EVIL) == (
        '<p title="&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;&quot;&#x27;&gt;">'
        "&lt;script&gt;alert('x')&lt;/script&gt;&amp;\"'&gt;</p>"
    )
    assert tag("p", tag("b", "x"), None, ["y", "<"], aria_label="l", hidden=None) == (
        '<p aria-label="l"><b>x</b>y&lt;</p>'
    )
    assert isinstance(joined("a", Markup("<br>")), Markup)


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 3)])
def test_a_png_holds_the_pixels_that_were_given(shape: tuple[int, ...]) -> None:
    levels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    content = png(levels)
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    place, chunks = 8, {}
    while place < len(content):
        size, kind = struct.unpack(">I4s", content[place : place + 8])
        body = content[place + 8 : place + 8 + size]
        assert struct.unpack(">I", content[place + 8 + size : place + 12 + size])[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        place += 12 + size
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (5, 3, 8, 2 if len(shape) == 3 else 0, 0, 0, 0)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(3, -1)
    assert (lines[:, 0] == 0).all()
    assert (lines[:, 1:].reshape(shape) == levels).all()


def test_a_picture_is_ink_on_paper_and_stays_in_range() -> None:
    source = re.search(r"base64,([\w+/=]+)", picture(np.array([0.0, 1.0, -3.0, 9.0]), (2, 2), alt="a"))
    assert source is not None
    content = base64.b64decode(source[1])
    start = content.index(b"IDAT") + 4
    assert zlib.decompress(content[start:-16]) == bytes([0, 255, 0, 0, 255, 0])
    assert 'width="2"' in picture(np.zeros(8), (2, 2, 2), alt="two channels are averaged")


@pytest.mark.parametrize(
    ("helped", "harmed", "weights", "words"),
    [
        (12, 1, (1.0,), "The release helps: 98.3\u202f% right instead of 80.0\u202f%."),
        (1, 12, (1.0, 0.0), "The releases harm: 80.0\u202f% right instead of 98.3\u202f%."),
        (3, 1, (1.0,), "The release seems to help"),
        (1, 3, (1.0, 1.0), "The releases seem to harm"),
        (4, 4, (1.0,), "With and without the release"),
        (0, 0, (0.0,), "carried nothing that your labels bear out"),
    ],
)
def test_the_headline_claims_no_more_than_the_rows_show(
    helped: int, harmed: int, weights: tuple[float, ...], words: str
) -> None:
    assert words in outcome.verdict(compared(helped=helped, harmed=harmed), weights)


def test_intervals_and_changes_are_drawn_where_they_belong() -> None:
    chart = Page(charts.accuracy_chart([("a", Share(80, 100), "alone"), ("b", Share(90, 100), "with")]))
    dots = [float((dot["cx"] or "")[:-1]) for dot in chart.all("circle")]
    spans = [line for line in chart.all("line") if line["class"] == "span"]
    ends = [[float((line[name] or "")[:-1]) for name in ("x1", "x2")] for line in spans]
    assert all(low < dot < high for dot, (low, high) in zip(dots, ends, strict=True))
    assert dots[0] < dots[1]
    bars = Page(outcome.classes_part(compared(helped=9, harmed=1))).all("rect")
    places = [(float((bar["x"] or "")[:-1]), float((bar["width"] or "")[:-1])) for bar in bars]
    # Both classes are helped on balance: bars begin in the middle and go right.
    assert all(x == 50 and width > 0.4 for x, width in places)
    lost = Page(outcome.classes_part(compared(helped=0, harmed=8))).all("rect")
    assert all(math.isclose(float((bar["x"] or "")[:-1]) + float((bar["width"] or "")[:-1]), 50) for bar in lost)


@pytest.mark.parametrize("n_classes", [2, 12])
def test_the_matrix_holds_every_count(n_classes: int) -> None:
    found = compared(n_classes)
    text = outcome.confusion_part(found)
    cells = re.findall(r"<td[^>]*style[^>]*>(\d+|·)", text)
    assert [0 if cell == "·" else int(cell) for cell in cells] == found.confusion.ravel().tolist()
    assert ("Commonest mistakes" in text) == (n_classes > 2)


def test_the_guarantee_is_given_for_every_unit_and_never_as_certain() -> None:
    card = released(table_schema("ab"), "entry").card
    text = Page(guarantee_block(card, heading="h")).text
    for promise in card.coarser:
        assert promise.unit in text
    assert "It protects one entry." in text
    assert "2.72 times" in text
    assert "73.1\u202f% of the time" in text
    audit = AuditResult("sums", 1.0, 0.25, 0.999, 1000, passed=False)
    worse = guarantee_block(replace(card, epsilon=50.0, secure=False, audits=(audit,)), heading="h")
    assert "over 99.9\u202f%" in worse
    assert "more than 1000 times" in worse
    assert "If it held, it would protect" in worse
    assert "Seeded, not private" in worse
    assert "CONTRADICTS THE CLAIM" in worse


def test_released_means_are_laid_beside_the_receivers_in_the_same_units() -> None:
    owner, ours = table_schema("ab", high=2.0), table_schema("b", high=1.0)
    release = released(owner, "entry")
    means = release.arrays["means"] * 0 + 0.25
    release = replace(release, arrays={**release.arrays, "means": means})
    portraits = draw_portraits(np.full((4, 1), 0.5), [0, 1, -1, -1], [0, 1, 0, 1], 2, [release])
    seen = portraits.glimpses[0]
    assert seen is not None
    # 0.25 of [0, 2] is 0.5 of [0, 1].
    assert "as released 0.50, your labelled rows 0.50" in looks.classes_side_by_side(seen, portraits, ours)


def test_portraits_are_means_and_survive_the_model_file() -> None:
    release = released(table_schema("abc"))
    X, y = rows(table_schema("bcd"), 40)
    labels = np.where(np.arange(40) < 10, y, -1)
    portraits = draw_portraits(X, labels, y, 2, [release])
    assert np.allclose(portraits.labelled[1], X[:10][y[:10] == 1].mean(axis=0))
    assert np.allclose(portraits.sorted[0], X[y == 0].mean(axis=0))
    model = with_portraits(Model("m", {"w": np.zeros(2)}, {"s": 1}), portraits)
    again = stored_portraits(model)
    assert again is not None
    assert np.array_equal(again.sorted, portraits.sorted)
    assert again.glimpses[0] is not None
    assert portraits.glimpses[0] is not None
    assert again.glimpses[0].to_dict() == portraits.glimpses[0].to_dict()
    assert model.settings["s"] == 1
    assert stored_portraits(Model("m", {"w": np.zeros(2)}, {})) is None


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


def test_a_view_is_not_taken_for_what_the_private_rows_taught() -> None:
    truth, only = [0, 1] * 10, [0, 0] * 10
    found = compare(truth, target_only=only, adopted=truth, classes=("a", "b"), view_only=truth)
    assert "nothing but a view of the pictures" in outcome.verdict(found, (0.0,))
    page = str(outcome.accuracy_part(found))
    assert "Your labels, its view" in page
    assert "holds no knowledge of its owner" in page
    assert "view" not in str(outcome.accuracy_part(compare(truth, target_only=only, adopted=truth, classes=("a", "b"))))
