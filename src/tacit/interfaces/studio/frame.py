"""The frame of the studio's pages, and the parts that they share."""

from collections.abc import Sequence
from typing import cast
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from tacit.interfaces.studio.state import Studio
from tacit.interfaces.studio.strings import LANGUAGES, Words, chosen_language, words_in
from tacit.pages.markup import Child, Markup, joined, tag

PAGES = ("data", "ledger", "release", "adopt", "review", "desk")
LANGUAGE = "tacit-language"


def studio_of(request: Request) -> Studio:
    """Return the studio that serves ``request``."""
    return cast("Studio", request.app.state.studio)


def words_of(request: Request) -> Words:
    """Return the texts in the language of whoever asks."""
    wish = request.cookies.get(LANGUAGE)
    return words_in(chosen_language(wish, request.headers.get("accept-language")))


def page(
    request: Request, room: str, title: str, *content: Child, scripts: Sequence[str] = (), status: int = 200
) -> HTMLResponse:
    """Return a page of the room ``room``, with its navigation around ``content``."""
    words = words_of(request)
    main = tag("main", tag("h1", title), list(content), id="main")
    body = joined(
        tag("a", words("frame.skip"), href="#main", class_="skip"), _banner(request, room, words), main, _footer(words)
    )
    return whole(words, title, body, scripts=("studio.js", *scripts), status=status)


def room_page(request: Request, room: str, *content: Child, scripts: Sequence[str] = ()) -> HTMLResponse:
    """Return the page that a room begins with: its title, what it is for, and ``content``."""
    words = words_of(request)
    lead = tag("p", words(f"{room}.lead"), class_="lead")
    return page(request, room, words(f"{room}.title"), lead, *content, scripts=scripts)


def whole(
    words: Words, title: str, body: Markup, *, scripts: Sequence[str] = (), status: int = 200, head: Child = None
) -> HTMLResponse:
    """Return a page without navigation."""
    styles = [tag("link", rel="stylesheet", href=f"/static/{name}") for name in ("page.css", "studio.css")]
    links = [tag("script", src=f"/static/{name}", defer="") for name in scripts]
    parts = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("title", f"{title} · tacit studio"),
        tag("link", rel="icon", href="data:,"),
        styles,
        links,
        head,
    )
    return HTMLResponse(f"<!doctype html>{tag('html', parts, tag('body', body), lang=words.language)}", status)


def _banner(request: Request, room: str, words: Words) -> Markup:
    links = [
        tag("a", words(f"nav.{name}"), href=f"/{name}/", aria_current="page" if name == room else None)
        for name in PAGES
    ]
    place = quote(request.scope["path"])
    languages = [
        tag("a", name, href=f"/language?to={code}&back={place}", lang=code, hreflang=code, aria_label=name)
        for code, name in LANGUAGES.items()
        if code != words.language
    ]
    lock = tag("form", tag("button", words("nav.lock"), class_="plain"), method="post", action="/lock")
    brand = tag("a", "tacit ", tag("span", "studio"), href="/", class_="brand")
    folder = tag("p", words("frame.folder", name=studio_of(request).folder.path.name), class_="small where")
    side = tag("div", languages, lock, class_="side")
    return tag("header", brand, tag("nav", links, aria_label=words("frame.pages")), side, folder, class_="banner")


def _footer(words: Words) -> Markup:
    return tag("footer", tag("p", words("frame.footer")))


def panel(title: str, aside: str, *content: Child, **attributes: str) -> Markup:
    """Return a section of a page: its title and a few words beside its content."""
    side = tag("div", tag("h2", title), tag("p", aside, class_="aside") if aside else None)
    return tag("section", side, tag("div", list(content)), **attributes)


def note(text: Child, kind: str = "note", role: str | None = None) -> Markup:
    """Return a boxed remark: ``kind`` is "note", "warning" or "good"."""
    return tag("p", text, class_=kind, role=role)


def lines_table(titles: Sequence[str], rows: Sequence[Sequence[Child]], *, name: str, caption: bool = False) -> Markup:
    """Return a table whose lines stand below each other on a phone, each cell under its title.

    ``name`` is what a screen reader calls it, and its caption if one is to be seen.
    """
    head = tag("tr", [tag("th", title, scope="col") for title in titles])
    body = [
        tag("tr", [tag("td", cell, data_title=each) for each, cell in zip(titles, row, strict=True)]) for row in rows
    ]
    shown = tag("caption", name) if caption else None
    table = tag("table", shown, tag("thead", head), tag("tbody", body), class_="lines stacked")
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=name)


def error_page(request: Request, problem: str, *, status: int = 400) -> HTMLResponse:
    """Return a page that says what went wrong, and leads back."""
    words = words_of(request)
    back = request.headers.get("referer", "/")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}/"
    link = tag("a", words("frame.back"), href=back if back.startswith(own) else "/", class_="button", data_back="")
    shown = note(problem, "warning", "alert")
    return page(request, "", words("frame.problem"), shown, tag("p", link), status=status)


def see(path: str) -> RedirectResponse:
    """Return the answer that leads a browser on after a change, so that reloading repeats nothing."""
    return RedirectResponse(path, 303)
