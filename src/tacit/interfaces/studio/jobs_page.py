"""The page of a job: how far it is, and when it is done what came out."""

import time
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from tacit.interfaces.studio import outcomes
from tacit.interfaces.studio.frame import note, page, see, studio_of, words_of
from tacit.interfaces.studio.jobs import DONE, FAILED, INTERRUPTED, REPORT, Job
from tacit.interfaces.studio.strings import Words
from tacit.pages.markup import Child, Markup, tag

# A report has its style inside, and no script.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
# To which page a task belongs.
ROOM = {
    "describe": "data",
    "import_table": "data",
    "plan": "release",
    "release": "release",
    "what_if": "release",
    "adopt": "adopt",
    "predict": "adopt",
    "card": "review",
    "audit": "review",
    "sign": "review",
    "verify": "review",
}


async def show(request: Request) -> Response:
    """Return how far a job is, or what came out of it."""
    job = studio_of(request).jobs.job(request.path_params["name"])
    words, state = words_of(request), job.state
    task = str(job.request.get("task", ""))
    if state.get("state") == DONE and task in outcomes.NEXT:
        return see(outcomes.NEXT[task](job))
    parts: dict[str, Callable[[Request, Job], Child]] = {DONE: outcomes.outcome, FAILED: _failed, INTERRUPTED: _gone}
    content = parts.get(state.get("state", ""), _running)(request, job)
    return page(request, ROOM.get(task, ""), words(f"task.{task}"), content, _notes(job), scripts=["jobs.js"])


def _running(request: Request, job: Job) -> Markup:
    words, state = words_of(request), job.state
    return tag(
        "div",
        tag("div", class_="busy", aria_hidden="true"),
        tag("p", _stage(words, state.get("stage", "")), role="status", id="stage", class_="lead"),
        tag("p", words("job.seconds", count=int(time.time() - state.get("started", time.time()))), id="clock"),
        tag("p", words("job.leave"), class_="small"),
        tag("noscript", tag("p", tag("a", words("job.again"), href=""))),
        id="job",
        data_state=f"/jobs/{job.name}/state",
    )


def _stage(words: Words, stage: str) -> str:
    return stage[:1].upper() + stage[1:] if stage else words("job.starting")


def _failed(request: Request, job: Job) -> list[Markup]:
    words = words_of(request)
    problem = note(str(job.state.get("error", "")), "warning", "alert")
    return [problem, _charge(words, job), _back(words, job)]


def _gone(request: Request, job: Job) -> list[Markup]:
    words = words_of(request)
    return [note(words("job.interrupted"), "warning", "alert"), _charge(words, job), _back(words, job)]


def _charge(words: Words, job: Job) -> Markup:
    """Return what to know of the ledger after a job that did not end well."""
    ledger = job.request.get("arguments", {}).get("ledger")
    if not ledger:
        return tag("p", words("job.nothing"))
    state = job.state
    # An error that was foreseen says itself whether something was charged.
    unclear = state.get("unforeseen") or state.get("state") == INTERRUPTED
    link = tag("a", words("job.see_ledger"), href=f"/ledger/show/{ledger}")
    return tag("p", words("job.charge") if unclear else None, " ", link)


def _back(words: Words, job: Job) -> Markup:
    room = ROOM.get(str(job.request.get("task", "")), "data")
    return tag("p", tag("a", words("frame.back"), href=f"/{room}/", class_="button"))


def _notes(job: Job) -> list[Markup]:
    return [note(str(text)) for text in job.state.get("notes", [])]


async def state(request: Request) -> Response:
    """Return the state of a job, for its page to show."""
    job = studio_of(request).jobs.job(request.path_params["name"])
    content, words = job.state, words_of(request)
    seconds = words("job.seconds", count=int(time.time() - content.get("started", time.time())))
    stage = _stage(words, str(content.get("stage", "")))
    return JSONResponse({"state": content.get("state"), "stage": stage, "clock": seconds})


async def report(request: Request) -> Response:
    """Return the report that a job wrote, to be framed by its page, or saved."""
    job = studio_of(request).jobs.job(request.path_params["name"])
    path = job.path / REPORT
    if not path.is_file():
        raise HTTPException(404)
    name = f"{job.result.get('file', 'report')}.html" if "save" in request.query_params else None
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return FileResponse(path, media_type="text/html", filename=name, headers=headers)


ROUTES = [Route("/{name}", show), Route("/{name}/state", state), Route("/{name}/report", report)]
