"""The review page: a release or a card is read, recomputed, audited, compared with the ledger, and signed."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.errors import InputError
from tacit.interfaces.studio.bodies import read_form
from tacit.interfaces.studio.card_files import is_card_file, require_card_file
from tacit.interfaces.studio.data_page import drop_zone
from tacit.interfaces.studio.folder import CARDS, LEDGERS, PRIVATE_KEYS, PUBLIC_KEYS, RELEASES, TABLES, split_name
from tacit.interfaces.studio.forms import choice, field, submit, tick
from tacit.interfaces.studio.frame import panel, room_page, see, studio_of, words_of
from tacit.interfaces.studio.strings import Words
from tacit.pages.markup import Markup, tag
from tacit.releases.signature import generate_key, save_key, save_public_key


async def overview(request: Request) -> Response:
    """Return the releases and cards of the folder, and a place to drop one."""
    words, folder = words_of(request), studio_of(request).folder
    names = [*folder.names(RELEASES), *(name for name in folder.names(CARDS) if is_card_file(folder.file(name)))]
    public = [("", words("review.no_key")), *((name, name) for name in folder.names(PUBLIC_KEYS))]
    form = tag(
        "form",
        choice(
            words("review.file"), "file", [(name, name) for name in names], chosen=request.query_params.get("file", "")
        ),
        choice(words("review.key"), "key", public, hint=words("review.key_hint")),
        submit(words("review.read")),
        method="post",
        action="/review/read",
    )
    listed = form if names else tag("p", words("review.none"), class_="empty")
    drop = drop_zone(request, "/review/dropped", words("review.drop_here"))
    return room_page(
        request,
        "review",
        panel(words("review.choose"), words("review.choose_aside"), listed),
        panel(words("review.drop"), words("review.drop_aside"), drop),
        panel(words("keys.title"), words("keys.aside"), _key_form(request, words)),
    )


def _key_form(request: Request, words: Words) -> Markup:
    keys = studio_of(request).folder.names((*PRIVATE_KEYS, *PUBLIC_KEYS))
    listed = tag("ul", [tag("li", tag("a", name, href=f"/files/{name}")) for name in keys]) if keys else None
    form = tag(
        "form",
        field(words("keys.name"), "name", value="ours", required=True),
        field(words("keys.owner"), "owner"),
        field(words("keys.passphrase"), "passphrase", type_="password", hint=words("keys.passphrase_hint")),
        submit(words("keys.make"), plain=True),
        method="post",
        action="/review/key",
    )
    return tag("div", listed, tag("details", tag("summary", words("keys.new")), form))


async def read(request: Request) -> Response:
    """Start to read a release or a card."""
    form, studio = await read_form(request), studio_of(request)
    file = studio.folder.existing(form.text("file"))
    return see(f"/jobs/{studio.jobs.start('card', {'file': file.name, 'key': form.text('key')}).name}")


async def dropped(request: Request) -> Response:
    """Start to read what was dropped."""
    form, studio = await read_form(request), studio_of(request)
    name = studio.folder.existing(form.text("name")).name
    if not name.lower().endswith((*RELEASES, *CARDS, *TABLES)):
        raise InputError(f"{name} is neither a release (*.tacit) nor a card (*.json).")
    if name.lower().endswith(CARDS):
        require_card_file(studio.folder.file(name))
    return see(f"/jobs/{studio.jobs.start('card', {'file': name}).name}")


async def audit(request: Request) -> Response:
    """Start to audit a release or a card."""
    form, studio = await read_form(request), studio_of(request)
    return see(f"/jobs/{studio.jobs.start('audit', {'file': form.text('file')}).name}")


async def verify(request: Request) -> Response:
    """Start to compare a release with a ledger."""
    form, studio = await read_form(request), studio_of(request)
    arguments = {"file": form.text("file"), "account": form.text("account")}
    return see(f"/jobs/{studio.jobs.start('verify', arguments).name}")


async def sign(request: Request) -> Response:
    """Start to sign a release, which its reader says to have read."""
    form, studio = await read_form(request), studio_of(request)
    if form.text("read") != "on":
        raise InputError("read the card first, and say that you did.")
    arguments = {"file": form.text("file"), "key": form.text("key")}
    return see(f"/jobs/{studio.jobs.start('sign', arguments, secret=form.text('passphrase')).name}")


async def make_key(request: Request) -> Response:
    """Make a key pair, as ``tacit key new`` does."""
    form, folder = await read_form(request), studio_of(request).folder
    private, public = (folder.file(f"{split_name(form.text('name'))[0]}{ending}") for ending in (".key", ".pub"))
    if public.exists():
        raise InputError(f"{public.name} exists already: receivers may hold it. Choose another name.")
    key = generate_key()
    save_key(key, private, passphrase=form.text("passphrase") or None)
    save_public_key(key.public_key(), public, owner=form.text("owner"))
    return see("/review/")


def sign_form(request: Request, file: str) -> Markup:
    """Return the form that signs ``file``, or the way to a key."""
    words, folder = words_of(request), studio_of(request).folder
    keys = [(name, name) for name in folder.names(PRIVATE_KEYS)]
    if not keys:
        return tag("p", words("keys.none"), " ", tag("a", words("keys.new"), href="/review/"))
    return tag(
        "form",
        tag("input", type="hidden", name_="file", value=file),
        choice(words("sign.key"), "key", keys),
        field(words("keys.passphrase"), "passphrase", type_="password", hint=words("sign.passphrase_hint")),
        tick(words("sign.read"), "read", required=True),
        submit(words("sign.do")),
        method="post",
        action="/review/sign",
    )


def audit_form(request: Request, file: str) -> Markup:
    """Return the buttons that audit ``file`` and compare it with a ledger of the folder."""
    words, folder = words_of(request), studio_of(request).folder
    hidden = tag("input", type="hidden", name_="file", value=file)
    audits = tag("form", hidden, submit(words("review.audit"), plain=True), method="post", action="/review/audit")
    ledgers = [(name, name) for name in folder.names(LEDGERS)]
    if not ledgers or not file.endswith(".tacit"):
        return tag("div", audits, class_="buttons")
    accounts = choice(words("review.account"), "account", ledgers)
    compare = tag(
        "form", hidden, accounts, submit(words("review.compare"), plain=True), method="post", action="/review/verify"
    )
    return tag("div", audits, compare)


ROUTES = [
    Route("/", overview),
    Route("/read", read, methods=["POST"]),
    Route("/dropped", dropped, methods=["POST"]),
    Route("/audit", audit, methods=["POST"]),
    Route("/verify", verify, methods=["POST"]),
    Route("/sign", sign, methods=["POST"]),
    Route("/key", make_key, methods=["POST"]),
]
