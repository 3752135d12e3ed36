"""The app of a node: it answers from noisy rows, which are drawn once, after a charge on the node's own ledger."""

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from tacit.errors import InputError, NotReleasableError, TacitError
from tacit.interfaces.flower import messages
from tacit.interfaces.flower.party_folder import PartyFolder
from tacit.kinds.noisy_rows.rows import private_rows
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
    _, facts = messages.unpack(message.content)
    private = private_rows(folder.rows(refit=bool(facts.get("refit", False))))
    return messages.answer(statistics_of(private).arrays(), name=folder.terms.name, spent=folder.spent())


def distances(message: Message, folder: PartyFolder) -> RecordDict:
    """Return the distance of each row in the message from each class that the party holds: [hull] eq. 104."""
    arrays, _ = messages.unpack(message.content)
    shared, rows = messages.read_question(arrays)
    party = make_private_party(private_rows(folder.rows()), shared)
    content = {"distances": party.distances(rows).astype(np.float32), "classes": party.classes}
    return messages.answer(content, name=folder.terms.name)


def rows(message: Message, folder: PartyFolder) -> RecordDict:
    """Return the noisy rows themselves, so that the aggregator keeps its queries: [hull] Remark 6."""
    _, facts = messages.unpack(message.content)
    if not folder.terms.hand_out:
        raise NotReleasableError("the party does not hand its noisy rows out (hand_out = false).")
    release = folder.rows(refit=bool(facts.get("refit", False)))
    return messages.answer(dict(release.arrays), name=folder.terms.name, spent=folder.spent())


def replied_content(
    message: Message, context: Context, handler: Callable[[Message, PartyFolder], RecordDict]
) -> RecordDict:
    """Return what ``handler`` answers; an error is answered with a message that holds nothing private."""
    try:
        return handler(message, party_folder_of(context))
    except TacitError as problem:
        log.warning("refused: %s", problem)
        return messages.refusal(str(problem))
    except Exception as problem:
        # The message of an unforeseen error may quote private values: only the error's type is sent.
        log.exception("failed")
        return messages.refusal(f"the node failed with {type(problem).__name__}; its log says more.")


@app.query("statistics")
def _statistics(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, statistics), reply_to=message)


@app.query("distances")
def _distances(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, distances), reply_to=message)


@app.query("rows")
def _rows(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, rows), reply_to=message)
