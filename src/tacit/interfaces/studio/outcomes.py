"""What came out of each task: the page that it leads to, or what its own page shows."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from starlette.requests import Request

from tacit.interfaces.studio.frame import lines_table, note, panel, words_of
from tacit.interfaces.studio.guarantee_words import guarantee_words
from tacit.interfaces.studio.jobs import Job
from tacit.interfaces.studio.release_page import bought_table
from tacit.interfaces.studio.review_page import audit_form, sign_form
from tacit.interfaces.studio.strings import DEFAULT, Words
from tacit.pages.markup import Child, Markup, tag


def _released(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    ledger = job.request["arguments"].get("ledger")
    spent = tag("p", tag("a", words("job.see_ledger"), href=f"/ledger/show/{ledger}")) if ledger else None
    return [
        note(words("released.done", file=result["file"]), "good", "status"),
        note(words("released.contradicted"), "warning", "alert") if result["contradicted"] else None,
        tag("p", result["quality"]) if result["quality"] else None,
        spent,
        _guaranteed(words, result),
        panel(words("released.card"), words("released.card_aside"), report_frame(words, job), class_="wide"),
        panel(words("sign.title"), words("sign.aside"), sign_form(request, result["file"])),
        panel(words("released.hand_out"), words("released.hand_out_aside"), downloads(words, result["files"])),
    ]


def report_frame(words: Words, job: Job) -> Markup:
    """Return the report that the job wrote, in a frame in which no script runs."""
    place = f"/jobs/{job.name}/report"
    frame = tag(
        "iframe", src=place, title=words("report.title"), class_="report", data_fit="", sandbox="allow-same-origin"
    )
    alone = tag("a", words("report.alone"), href=place, target="_blank", rel="noopener")
    saved = tag("a", words("report.save"), href=f"{place}?save=1")
    return tag("div", frame, tag("p", alone, " · ", saved, class_="small"))


def downloads(words: Words, names: list[str]) -> Markup:
    """Return a link to each file, to be saved."""
    links = [
        tag("a", words("frame.download", name=name), href=f"/files/{name}", class_="button", download="")
        for name in names
    ]
    return tag("div", links, class_="buttons")


def _planned(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    names = ("what", "noise", "because")
    rows = [[step[name] for name in names] for step in result["steps"]]
    if "refused" in result:
        after = note(result["refused"], "warning", "alert")
    elif "spent" in result:
        figures = {name: result[name] for name in ("spent", "of", "left")}
        after = note(words("plan.after", **figures), "good")
    else:
        after = note(words("plan.no_ledger"), "warning")
    region = lines_table([words(f"plan.{name}") for name in names], rows, name=words("plan.title"))
    spends = tag("p", words("plan.spends", budget=result["budget"]), class_="lead")
    return [spends, after, region, _back(words, "/release/")]


def _bought(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    on = f"/release/?table={quote(result['table'])}"
    return [bought_table(words, result), note(words("bought.caution")), _back(words, on)]


def _card(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    if result["kind"] == "model":
        return [note(words("review.model")), report_frame(words, job)]
    said = [_adds_up(words, result)]
    if not result["holds"]:
        said.append(note(words("review.void"), "warning", "alert"))
    if result["kind"] == "release":
        said.append(_signature(words, result))
    unsigned = result["kind"] == "release" and not result["signer"]
    return [
        *said,
        _guaranteed(words, result),
        panel(words("released.card"), words("review.card_aside"), report_frame(words, job), class_="wide"),
        panel(words("review.try"), words("review.try_aside"), audit_form(request, result["file"])),
        panel(words("sign.title"), words("sign.aside"), sign_form(request, result["file"])) if unsigned else None,
        panel(words("released.hand_out"), "", downloads(words, [result["file"]])),
    ]


def _guaranteed(words: Words, result: dict[str, Any]) -> Markup | None:
    """Return the guarantee in words; None in the language of the report, which says it, or of an older job."""
    if words.language == DEFAULT or "epsilon" not in result:
        return None
    return panel(words("guarantee.title"), words("guarantee.aside"), guarantee_words(words, result))


def _adds_up(words: Words, result: dict[str, Any]) -> Markup:
    figures = {name: result[name] for name in ("claimed", "recomputed")}
    if result["adds_up"]:
        return note(words("review.adds_up", **figures), "good", "status")
    return note(words("review.too_much", **figures), "warning", "alert")


def _signature(words: Words, result: dict[str, Any]) -> Markup:
    if not result["signer"]:
        return note(words("review.unsigned"))
    if not result["trusted"]:
        return note(words("review.signed", signer=result["signer"]))
    return note(words("review.trusted", file=result["trusted"], owner=result["owner"] or "–"), "good")


def _audited(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    names = ("what", "claimed", "bound", "draws", "verdict")
    rows = [_audit_row(words, each) for each in result["results"]]
    titles = [words(f"audit.{name}") for name in names]
    passed = note(words("audit.passed"), "good", "status")
    failed = note(words("audit.failed"), "warning", "alert")
    told = [note(words("audit.understated", what=what), "warning") for what in result["understated"]]
    region = lines_table(titles, rows, name=words("audit.caption"), caption=True)
    back = _back(words, f"/review/?file={quote(result['file'])}")
    return [passed if result["passed"] else failed, _adds_up(words, result), told, region, back]


def _audit_row(words: Words, figures: dict[str, Any]) -> list[Child]:
    verdict = words("audit.passes") if figures["passed"] else words("audit.fails")
    return [figures["what"], figures["claimed"], figures["bound"], f"{figures['draws']:,}", verdict]


def _signed(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    facts = [("sign.signer", result["signer"]), ("sign.digest", result["digest"])]
    listed = tag("dl", [[tag("dt", words(key)), tag("dd", tag("code", text))] for key, text in facts])
    said = note(words("sign.done", file=result["file"]), "good", "status")
    return [said, listed, downloads(words, [result["file"]]), _back(words, f"/review/?file={quote(result['file'])}")]


def _verified(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    said = words("review.charged", file=result["file"], ledger=result["ledger"], count=result["lines"])
    return [note(said, "good", "status"), _back(words, f"/review/?file={quote(result['file'])}")]


def _adopted(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    failing = [note(words("adopt.failing", file=name), "warning", "alert") for name in result["failing"]]
    on = f"/adopt/?model={quote(result['file'])}#predict"
    return [
        note(words("adopt.done", file=result["file"]), "good", "status"),
        *failing,
        panel(words("adopt.evidence"), words("adopt.evidence_aside"), report_frame(words, job), class_="wide"),
        tag("div", tag("a", words("adopt.go_on"), href=on, class_="button"), class_="buttons"),
        downloads(words, [result["file"]]),
    ]


def _predicted(request: Request, job: Job) -> list[Child]:
    words, result = words_of(request), job.result
    head = tag("tr", [tag("th", name, scope="col") for name in result["columns"]])
    rows = [tag("tr", [tag("td", cell) for cell in row]) for row in result["first"]]
    first = tag("table", tag("caption", words("predict.first")), tag("thead", head), tag("tbody", rows), class_="lines")
    said = note(words("predict.done", rows=result["rows"], file=result["file"]), "good", "status")
    region = tag("div", first, class_="scroll", tabindex="0", role="region", aria_label=words("predict.first"))
    return [said, region, downloads(words, [result["file"]])]


def _back(words: Words, place: str) -> Markup:
    return tag("p", tag("a", words("frame.back"), href=place, class_="button plain"))


# Tasks whose result stands on another page.
NEXT: dict[str, Callable[[Job], str]] = {
    "describe": lambda job: f"/table/{quote(job.result['table'])}",
    "import_table": lambda job: f"/table/{quote(job.result['table'])}",
}
# Tasks whose result is shown where their progress was.
SHOWN: dict[str, Callable[[Request, Job], list[Child]]] = {
    "release": _released,
    "plan": _planned,
    "what_if": _bought,
    "card": _card,
    "audit": _audited,
    "sign": _signed,
    "verify": _verified,
    "adopt": _adopted,
    "predict": _predicted,
}


def outcome(request: Request, job: Job) -> Child:
    """Return what a job that is done has to show."""
    return SHOWN[str(job.request["task"])](request, job)
