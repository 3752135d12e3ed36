"""The frame of every page: one file with its style inside, made of sections."""

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from tacit.pages.markup import Child, Markup, joined, tag
from tacit.version import VERSION


def section(title: str, aside: str, content: Child) -> Markup:
    """Return a section with its title and a few words beside its content."""
    return tag("section", tag("div", tag("h2", title), tag("p", aside, class_="aside")), tag("div", content))


def whole_page(title: str, header: Child, sections: Sequence[Markup], note: str) -> str:
    """Return the page; ``note`` says in its footer where it may go."""
    room = files("tacit.pages")
    template = Template((room / "page.html").read_text(encoding="utf-8"))
    footer = tag("p", f"Written by tacit {VERSION}; this page is one file and asks nothing of any network. {note}")
    return template.substitute(
        title=joined(title),
        style=(room / "page.css").read_text(encoding="utf-8").strip(),
        header=joined(header),
        main=joined(*sections),
        footer=footer,
    )
