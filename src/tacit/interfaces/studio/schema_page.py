"""The schema editor: every column with what was found in it, its rule edited in place, and the guesses to confirm."""

import json
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacit.data.schemas.column_rules import KINDS, column_to_dict
from tacit.data.schemas.columns import Categorical, Column, Label, Numeric, Person, Target
from tacit.data.schemas.notations import STEPS
from tacit.interfaces.studio.bodies import read_form
from tacit.interfaces.studio.folder import schema_name
from tacit.interfaces.studio.forms import choice, field, submit, text_area, tick
from tacit.interfaces.studio.frame import panel, studio_of, words_of
from tacit.interfaces.studio.histogram import histogram
from tacit.interfaces.studio.schema_draft import MISSING_TEXTS, DraftStore, SchemaDraft
from tacit.interfaces.studio.schema_fields import rule_from_fields
from tacit.interfaces.studio.strings import Words
from tacit.interfaces.studio.table_description import TableDescription, describe
from tacit.pages.charts import percent, short
from tacit.pages.markup import Markup, joined, tag

# Values of a closed list that are named in a column's line.
MOST_NAMED = 4
# Lines that are laid out at once: few groups cost less than a thousand lines that each wait for their turn.
GROUP = 20


def drafts(request: Request) -> DraftStore:
    """Return the schemas of the studio's folder."""
    state = request.app.state
    if not hasattr(state, "drafts"):
        state.drafts = DraftStore(studio_of(request).folder)
    store: DraftStore = state.drafts
    return store


def schema_editor(request: Request, table: str, known: TableDescription) -> Markup:
    """Return the columns of a table with their rules, to be gone through."""
    words, draft = words_of(request), drafts(request).open(table)
    found = {column["name"]: column for column in known.columns}
    rows = [
        _row(words, place, column, _Found(found.get(column.name, {}), known), guessed=column.name in draft.guessed)
        for place, column in enumerate(draft.schema.columns)
    ]
    editor = tag(
        "div",
        _status(words, table, draft),
        _tools(words, draft),
        _missing_texts(words, draft),
        tag("div", [_group(words, rows, start) for start in range(0, len(rows), GROUP)], id="columns"),
        _template(words),
        id="editor",
        data_table=table,
        data_saved=words("schema.saved"),
        data_guessed=words("schema.guessed"),
        data_lost=words("frame.lost"),
    )
    aside = words("schema.aside", file=schema_name(table))
    return panel(words("schema.title"), aside, editor, class_="wide")


def _group(words: Words, rows: list[Markup], start: int) -> Markup:
    """Return some lines that the browser lays out together, once they come into view."""
    part = rows[start : start + GROUP]
    name = words("schema.group", first=start + 1, last=start + len(part)) if len(rows) > GROUP else None
    return tag("ul", part, class_="columns", aria_label=name)


def _status(words: Words, table: str, draft: SchemaDraft) -> Markup:
    left = len(draft.guessed)
    ready = joined(words("schema.all"), " ", tag("a", words("schema.go"), href=f"/release/?table={quote(table)}"))
    return tag(
        "div",
        tag("p", words("schema.open", count=left), class_="warning", hidden=None if left else "", id="left"),
        tag("p", ready, class_="good", hidden="" if left else None, id="ready"),
        tag("p", role="status", class_="small", id="said"),
        data_open=words.texts["schema.open"],
    )


def _tools(words: Words, draft: SchemaDraft) -> Markup:
    find = tag("input", type="search", id="find", aria_label=words("schema.find"), placeholder=words("schema.find"))
    only = tick(words("schema.only"), "only")
    undo = tag("button", words("schema.undo"), type="button", id="undo", class_="plain", disabled=_unless(draft.steps))
    every = tag(
        "button", words("schema.every"), type="button", id="every", class_="plain", data_ask=words("schema.every_ask")
    )
    return tag("div", find, only, undo, every, class_="tools")


def _unless(value: object) -> str | None:
    return None if value else ""


def _missing_texts(words: Words, draft: SchemaDraft) -> Markup:
    texts = "\n".join(draft.schema.missing_values)
    guessed = MISSING_TEXTS in draft.guessed
    box = text_area(words("schema.blanks"), "blanks", value=texts, rows=2, hint=words("schema.blanks_hint"))
    form = tag("form", box, submit(words("schema.save"), plain=True), id="blanks-form")
    open_ = "" if guessed else None
    return tag("details", tag("summary", words("schema.blanks")), form, open=open_, class_="blanks")


class _Found(NamedTuple):
    """What reading the table found in one column."""

    facts: dict[str, Any]
    table: TableDescription

    @property
    def missing(self) -> float:
        """The share of missing cells."""
        return float(self.facts.get("missing", 0)) / max(self.table.n_rows, 1)

    @property
    def range(self) -> str:
        """The first and the last value."""
        return " … ".join(part for part in (self.facts.get("first"), self.facts.get("last")) if part)


