"""What a service refuses tells nothing about a row: fixed codes go out, the rest stays in the owner's log."""

import http.client
import json
import logging
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs flwr: pip install 'tacit-knowledge[federated]'")
pytest.importorskip("fastapi", reason="needs fastapi: pip install 'tacit-knowledge[serve]'")


from tacit import Budget, Ledger
from tacit.errors import InputError
from tacit.interfaces.desk.app import make_app
from tacit.interfaces.desk.server import make_server, run_server
from tacit.interfaces.flower import client, messages
from tacit.interfaces.flower.party_folder import PartyFolder
from tacit.interfaces.flower.refusals import NodeRefusal
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.parameters import encode_parameters
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

ROWS = "50,neg,no\n60,pos,yes\n70,neg,yes\n"
SCHEMA = """
version = 1
[columns.age]
kind = "numeric"
bounds = [0, 110]
[columns.hiv]
kind = "categorical"
categories = ["pos", "neg"]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
BAD_ROWS = {
    "missing category": "44,,no\n",
    "missing number": ",pos,no\n",
    "missing label": "44,pos,\n",
    "unknown category": "44,maybe,no\n",
    "text for a number": "old,pos,no\n",
    "ragged": "44,pos,no,extra\n",
    "not text": "44,p\x00s,no\n",
}


def asked(folder: Path, rows: str, *, terms: str = "", question: Any = None, handler: Any = client.statistics) -> Any:
    """Return the facts that a node with this table sends to the aggregator."""
    folder.mkdir()
    (folder / "table.csv").write_text("age,hiv,ill\n" + rows)
    (folder / "schema.toml").write_text(SCHEMA)
    (folder / "party.toml").write_text(f'name = "clinic"\nepsilon = 1.0\ndelta = 1e-9\n{terms}')
    Ledger.create(folder / "party.ledger", Budget(2.0, 1e-6, unit="entry"))
    message: Any = SimpleNamespace(content=messages.pack({}, {"refit": False}) if question is None else question)
    context: Any = SimpleNamespace(node_config={"home": str(folder)}, run_config={})
    return messages.unpack(client.replied_content(message, context, handler))[1]


def test_a_node_says_the_same_of_every_bad_row(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert asked(tmp_path / "sound", ROWS)["status"] == messages.ANSWERED
    with caplog.at_level(logging.WARNING, logger="flwr.tacit"):
        replies = [asked(tmp_path / name, ROWS + row) for name, row in BAD_ROWS.items()]
    refused = [facts for facts in replies if facts["status"] != messages.ANSWERED]
    assert len(refused) >= 5
    # Equal in every fact, and nothing of the table in any of them.
    assert all(facts == {"status": messages.REFUSED, "code": "unavailable"} for facts in refused)
    assert "hiv" in caplog.text  # the owner reads what is wrong


def test_an_unforeseen_error_is_not_named_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(self: object, *, refit: bool = False) -> None:
        raise ZeroDivisionError("row 17 is 42")

    monkeypatch.setattr(PartyFolder, "rows", explode)
    assert asked(tmp_path / "party", ROWS) == {"status": messages.REFUSED, "code": "unavailable"}


def test_public_reasons_have_codes_of_their_own(tmp_path: Path) -> None:
    assert asked(tmp_path / "keeps", ROWS, handler=client.rows)["code"] == NodeRefusal.TERMS
    refit = messages.pack({}, {"refit": True})
    assert asked(tmp_path / "once", ROWS, question=refit)["code"] == NodeRefusal.TERMS
    wrong = messages.pack({}, {})
    assert asked(tmp_path / "asked", ROWS, question=wrong, handler=client.distances)["code"] == NodeRefusal.QUESTION


def test_a_spent_ledger_is_a_code_too(tmp_path: Path) -> None:
    first = asked(tmp_path / "party", ROWS, terms="refit = true\n")
    folder = tmp_path / "party"
    message: Any = SimpleNamespace(content=messages.pack({}, {"refit": True}))
    context: Any = SimpleNamespace(node_config={"home": str(folder)}, run_config={})
    codes = [
        messages.unpack(client.replied_content(message, context, client.statistics))[1].get("code") for _ in range(3)
    ]
    assert first["status"] == messages.ANSWERED
    assert codes[-1] == NodeRefusal.BUDGET


def test_the_aggregator_prints_its_own_words_for_codes_and_none_of_a_node_s() -> None:
    assert len({code.sentence for code in NodeRefusal}) == len(NodeRefusal)
    assert NodeRefusal.read("unavailable") is NodeRefusal.UNAVAILABLE
    assert NodeRefusal.read("\x1b[2J row 4") is NodeRefusal.UNKNOWN
    assert "row 4" not in NodeRefusal.UNKNOWN.sentence


@contextmanager
def served(app: Any) -> Iterator[int]:
    """Serve ``app`` on a free port, which is given, in a thread."""
    addresses: queue.Queue[str] = queue.Queue()
    server = make_server(app, host="127.0.0.1", port=0)
    thread = threading.Thread(target=run_server, args=(server, addresses.put))
    thread.start()
    try:
        yield int(addresses.get(timeout=30).rsplit(":", 1)[1])
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("problem", [ZeroDivisionError("row 17 is 42"), InputError("row 17"), MemoryError()])
def test_a_desk_says_the_same_of_every_error_within(
    tmp_path: Path, problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, candidates: object) -> None:
        raise problem

    architecture = Architecture("linear", 1, 1)
    with DeskLog(tmp_path / "x.desk").writing() as transaction:
        transaction.add(Provider("ann", token_digest("token"), 5))
    scorer = Scorer(np.array([[0.0], [1.0]]), np.array([0, 1]), architecture, metric="accuracy")
    desk = Desk.open(scorer, DeskTerms(architecture, "accuracy", 2, 5, 2), tmp_path / "x.desk")
    monkeypatch.setattr(Scorer, "__call__", broken)
    body = encode_parameters(np.array([1.0, 0.5]), architecture)
    with served(make_app(desk, owner_key="key")) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("POST", "/v1/queries/q-1", body, {"Authorization": "Bearer token"})
        reply = connection.getresponse()
        content = json.loads(reply.read())
        connection.close()
    assert reply.status == 503
    assert content == {"error": "the desk cannot answer now; ask again with the same id."}
