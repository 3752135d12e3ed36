"""The app of a node: it answers from noisy rows, which are drawn once, after a charge on the node's own ledger."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from tacit.errors import InputError, TacitError
from tacit.interfaces.flower import messages
from tacit.interfaces.flower.party_folder import PartyFolder
from tacit.interfaces.flower.refusals import NodeRefusal
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.privacy.refusals import RefusedError, code_of
from tacit.situations.federated.party import make_private_party
from tacit.situations.federated.shared_filter import statistics_of

# Below Flower's own logger, so that `flwr run --stream` and the nodes' logs show it.
log = logging.getLogger("flwr.tacit")
app = ClientApp()


def party_folder_of(context: Context) -> PartyFolder:
    """Return the node's folder: ``home`` of its configuration, or in a simulation a folder of ``simulated-homes``."""
    own = context.node_config.get("home")
    if own is not None:
        return PartyFolder(Path(str(own)))
    parent = str(context.run_config.get("simulated-homes", ""))
    if not parent or "partition-id" not in context.node_config:
        raise InputError("start the SuperNode with --node-config 'home=\"FOLDER\"', a folder with party.toml.")
    return PartyFolder(Path(parent) / f"party-{context.node_config['partition-id']}")


def statistics(message: Message, folder: PartyFolder) -> RecordDict:
    """Return sums over the party's noisy rows; the first time the noise is charged and drawn."""
    private = private_rows(folder.rows(refit=_asks_refit(message)))
    return messages.answer(statistics_of(private).arrays(), name=folder.terms.name, spent=folder.spent())


def distances(message: Message, folder: PartyFolder) -> RecordDict:
    """Return the distance of each row in the message from each class that the party holds: [hull] eq. 104."""
    with _public_question():
        shared, rows = messages.read_question(messages.unpack(message.content)[0])
    private = private_rows(folder.rows())
    with _public_question():
        messages.require_fit(shared, n_features=private.rows.shape[1], n_classes=private.n_classes)
    party = make_private_party(private, shared)
    content = {"distances": party.distances(rows).astype(np.float32), "classes": party.classes}
    return messages.answer(content, name=folder.terms.name)


def rows(message: Message, folder: PartyFolder) -> RecordDict:
    """Return the noisy rows themselves, so that the aggregator keeps its queries: [hull] Remark 6."""
    if not folder.terms.hand_out:
        raise RefusedError(NodeRefusal.TERMS, "the party does not hand its noisy rows out (hand_out = false).")
    release = folder.rows(refit=_asks_refit(message))
    return messages.answer(dict(release.arrays), name=folder.terms.name, spent=folder.spent())


def replied_content(
    message: Message, context: Context, handler: Callable[[Message, PartyFolder], RecordDict]
) -> RecordDict:
    """Return what ``handler`` answers; an error is answered with a code that tells nothing about a row."""
    try:
        return handler(message, party_folder_of(context))
    except TacitError as problem:
        log.warning("refused: %s", problem)
        return messages.refusal(code_of(problem, NodeRefusal))
    except Exception as problem:
        log.exception("failed")
        return messages.refusal(code_of(problem, NodeRefusal))


def _asks_refit(message: Message) -> bool:
    with _public_question():
        return bool(messages.unpack(message.content)[1].get("refit", False))


@contextmanager
def _public_question() -> Iterator[None]:
    """Refuse as malformed what fails in the block, which looks at the question and at public numbers alone."""
    try:
        yield
    except InputError as problem:
        raise RefusedError(NodeRefusal.QUESTION, str(problem)) from problem


@app.query("statistics")
def _statistics(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, statistics), reply_to=message)


@app.query("distances")
def _distances(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, distances), reply_to=message)


@app.query("rows")
def _rows(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, rows), reply_to=message)
