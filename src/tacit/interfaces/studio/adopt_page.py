"""The adopt page: releases of others and one's own table become a model, and the model predicts."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.errors import InputError
from tacit.interfaces.studio.bodies import read_form
from tacit.interfaces.studio.data_page import drop_zone, table_choices
from tacit.interfaces.studio.folder import PUBLIC_KEYS, RELEASES, TABLES
from tacit.interfaces.studio.forms import choice, field, submit, text_area, tick
from tacit.interfaces.studio.frame import note, panel, room_page, see, studio_of, words_of
from tacit.interfaces.studio.strings import Words
from tacit.pages.markup import Markup, tag
from tacit.workflows.models import is_model_file, is_release_file


async def overview(request: Request) -> Response:
    """Return the form of an adoption and that of a prediction."""
    words = words_of(request)
    drop = drop_zone(request, "/adopt/dropped", words("adopt.drop_here"), several=True)
    return room_page(
        request,
        "adopt",
        panel(words("adopt.drop"), words("adopt.drop_aside"), drop),
        panel(words("adopt.learn"), words("adopt.learn_aside"), _adopt_form(request, words)),
        panel(words("predict.title"), words("predict.aside"), _predict_form(request, words), id="predict"),
    )


def _adopt_form(request: Request, words: Words) -> Markup:
    folder = studio_of(request).folder
    releases = [name for name in folder.names(RELEASES) if is_release_file(folder.file(name))]
    tables = table_choices(folder, ready=False)
    if not releases or not tables:
        return tag("div", note(words("adopt.needs")), tag("a", words("nav.data"), href="/data/", class_="button"))
    keys = [("", words("review.no_key")), *((name, name) for name in folder.names(PUBLIC_KEYS))]
    ticks = [tick(name, "release", value=name, checked=len(releases) == 1) for name in releases]
    more = tag(
        "details",
        tag("summary", words("frame.more")),
        text_area(words("adopt.rename"), "rename", hint=words("adopt.rename_hint"), rows=2),
        choice(words("review.key"), "key", keys, hint=words("review.key_hint")),
    )
    return tag(
        "form",
        tag("fieldset", tag("legend", words("adopt.releases")), ticks),
        choice(words("adopt.table"), "table", tables, hint=words("adopt.table_hint")),
        field(words("adopt.output"), "output", value=folder.free("model.tacit"), required=True),
        more,
        submit(words("adopt.do")),
        method="post",
        action="/adopt/learn",
    )


def _predict_form(request: Request, words: Words) -> Markup:
    folder = studio_of(request).folder
    models = [(name, name) for name in folder.names(RELEASES) if is_model_file(folder.file(name))]
    tables = [(name, name) for name in folder.names(TABLES)]
    if not models or not tables:
        return tag("p", words("predict.needs"), class_="empty")
    return tag(
        "form",
        choice(words("predict.model"), "model", models, chosen=request.query_params.get("model", "")),
        choice(words("predict.table"), "rows", tables),
        field(words("predict.keep"), "keep", hint=words("predict.keep_hint")),
        field(words("adopt.output"), "predictions", value=folder.free("predictions.csv"), required=True),
        submit(words("predict.do")),
        method="post",
        action="/adopt/predict",
    )


async def dropped(request: Request) -> Response:
    """Take what was dropped: releases stay in the folder, a table is read next."""
    form, studio = await read_form(request), studio_of(request)
    names = [studio.folder.existing(name).name for name in form.texts("name")]
    tables = [name for name in names if name.lower().endswith(TABLES)]
    if not tables:
        return see("/adopt/")
    return see(f"/jobs/{studio.jobs.start('describe', {'table': tables[0]}).name}")


async def learn(request: Request) -> Response:
    """Start an adoption."""
    form, studio = await read_form(request), studio_of(request)
    releases = form.texts("release")
    if not releases:
        raise InputError("tick at least one release.")
    arguments = {
        "releases": releases,
        "table": form.text("table"),
        "output": _free(request, form.text("output"), (".tacit",)),
        "rename": _renamings(form.text("rename")),
        "key": form.text("key"),
    }
    return see(f"/jobs/{studio.jobs.start('adopt', arguments).name}")


async def predict(request: Request) -> Response:
    """Start a prediction."""
    form, studio = await read_form(request), studio_of(request)
    keep = [name.strip() for name in form.text("keep").split(",") if name.strip()]
    output = _free(request, form.text("predictions"), (".csv", ".parquet"))
    arguments = {"model": form.text("model"), "table": form.text("rows"), "keep": keep, "output": output}
    return see(f"/jobs/{studio.jobs.start('predict', arguments).name}")


def _free(request: Request, name: str, endings: tuple[str, ...]) -> str:
    if not name.lower().endswith(endings):
        raise InputError(f"the name must end in {' or '.join(endings)}; got {name!r}.")
    if studio_of(request).folder.file(name).exists():
        raise InputError(f"{name} exists already. Choose another name.")
    return name


def _renamings(text: str) -> dict[str, str]:
    """Return the owners' class names and ours from lines like ``yes = ill``."""
    pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
    for theirs, mark, ours in pairs:
        if not (theirs.strip() and mark and ours.strip()):
            raise InputError(f"a line must be like theirs = ours; got {theirs + mark + ours!r}.")
    return {theirs.strip(): ours.strip() for theirs, _, ours in pairs}


ROUTES = [
    Route("/", overview),
    Route("/dropped", dropped, methods=["POST"]),
    Route("/learn", learn, methods=["POST"]),
    Route("/predict", predict, methods=["POST"]),
]
