"""What the tests of audit families share."""

from collections.abc import Callable

import pytest

from tacit.audit.case import Case, ListCases


@pytest.fixture
def unexpected() -> Callable[..., list[str]]:
    """Return what runs the cases of a family whose names hold a word, and lists those that came out wrong."""

    def run(list_cases: ListCases, word: str, *, seed: int | None, least: int = 1) -> list[str]:
        chosen = [case for case in list_cases(seed) if word in _label(case)]
        assert len(chosen) >= least, f"{len(chosen)} cases are called {word!r}"
        return [case.name for case in chosen if case.run().passed == case.control]

    return run


def _label(case: Case) -> str:
    return f"control: {case.name}" if case.control else case.name
