"""The owner's page: queries used, budgets left, and the scores in the order of the answers."""

import base64
import hashlib
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.terms import DeskTerms

# Answers in one response; the page asks again for more.
MOST_ENTRIES = 5_000


@lru_cache(maxsize=2)
def owner_page(framed_by: str = "'none'") -> tuple[str, int, dict[str, str]]:
    """Return the page, its status and its headers; it holds no data, and may load nothing but the desk's state.

    ``framed_by`` says who may show it in a frame.
    """
    text = files(__package__).joinpath("watch.html").read_text(encoding="utf-8")
    script, style = (_digest(re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[0]) for tag in ("script", "style"))
    policy = (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src 'self'; "
        f"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors {framed_by}"
    )
    return text, 200, {"Content-Security-Policy": policy, "Cache-Control": "no-store"}


def owner_state(log: DeskLog, terms: DeskTerms, *, after: int, ledger_left: float | None) -> dict[str, Any]:
    """Return what the page shows: terms, providers, and the answers with a number above ``after``."""
    with log.reading() as transaction:
        entries = transaction.entries(after, most=MOST_ENTRIES)
        providers = [
            {"name": provider.name, "queries": provider.queries, "used": transaction.used(provider.name)}
            for provider in transaction.providers()
        ]
        used = transaction.used()
    answers = [{"number": e.number, "provider": e.provider, "score": e.score, "time": e.time} for e in entries]
    return {
        "terms": terms.public(),
        "providers": providers,
        "used": used,
        "entries": answers,
        "more": len(answers) == MOST_ENTRIES,
        "ledger_left": ledger_left,
    }


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
