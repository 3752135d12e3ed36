"""Fields of forms: each with a label and, where it helps, a hint that screen readers find."""

from collections.abc import Sequence

from tacit.pages.markup import Child, Markup, tag


def field(
    label: str,
    name: str,
    *,
    value: str | float = "",
    hint: str = "",
    type_: str = "text",
    required: bool = False,
    **more: str | float | None,
) -> Markup:
    """Return a field of one line."""
    box = tag(
        "input",
        type=type_,
        name_=name,
        id=name,
        value=value,
        required="" if required else None,
        autocomplete="off",
        aria_describedby=f"{name}-hint" if hint else None,
        **more,
    )
    return _labelled(label, name, box, hint)


def text_area(label: str, name: str, *, value: str = "", hint: str = "", rows: int = 3) -> Markup:
    """Return a field of several lines."""
    described = f"{name}-hint" if hint else None
    box = tag("textarea", value, name_=name, id=name, rows=rows, spellcheck="false", aria_describedby=described)
    return _labelled(label, name, box, hint)


def choice(
    label: str, name: str, options: Sequence[tuple[str, str]], *, chosen: str | None = None, hint: str = "", **more: str
) -> Markup:
    """Return a list to choose one of; ``options`` are pairs of value and text."""
    items = [tag("option", text, value=value, selected="" if value == chosen else None) for value, text in options]
    described = f"{name}-hint" if hint else None
    return _labelled(label, name, tag("select", items, name_=name, id=name, aria_describedby=described, **more), hint)


def tick(label: Child, name: str, *, value: str = "on", checked: bool = False, required: bool = False) -> Markup:
    """Return a box to tick."""
    box = tag(
        "input",
        type="checkbox",
        name_=name,
        value=value,
        checked="" if checked else None,
        required="" if required else None,
    )
    return tag("label", box, tag("span", label), class_="tick")


def radio(label: Child, name: str, value: str, *, checked: bool = False, hint: str = "") -> Markup:
    """Return one of several choices, with a few words about it."""
    box = tag("input", type="radio", name_=name, value=value, checked="" if checked else None)
    return tag("label", box, tag("span", tag("b", label), tag("small", hint) if hint else None), class_="tick radio")


def submit(text: str, *, plain: bool = False, **more: str) -> Markup:
    """Return the button that sends a form."""
    return tag("button", text, class_="plain" if plain else None, **more)


def _labelled(label: str, name: str, box: Markup, hint: str) -> Markup:
    below = tag("small", hint, id=f"{name}-hint") if hint else None
    return tag("div", tag("label", label, for_=name), box, below, class_="field")
