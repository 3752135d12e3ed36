"""A node's app answers each query by its handler, and errors by codes of its protocol."""

from typing import Any

import pytest

pytest.importorskip("flwr", reason="needs flwr: pip install 'tacit-knowledge[federated]'")

from functools import partial

from flwr.app import Context, Message, RecordDict
from flwr.supercore.task_identity import TaskIdentity

from tacit.errors import BudgetExceededError, InputError
from tacit.interfaces.flower import client, join_client, messages
from tacit.interfaces.flower.answering import answering_app, replied
from tacit.interfaces.flower.refusals import NodeRefusal
from tacit.privacy.refusals import RefusedError


@pytest.fixture(autouse=True)
def flower_task(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_task_id", "_run_id", "_node_id"):  # Flower sets them before an app runs
        monkeypatch.setattr(TaskIdentity, name, 1)


def answered(app: Any, query: str, **config: Any) -> dict[str, Any]:
    message = Message(messages.pack({}, {}), dst_node_id=1, message_type=f"query.{query}")
    return messages.unpack(app(message, Context(0, 1, config, RecordDict(), {})).content)[1]


def refusing(problem: Exception) -> Any:
    def handler(message: Message, place: str) -> RecordDict:
        raise problem

    return handler


def test_each_query_reaches_its_own_handler_with_the_place_of_its_node() -> None:
    reply = partial(replied, place_of=lambda context: str(context.node_config["home"]), codes=NodeRefusal)
    handlers = {
        "first": lambda _, place: messages.answer({}, said=f"first at {place}"),
        "second": lambda _, place: messages.answer({}, said=f"second at {place}"),
    }
    app = answering_app(handlers, reply)
    for name in handlers:
        assert answered(app, name, home="clinic") == {"status": messages.ANSWERED, "said": f"{name} at clinic"}
    with pytest.raises(ValueError, match="third"):
        answered(app, "third", home="clinic")


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (RefusedError(NodeRefusal.TERMS, "row 7"), "terms"),
        (BudgetExceededError("0.3 is left"), "budget"),
        (InputError("row 7 of column 'age'"), "unavailable"),
        (ZeroDivisionError("row 7"), "unavailable"),
    ],
)
def test_an_error_becomes_a_code_and_nothing_else(problem: Exception, code: str) -> None:
    reply = partial(replied, place_of=lambda _: "", codes=NodeRefusal)
    app = answering_app({"rows": refusing(problem)}, reply)
    assert answered(app, "rows") == {"status": messages.REFUSED, "code": code}


def test_the_apps_answer_the_messages_that_aggregators_send() -> None:
    for app, queries in (
        (client.app, (messages.STATISTICS, messages.DISTANCES, messages.ROWS)),
        (join_client.app, (join_client.PARTY, join_client.TALK)),
    ):
        for query in queries:
            # Without a home the node cannot answer, which only a registered handler says in this way.
            facts = answered(app, query.removeprefix("query."))
            assert facts == {"status": messages.REFUSED, "code": "unavailable"}
