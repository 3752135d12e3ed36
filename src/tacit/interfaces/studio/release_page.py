"""The release page: what the receiver needs, whom it protects, what epsilon means and buys, and what the card says."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacit.audit.guessing import best_guess
from tacit.data.schemas.bad_records import BadRecords
from tacit.errors import InputError
from tacit.interfaces.studio.bodies import Form, read_form
from tacit.interfaces.studio.data_page import table_choices
from tacit.interfaces.studio.folder import LEDGERS, TABLES, split_name
from tacit.interfaces.studio.forms import choice, field, radio, submit
from tacit.interfaces.studio.frame import note, page, panel, room_page, see, studio_of, words_of
from tacit.interfaces.studio.jobs import DONE
from tacit.interfaces.studio.needs import NEEDS
from tacit.interfaces.studio.strings import Words
from tacit.pages.charts import guess_chart, percent
from tacit.pages.markup import Markup, tag
from tacit.privacy.budget import DEFAULT_DELTA, Budget

EPSILONS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
USUAL = 1.0
UNITS = ("", "record", "person")
FACTS = ("owner", "dataset", "purpose", "legal_note", "period")
# Rows of invented stand-ins, unless their number is said.
STAND_INS = 2000


async def overview(request: Request) -> Response:
    """Return the form of a release, or the way to what it needs first."""
    words, folder = words_of(request), studio_of(request).folder
    tables = table_choices(folder, ready=True)
    if not tables:
        first = [note(words("release.no_table")), tag("p", tag("a", words("nav.data"), href="/data/", class_="button"))]
        return page(request, "release", words("release.title"), first)
    return room_page(
        request,
        "release",
        _form(request, words, tables),
        scripts=["release.js"],
    )


def _form(request: Request, words: Words, tables: list[tuple[str, str]]) -> Markup:
    table = request.query_params.get("table", tables[0][0])
    stem = split_name(table)[0]
    facts = [field(words(f"fact.{fact}"), fact) for fact in FACTS]
    return tag(
        "form",
        panel(words("release.what"), words("release.what_aside"), _what(words, tables, table)),
        panel(words("release.whom"), words("release.whom_aside"), _whom(request, words, f"{stem}.ledger")),
        panel(words("release.epsilon"), words("release.epsilon_aside"), _slider(words), _bought(request, words, table)),
        panel(words("release.card"), words("release.card_aside"), facts),
        panel(words("release.do"), words("release.do_aside"), *_output(words, f"{stem}-release")),
        method="post",
        action="/release/make",
        id="release",
    )


def _what(words: Words, tables: list[tuple[str, str]], table: str) -> Markup:
    needs = tag("fieldset", tag("legend", words("release.need")), tag("div", _needs(words), class_="choices"))
    return tag("div", choice(words("release.table"), "table", tables, chosen=table), needs)


def _whom(request: Request, words: Words, own: str) -> Markup:
    ledgers = [(name, name) for name in studio_of(request).folder.names(LEDGERS)]
    return tag(
        "div",
        choice(words("release.unit"), "unit", [(each, words(f"protect.{each or 'usual'}")) for each in UNITS]),
        choice(words("release.ledger"), "ledger", [*ledgers, ("", words("release.no_ledger"))], chosen=own),
        note(tag("a", words("release.make_ledger"), href="/ledger/"), "warning") if not ledgers else None,
    )


def _output(words: Words, name: str) -> tuple[Markup, Markup, Markup]:
    policies = [("", words("policy.schema")), *((each.value, words(f"policy.{each.value}")) for each in BadRecords)]
    more = tag(
        "details",
        tag("summary", words("frame.more")),
        field(words("ledger.delta"), "delta", value=f"{DEFAULT_DELTA:g}", hint=words("ledger.delta_hint")),
        choice(words("release.bad_records"), "bad_records", policies),
    )
    buttons = tag(
        "div",
        submit(words("release.dry_run"), plain=True, formaction="/release/plan"),
        submit(words("release.make"), formaction="/release/make"),
        class_="buttons",
    )
    output = field(words("release.output"), "output", value=name, required=True, hint=words("release.output_hint"))
    return output, more, buttons


def _needs(words: Words) -> list[Markup]:
    return [
        radio(words(f"need.{name}"), "need", name, checked=not place, hint=words(f"need.{name}_hint"))
        for place, name in enumerate(NEEDS)
    ]


def _slider(words: Words) -> Markup:
    stops = [{"epsilon": f"{each:g}", **_meaning(words, each)} for each in EPSILONS]
    slider = tag(
        "input",
        type="range",
        id="slider",
        min=0,
        max=len(EPSILONS) - 1,
        step=1,
        value=EPSILONS.index(USUAL),
        aria_label=words("release.slider"),
        data_stops=json.dumps(stops),
    )
    return tag(
        "div",
        field(words("release.epsilon_field"), "epsilon", value=f"{USUAL:g}", required=True, inputmode="decimal"),
        slider,
        tag("p", _meaning(words, USUAL)["words"], id="meaning", role="status"),
        guess_chart(best_guess(USUAL, 0.0)),
    )


def _meaning(words: Words, epsilon: float) -> dict[str, str]:
    """Return what an epsilon means: the attacker's best guess, in words and as a place on the strip."""
    guess = best_guess(epsilon, 0.0)
    return {"words": words("release.meaning", guess=percent(guess)), "place": f"{2.5 + 95 * (guess - 0.5) / 0.5:.2f}%"}


