"""The gate, the forms and the command, each by itself."""

from pathlib import Path
from typing import Any

import pytest
import typer
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from tests.interfaces.studio.client import ORIGIN, Pages, run_apart

from tacit.errors import InputError
from tacit.interfaces.cli import studio as command
from tacit.interfaces.studio.access import Access
from tacit.interfaces.studio.forms import choice, field, radio, text_area, tick
from tacit.interfaces.studio.gate import COOKIE, HEADERS, LOOPBACK, Gate, session_key


class Door:
    """A gate before an application that says "in"."""

    def __init__(self, hosts: tuple[str, ...] = LOOPBACK, port: int = 8123, scheme: str = "http") -> None:
        tokens: list[str] = []
        self.access = Access(tokens.append)
        self.access.announce_token()
        self.key = self.access.enter(tokens[0]) or ""
        self.gate = Gate(PlainTextResponse("in"), self.access, hosts)
        self.server, self.scheme = ("127.0.0.1", port), scheme

    def __call__(self, method: str = "GET", path: str = "/data/", **headers: str) -> tuple[int, dict[str, str]]:
        sent: list[Any] = []
        host = f"{self.server[0]}:{self.server[1]}"
        given = {"host": host, "cookie": f"{COOKIE}={self.key}", **headers}
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
        scope = {"type": "http", "method": method, "path": path, "headers": pairs, "server": self.server,
                 "scheme": self.scheme, "query_string": b"", "root_path": ""}  # fmt: skip

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        async def send(message: Any) -> None:
            sent.append(message)

        run_apart(self.gate(scope, receive, send))
        return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


@pytest.mark.parametrize(
    ("hosts", "port", "host", "status"),
    [
        (LOOPBACK, 8123, "127.0.0.1:8123", 200),
        (LOOPBACK, 8123, "localhost:8123", 200),
        (LOOPBACK, 8123, "[::1]:8123", 200),
        (LOOPBACK, 8123, "127.0.0.1", 421),
        (LOOPBACK, 8123, "127.0.0.1:8124", 421),
        (LOOPBACK, 8123, "studio.example:8123", 421),
        (LOOPBACK, 80, "localhost", 200),
        (LOOPBACK, 80, "localhost:80", 200),
        (("studio.example",), 8123, "studio.example:8123", 200),
        (("studio.example",), 8123, "127.0.0.1:8123", 421),
    ],
)
def test_only_names_of_the_studio_are_answered(hosts: tuple[str, ...], port: int, host: str, status: int) -> None:
    assert Door(hosts, port)(host=host)[0] == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_a_change_needs_the_origin_of_the_studio(method: str) -> None:
    door = Door()
    assert door(method)[0] == 403
    for origin in (
        "null",
        "http://evil.example",
        "https://127.0.0.1:8123",
        "http://127.0.0.1:8124",
        "http://localhost:8123",
    ):
        assert door(method, origin=origin)[0] == 403
    assert door(method, origin="http://127.0.0.1:8123")[0] == 200
    assert door(method, host="localhost:8123", origin="http://localhost:8123")[0] == 200


def test_over_tls_the_origin_is_that_of_tls() -> None:
    door = Door(scheme="https")
    assert door("POST", origin="http://127.0.0.1:8123")[0] == 403
    assert door("POST", origin="https://127.0.0.1:8123")[0] == 200


def test_without_a_session_pages_lead_to_the_way_in_and_scripts_are_told() -> None:
    door = Door()
    door.key = "x"
    status, headers = door()
    assert (status, headers["location"]) == (303, "/enter")
    assert door(path="/jobs/x/state")[0] == 401
    assert door("POST", origin="http://127.0.0.1:8123")[0] == 401
    for path in ("/enter", "/enter/again", "/static/studio.js"):
        assert door(path=path)[0] == 200
    assert door(path="/staticx")[0] == 303


