"""What every test runs under, which tests are slow, and the browser that pages are looked at in."""

import os
import shutil
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples on every run, and no clock: a build must not depend on luck or on how busy a machine is. To look for
# new examples: pytest --hypothesis-profile=default.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

# Test functions that took longer than this, all parameters together, are listed and marked slow; `make quick` leaves
# them out. `make slow-tests` measures those that are not listed, in processor time, which other work on the machine
# moves little. It may have to run twice: the first test that uses a shared fixture pays for it.
SLOW_SECONDS = 0.12
SLOW_TESTS = Path(__file__).with_name("slow_tests.txt")

BROWSER_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser, the only one of a process: a second cannot be driven beside it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright (extra `dev`)")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs a Chromium on the path (Debian: apt install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        yield browser
        browser.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-slow-tests", action="store_true", help="measure the tests and list those that are slow")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    listed = set(SLOW_TESTS.read_text().splitlines())
    for item in items:
        if function_name(item.nodeid) in listed:
            item.add_marker(pytest.mark.slow)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--write-slow-tests"):
        config.pluginmanager.register(Stopwatch())


def function_name(nodeid: str) -> str:
    return nodeid.split("[", maxsplit=1)[0]


class Stopwatch:
    """Adds up the processor time of each test function, its fixtures and its child processes."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        start = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            self.seconds[function_name(item.nodeid)] += sum(os.times()[:4]) - start

    def pytest_sessionfinish(self) -> None:
        """Write the list: what was slow now, and what was listed, was not run now and still exists."""
        listed = {line for line in SLOW_TESTS.read_text().splitlines() if line not in self.seconds and defined(line)}
        slow = {name for name, seconds in self.seconds.items() if seconds > SLOW_SECONDS}
        SLOW_TESTS.write_text("".join(f"{line}\n" for line in sorted(listed | slow)))


def defined(name: str) -> bool:
    file, function = name.split("::", maxsplit=1)
    path = SLOW_TESTS.parent.parent / file
    return path.exists() and f"def {function}(" in path.read_text(encoding="utf-8")
