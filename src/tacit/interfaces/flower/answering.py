"""How a node answers: each query by its handler, and an error by a code that tells nothing about a row."""

import logging
from collections.abc import Callable, Mapping
from typing import TypeVar

from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from tacit.errors import TacitError
from tacit.interfaces.flower import messages
from tacit.privacy.refusals import RefusalCode, code_of

# Below Flower's own logger, so that `flwr run --stream` and the nodes' logs show it.
log = logging.getLogger("flwr.tacit")

# What a handler answers from: the folder of the node's party.
PartyPlace = TypeVar("PartyPlace")
Handler = Callable[[Message, PartyPlace], RecordDict]


def replied(
    message: Message,
    context: Context,
    handler: Handler[PartyPlace],
    *,
    place_of: Callable[[Context], PartyPlace],
    codes: type[RefusalCode],
) -> RecordDict:
    """Return what ``handler`` answers from the node's place; an error becomes one of the protocol's ``codes``."""
    try:
        return handler(message, place_of(context))
    except TacitError as problem:
        log.warning("refused: %s", problem)
        return messages.refusal(code_of(problem, codes))
    except Exception as problem:
        log.exception("failed")
        return messages.refusal(code_of(problem, codes))


def answering_app(
    handlers: Mapping[str, Handler[PartyPlace]], reply: Callable[[Message, Context, Handler[PartyPlace]], RecordDict]
) -> ClientApp:
    """Return an app that answers each query in ``handlers``, named without ``query.``, by ``reply``."""
    app = ClientApp()
    for name, handler in handlers.items():

        def answer(message: Message, context: Context, handler: Handler[PartyPlace] = handler) -> Message:
            return Message(reply(message, context, handler), reply_to=message)

        app.query(name)(answer)
    return app