def test_every_answer_gets_the_headers_and_what_a_page_sets_stays() -> None:
    door = Door()
    for headers in (door()[1], door(host="evil.example")[1], door("POST")[1]):
        assert HEADERS.items() <= headers.items()
    door.gate = Gate(PlainTextResponse("in", headers={"Cache-Control": "no-cache"}), door.access, LOOPBACK)
    assert door()[1]["cache-control"] == "no-cache"


@pytest.mark.parametrize("cookie", ["", "=", ";;;", f"{COOKIE}", "other=1", f"{COOKIE}x=1", "\x00\x01=2"])
def test_a_cookie_that_is_none_gives_no_key(cookie: str) -> None:
    assert session_key(Headers({"cookie": cookie})) == ""
    assert session_key(Headers({"cookie": f"a=b; {COOKIE}=key; c=d"})) == "key"


def test_every_field_has_a_label_and_its_hint_is_found() -> None:
    box = field("Age <b>", "age", value='"x"', hint="in years", required=True)
    assert '<label for="age">Age &lt;b&gt;</label>' in box
    assert 'aria-describedby="age-hint"' in box
    assert 'id="age-hint"' in box
    assert 'value="&quot;x&quot;"' in box
    assert "required" in box
    assert "aria-describedby" not in text_area("Text", "text")
    assert text_area("Text", "text", value="<a>").count("&lt;a&gt;") == 1


def test_a_list_has_one_choice_or_leaves_it_to_the_browser() -> None:
    options = [("a", "A"), ("", "none")]
    assert "selected" not in choice("List", "list", options)
    assert choice("List", "list", options, chosen="").count("selected") == 1
    assert 'value="a" selected' in choice("List", "list", options, chosen="a")
    assert "checked" in tick("Yes", "yes", checked=True)
    assert 'type="radio"' in radio("One", "which", "1", hint="the first")


def test_uploads_go_through_the_gate_and_appear_whole(tmp_path: Path) -> None:
    pages = Pages(tmp_path)
    sent = {"headers": {"Origin": ORIGIN}, "content": b"a\n" + b"1\n" * 400_000}
    answer = pages.ask("PUT", "/upload?name=t.csv", **sent)
    assert answer.json() == {"name": "t.csv"}
    assert (tmp_path / "t.csv").read_bytes() == sent["content"]
    too_long = pages.ask("PUT", "/upload?name=u.csv", headers={"Origin": ORIGIN}, content=b"x" * ((1 << 20) + 1))
    assert too_long.status_code == 413
    assert "at most 1,048,576 bytes" in too_long.json()["error"]
    assert not list(tmp_path.glob("u*"))
    saved = pages.ask("GET", "/files/t.csv")
    assert saved.content == sent["content"]
    assert "attachment" in saved.headers["content-disposition"]


@pytest.mark.parametrize(
    ("chain", "key", "words"), [("a.pem", None, "belong together"), (None, "a.pem", "belong together")]
)
def test_a_certificate_comes_with_its_key(chain: str | None, key: str | None, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        command._tls(*(None if name is None else tmp_path / name for name in (chain, key)))
    with pytest.raises(InputError, match="no such file"):
        command._tls(tmp_path / "a.pem", tmp_path / "b.pem")
    assert command._tls(None, None) is None


def test_a_password_is_asked_for_only_where_others_can_come_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(command.VARIABLE, raising=False)
    assert command._password(required=False) is None
    monkeypatch.setattr(typer, "prompt", lambda *_, **__: "typed and long enough")
    typed = command._password(required=True)
    assert typed is not None
    assert typed.matches("typed and long enough")
    monkeypatch.setenv(command.VARIABLE, "short")
    with pytest.raises(InputError, match="12 characters"):
        command._password(required=False)


def test_names_of_the_host_are_added_to_those_it_has() -> None:
    assert command._hosts("127.0.0.1", ["studio.local"], local=True) == (*LOOPBACK, "studio.local")
    assert command._hosts("0.0.0.0", ["studio.example"], local=False) == ("0.0.0.0", "studio.example")
