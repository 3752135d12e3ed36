"""HTML and SVG as text in which everything is escaped unless it was made here."""

import html
from collections.abc import Iterable


class Markup(str):
    """Text that is markup already; any other text is escaped when it becomes part of an element."""

    __slots__ = ()


# Elements that have neither content nor an end tag in HTML; SVG shapes without content close themselves.
_VOID = {"img", "br", "hr", "input", "link", "meta"}
_SHAPES = {"line", "rect", "circle", "path"}

Child = str | Iterable["Child"] | None


def tag(name: str, *children: Child, **attributes: str | float | None) -> Markup:
    """Return an element; ``aria_label`` becomes ``aria-label``, ``class_`` becomes ``class``, None is left out.

    >>> tag("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    if name in _SHAPES and not children:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Return children one after the other, text among them escaped."""
    return Markup("".join(_piece(child) for child in children))


def _piece(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    return html.escape(child, quote=False) if isinstance(child, str) else joined(*child)


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