def _row(words: Words, place: int, column: Column, found: _Found, *, guessed: bool) -> Markup:
    missing = words("schema.missing", share=percent(found.missing)) if found.missing else ""
    remark = found.table.remarks.get(column.name, "")
    line = tag(
        "button",
        tag("span", short(column.name, 60), class_="name", title=column.name),
        tag("span", words(f"kind.{column.kind}"), class_="kind"),
        tag("span", facts_text(column), class_="facts"),
        tag("span", missing, class_="gaps"),
        histogram(found.facts.get("bars", [])),
        type="button",
        class_="line",
        aria_expanded="false",
    )
    confirm = tag("button", words("schema.confirm"), type="button", class_="confirm", hidden=_unless(guessed))
    return tag(
        "li",
        line,
        confirm,
        tag("p", remark, class_="small remark") if remark else None,
        id=f"column-{place}",
        class_="guessed" if guessed else None,
        data_name=column.name,
        data_rule=json.dumps(column_to_dict(column)),
        data_range=words("schema.found", range=found.range) if found.range else None,
    )


def facts_text(column: Column) -> str:
    """Return the public facts of a column in a few words: its bounds, or its first categories."""
    if isinstance(column, Numeric):
        return f"{column.shown(column.low)} … {column.shown(column.high)}"
    if isinstance(column, Target):
        return f"{column.bounds[0]:g} … {column.bounds[1]:g}"
    if isinstance(column, Person):
        return "" if column.rows is None else f"K = {column.rows}"
    if isinstance(column, Categorical | Label):
        values = column.categories if isinstance(column, Categorical) else column.classes
        more = f", … ({len(values)})" if len(values) > MOST_NAMED else ""
        return ", ".join(short(value, 16) for value in values[:MOST_NAMED]) + more
    return ""


def _template(words: Words) -> Markup:
    """Return the form that is copied under a column when it is opened; fields of other kinds are hidden."""
    kinds = [(kind, words(f"kind.{kind}")) for kind in KINDS]
    gaps = [(name, words(f"schema.missing_{name}")) for name in ("error", "middle", "flag", "category", "value")]

    def only(kinds_of: str, content: Markup) -> Markup:
        return tag("div", content, data_kinds=kinds_of)

    form = tag(
        "form",
        tag("p", class_="small range"),
        choice(words("schema.kind"), "kind", kinds),
        only("numeric date target", field(words("schema.low"), "low")),
        only("numeric date target", field(words("schema.high"), "high")),
        only("numeric", tick(words("schema.integer"), "integer")),
        only("date", choice(words("schema.step"), "step", [(step, words(f"step.{step}")) for step in STEPS])),
        only("pattern", field(words("schema.pattern"), "pattern")),
        only(
            "categorical label", text_area(words("schema.values"), "values", rows=5, hint=words("schema.values_hint"))
        ),
        only("numeric date pattern categorical", choice(words("schema.gaps"), "missing", gaps)),
        only("numeric categorical", field(words("schema.gap_value"), "missing_value")),
        only("person", field(words("schema.rows"), "rows", hint=words("schema.rows_hint"))),
        tag("p", role="alert", class_="warning", hidden=""),
        submit(words("schema.save")),
        class_="rule",
    )
    return tag("template", form, id="rule-form")


async def save(request: Request) -> Response:
    """Take the rule of one column from the editor."""
    form, table = await read_form(request), request.path_params["table"]
    fields = {name: values[-1] for name, values in form.fields.items()}
    name = fields.get("name", "")
    draft = drafts(request).open(table)
    changed = draft.with_rule(name, rule_from_fields(draft.column(name), fields))
    return _kept(request, table, changed, [name])


async def save_missing_texts(request: Request) -> Response:
    """Take the texts that mean a missing cell in every column."""
    form, table = await read_form(request), request.path_params["table"]
    texts = [line.strip() for line in form.text("blanks").splitlines() if line.strip()]
    return _kept(request, table, drafts(request).open(table).with_missing_texts(texts), [])


async def confirm(request: Request) -> Response:
    """Take the facts of some columns as public."""
    form, table = await read_form(request), request.path_params["table"]
    names = form.fields.get("name", [])
    return _kept(request, table, drafts(request).open(table).confirmed(names), names)


async def undo(request: Request) -> Response:
    """Take the last change back."""
    table = request.path_params["table"]
    draft, names = drafts(request).open(table).undone()
    return _kept(request, table, draft, names)


def _kept(request: Request, table: str, draft: SchemaDraft, names: Any) -> Response:
    """Write the draft, and tell the page what has changed."""
    words = words_of(request)
    known = describe(studio_of(request).folder, table)
    remarks = {} if known is None else known.remarks
    # At once and not in a thread: a change that comes in meanwhile would start from the schema before this one.
    drafts(request).write(table, draft, remarks)
    wanted = set(names)
    columns = [
        {
            "name": column.name,
            "rule": column_to_dict(column),
            "kind": words(f"kind.{column.kind}"),
            "facts": facts_text(column),
            "guessed": column.name in draft.guessed,
        }
        for column in draft.schema.columns
        if column.name in wanted
    ]
    blanks = "\n".join(draft.schema.missing_values)
    left = len(draft.guessed)
    return JSONResponse({"columns": columns, "left": left, "undo": bool(draft.steps), "blanks": blanks})


ROUTES = [
    Route("/{table}/save", save, methods=["POST"]),
    Route("/{table}/blanks", save_missing_texts, methods=["POST"]),
    Route("/{table}/confirm", confirm, methods=["POST"]),
    Route("/{table}/undo", undo, methods=["POST"]),
]