async def meaning(request: Request) -> Response:
    """Return what a typed epsilon means."""
    form = Form({"epsilon": [request.query_params.get("epsilon", "")]})
    return JSONResponse(_meaning(words_of(request), Budget(form.number("epsilon"), unit="record").epsilon))


def _bought(request: Request, words: Words, table: str) -> Markup:
    """Return what each epsilon would buy, if it was simulated for this table, and the form that simulates it."""
    jobs = [job for job in studio_of(request).jobs.jobs("what_if") if job.request["arguments"]["table"] == table]
    last = next((job.result for job in jobs if job.state.get("state") == DONE), None)
    others = [(name, name) for name in studio_of(request).folder.names(TABLES) if name != table]
    ask = tag(
        "details",
        tag("summary", words("release.simulate")),
        tag("p", words("release.simulate_aside"), class_="small"),
        choice(words("release.stand_ins"), "stand_ins", [("", words("release.invented")), *others]),
        field(words("release.stand_in_rows"), "stand_in_rows", value=str(STAND_INS), inputmode="numeric"),
        submit(words("release.simulate_now"), plain=True, formaction="/release/what-if"),
    )
    return tag("div", bought_table(words, last) if last else None, ask)


def bought_table(words: Words, result: dict[str, Any]) -> Markup:
    """Return the figure at each epsilon as a table with bars, and what the figure is."""
    # Jobs of earlier versions knew accuracy alone.
    measure, baseline = result.get("measure", "accuracy"), result.get("baseline", result.get("majority", 0.0))
    titles = ("bought.epsilon", f"bought.{measure}", "bought.refused")
    head = tag("tr", [tag("th", words(title), scope="col") for title in titles])
    rows = [_bought_row(each) for each in result["means"]]
    source = result["stand_ins"] or words("release.invented")
    simulated = words("bought.caption", rows=result["rows"], source=source)
    caption = f"{simulated} {words(f'bought.{measure}_beside', baseline=percent(baseline))}"
    return tag("table", tag("caption", caption), tag("thead", head), tag("tbody", rows), class_="lines")


def _bought_row(figures: dict[str, Any]) -> Markup:
    mean = figures["mean"]
    bar = tag("rect", class_="part", x="0", y="0", height="100%", width=f"{100 * max(mean or 0, 0):.1f}%", rx=3)
    strip = tag("svg", bar, aria_hidden="true", width="60%", height=12)
    shown = tag("td", percent(mean), " ", strip) if mean is not None else tag("td", "–")
    return tag("tr", tag("th", f"{figures['epsilon']:g}", scope="row"), shown, tag("td", str(figures["refused"])))


def _arguments(form: Form) -> dict[str, Any]:
    """Return what every task about a release is told."""
    if form.text("need") not in NEEDS:
        raise InputError("say first what the receiver needs.")
    return {
        "table": form.text("table"),
        "need": form.text("need"),
        "unit": form.text("unit"),
        "epsilon": form.number("epsilon"),
        "delta": form.number("delta"),
        "bad_records": form.text("bad_records"),
        "ledger": form.text("ledger"),
    }


async def plan(request: Request) -> Response:
    """Start a dry run."""
    job = studio_of(request).jobs.start("plan", _arguments(await read_form(request)))
    return see(f"/jobs/{job.name}")


async def make(request: Request) -> Response:
    """Start a release."""
    form, studio = await read_form(request), studio_of(request)
    arguments, ending = _arguments(form), NEEDS[form.text("need")].ending
    name = form.text("output").removesuffix(".tacit").removesuffix(".csv") + ending
    if studio.folder.file(name).exists():
        raise InputError(f"{name} exists already. Choose another name.")
    facts = {fact: form.text(fact) for fact in FACTS if form.text(fact)}
    job = studio.jobs.start("release", {**arguments, "output": name, "facts": facts})
    return see(f"/jobs/{job.name}")


async def simulate(request: Request) -> Response:
    """Start to simulate what each epsilon buys."""
    form, studio = await read_form(request), studio_of(request)
    need = NEEDS[form.text("need") or "model"]
    arguments = {
        "table": studio.folder.existing(form.text("table")).name,
        "need": need.name,
        "delta": form.number("delta"),
        "stand_ins": form.text("stand_ins"),
        "rows": form.whole("stand_in_rows") or STAND_INS,
    }
    return see(f"/jobs/{studio.jobs.start('what_if', arguments).name}")


ROUTES = [
    Route("/", overview),
    Route("/meaning", meaning),
    Route("/plan", plan, methods=["POST"]),
    Route("/make", make, methods=["POST"]),
    Route("/what-if", simulate, methods=["POST"]),
]
