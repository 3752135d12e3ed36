"""Small tables as HTML for notebooks: everything is escaped, nothing is loaded, colours follow the notebook's own."""

from collections.abc import Iterable, Sequence
from html import escape

STYLE = "border-collapse:collapse;font-family:system-ui,sans-serif;font-size:14px"
CELL = "text-align:left;vertical-align:top;padding:.2em .8em .2em 0;border-bottom:1px solid rgba(127,127,127,.35)"


def html_facts(title: str, facts: Iterable[tuple[str, str]], *, warning: str = "") -> str:
    """Return a heading and a table of names and what they stand for; a ``warning`` comes first, in red."""
    rows = "".join(
        f'<tr><th scope="row" style="{CELL};white-space:nowrap">{escape(name)}</th>'
        f'<td style="{CELL};max-width:46em;overflow-wrap:anywhere">{escape(text)}</td></tr>'
        for name, text in facts
    )
    head = f'<p style="color:#c0392b;font-weight:bold">{escape(warning)}</p>' if warning else ""
    return f'<div>{head}<p><strong>{escape(title)}</strong></p><table style="{STYLE}">{rows}</table></div>'


def html_rows(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a line of headers."""
    line = "".join(f'<th scope="col" style="{CELL}">{escape(header)}</th>' for header in headers)
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f'<table style="{STYLE}"><thead><tr>{line}</tr></thead><tbody>{body}</tbody></table>'
