"""The owner's page in a real browser, while a provider asks: light and dark, on a phone and on a desk."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.interfaces.desk.app import make_app
from tacit.interfaces.desk.server import make_server, run_server
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk, ScoreQuery
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

ARCHITECTURE = Architecture("linear", 4, 1)


def opened(folder: Path) -> tuple[Desk, Ledger]:
    rng = np.random.default_rng(0)
    X = rng.random((2000, 4))
    y = (X.sum(axis=1) > 2).astype(np.int64)
    ledger = Ledger.create(folder / "x.ledger", Budget(5, 1e-5, unit="record", relation="replace"))
    with DeskLog(folder / "x.desk").writing() as transaction:
        transaction.add(Provider("ann", token_digest("a"), 300))
        transaction.add(
            Provider("a-provider-with-a-very-long-name-and-no-place-to-break-it-at-all", token_digest("b"), 100)
        )
    terms = DeskTerms(ARCHITECTURE, "accuracy", 2, 1000, 2000, epsilon=4.0, delta=1e-6)
    scorer = Scorer(X, y, ARCHITECTURE, metric="accuracy")
    return Desk.open(scorer, terms, folder / "x.desk", ledger=ledger), ledger


def climb(desk: Desk, first: int, count: int) -> None:
    """Answer queries of candidates that get better and better."""
    rng = np.random.default_rng(first)
    goal = np.array([1.0, 1.0, 1.0, 1.0, -2.0])
    for number in range(first, first + count):
        vector = goal * number / 200 + rng.normal(size=5) * 0.5
        desk.answer([ScoreQuery("ann", f"q{number}", str(number), vector)])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, str]]:
    desk, ledger = opened(tmp_path_factory.mktemp("desk"))
    server = make_server(make_app(desk, owner_key="owner", ledger=ledger), host="127.0.0.1", port=0)
    ready, address = threading.Event(), []

    def tell(where: str) -> None:
        address.append(where)
        ready.set()

    thread = threading.Thread(target=run_server, args=(server, tell))
    thread.start()
    assert ready.wait(30)
    yield desk, address[0]
    server.should_exit = True
    thread.join()


def look(browser: Any, desk: Desk, url: str, folder: Path) -> None:
    backgrounds, first = set(), 0
    for scheme in ("light", "dark"):
        for width in (375, 1200):
            context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
            page = context.new_page()
            said: list[str] = []
            asked: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.on("pageerror", lambda error, said=said: said.append(str(error)))
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(f"{url}/owner#owner")
            climb(desk, first, 40)
            first += 40
            page.locator(f".figure b:text-is('{first}')").first.wait_for(timeout=15000)
            where = f"{scheme}, {width}"
            assert said == [], where
            assert all(each.startswith((f"{url}/owner", "data:")) for each in asked), asked
            assert page.evaluate("document.documentElement.scrollWidth") <= width, where
            assert page.locator("circle").count() == first
            assert page.locator("#chart").bounding_box()["height"] > 100, where
            assert f"{first} of 300 queries" in page.inner_text("#providers")
            assert "epsilon 4 at delta" in page.inner_text("#promise")
            backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            page.screenshot(path=str(folder / f"{scheme}-{width}.png"), full_page=True)
            context.close()
    assert len(backgrounds) == 2
    require_a_key(browser, url)


def require_a_key(browser: Any, url: str) -> None:
    """Without the key, or with a wrong one, the page says so and shows nothing."""
    for ending in ("", "#wrong"):
        page = browser.new_page()
        page.goto(f"{url}/owner{ending}")
        page.wait_for_selector("#trouble:not([hidden])")
        assert "owner's key is missing" in page.inner_text("#trouble")
        assert page.locator(".figure").count() == 0
        page.close()


def test_the_page_follows_the_desk_and_reads_well_everywhere(
    chromium: Any, served: tuple[Desk, str], tmp_path: Path
) -> None:
    look(chromium, *served, tmp_path)
    assert all(path.stat().st_size > 10_000 for path in tmp_path.iterdir())
