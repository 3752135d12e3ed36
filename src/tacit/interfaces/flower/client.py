"""The app of a node: it answers from noisy rows drawn once, and charges its own ledger before drawing."""

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from tacit.errors import InputError, NotReleasableError, TacitError
from tacit.interfaces.flower import task
from tacit.interfaces.flower.home import Home
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.situations.federated.party import make_private_party
from tacit.situations.federated.shared_filter import statistics_of

# Below Flower's own logger, so that `flwr run --stream` and the nodes' logs show it.
log = logging.getLogger("flwr.tacit")
app = ClientApp()


def home_of(context: Context) -> Home:
    """Return the node's folder: ``home`` of the node's own settings, or in a simulation one folder of many."""
    own = context.node_config.get("home")
    if own is not None:
        return Home(Path(str(own)))
    shared = str(context.run_config.get("simulated-homes", ""))
    if not shared or "partition-id" not in context.node_config:
        raise InputError("start the SuperNode with --node-config 'home=\"FOLDER\"', a folder with party.toml.")
    return Home(Path(shared) / f"party-{context.node_config['partition-id']}")


def statistics(message: Message, home: Home) -> RecordDict:
    """Answer with sums over the party's noisy rows; the first time the noise is drawn and charged."""
    _, facts = task.unpack(message.content)
    private = private_rows(home.rows(refit=bool(facts.get("refit", False))))
    return task.answer(statistics_of(private).arrays(), name=home.terms.name, spent=home.spent())


def distances(message: Message, home: Home) -> RecordDict:
    """Answer with the distance of each asked row from each class that the party holds: [hull] eq. 104."""
    arrays, _ = task.unpack(message.content)
    shared, rows = task.read_question(arrays)
    party = make_private_party(private_rows(home.rows()), shared)
    found = party.distances(rows).astype(np.float32)
    return task.answer({"distances": found, "classes": party.classes}, name=home.terms.name)


def rows(message: Message, home: Home) -> RecordDict:
    """Answer with the noisy rows themselves, so that no question needs to be asked: [hull] Remark 6."""
    _, facts = task.unpack(message.content)
    if not home.terms.hand_out:
        raise NotReleasableError("the party does not hand its noisy rows out (hand_out = false).")
    release = home.rows(refit=bool(facts.get("refit", False)))
    return task.answer(dict(release.arrays), name=home.terms.name, spent=home.spent())


def replied_content(message: Message, context: Context, handler: Callable[[Message, Home], RecordDict]) -> RecordDict:
    """Return what ``handler`` answers; what goes wrong is told in words that hold nothing private."""
    try:
        return handler(message, home_of(context))
    except TacitError as problem:
        log.warning("refused: %s", problem)
        return task.refusal(str(problem))
    except Exception as problem:
        # An unforeseen error may quote private values: its name is told, no more.
        log.exception("failed")
        return task.refusal(f"the node failed with {type(problem).__name__}; its log says more.")


@app.query("statistics")
def _statistics(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, statistics), reply_to=message)


@app.query("distances")
def _distances(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, distances), reply_to=message)


@app.query("rows")
def _rows(message: Message, context: Context) -> Message:
    return Message(replied_content(message, context, rows), reply_to=message)
