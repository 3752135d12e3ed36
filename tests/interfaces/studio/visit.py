"""A visitor of the studio in a real browser: what it says on its console and whom it asks is kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.interfaces.studio.served import Served

from tacit.interfaces.studio.gate import COOKIE


@dataclass
class Visit:
    """A page of a browser, and what went on behind it."""

    page: Any
    studio: Served
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.studio.origin + path)

    def wait_for_job(self, seconds: float = 180) -> None:
        """Wait until the page of a job has given way to what came out, or says what went wrong."""
        self.page.wait_for_url(lambda url: "/jobs/" in url or "/table/" in url, timeout=1000 * seconds)
        self.page.locator("#job").wait_for(state="detached", timeout=1000 * seconds)
        self.page.wait_for_load_state()

    @property
    def elsewhere(self) -> list[str]:
        """Whatever was asked of anybody but the studio."""
        return [url for url in self.asked if not url.startswith((self.studio.origin, "data:", "blob:"))]


@contextmanager
def visiting(
    chromium: Any, studio: Served, *, width: int = 1280, scheme: str = "light", **options: Any
) -> Iterator[Visit]:
    """Yield a visitor who has opened the address that the studio printed."""
    context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    page.set_default_timeout(60_000)
    visit = Visit(page, studio)
    page.on("console", lambda message: visit.said.append(message.text))
    page.on("pageerror", lambda error: visit.said.append(str(error)))
    page.on("request", lambda request: visit.asked.append(request.url))
    page.goto(studio.address)
    page.wait_for_url("**/data/")
    studio.cookie = next(each["value"] for each in context.cookies() if each["name"] == COOKIE)
    yield visit
    # A refusal is an answer of its own, which the browser notes by itself.
    assert [text for text in visit.said if "status of 400" not in text] == []
    assert visit.elsewhere == []
    context.close()
