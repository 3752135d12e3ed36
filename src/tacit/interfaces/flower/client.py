"""The app of a node: it answers from noisy rows, which are drawn once, after a charge on the node's own ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from flwr.app import Context, Message, RecordDict

from tacit.errors import InputError
from tacit.interfaces.flower import messages
from tacit.interfaces.flower.answering import answering_app, replied
from tacit.interfaces.flower.party_folder import PartyFolder
from tacit.interfaces.flower.refusals import NodeRefusal
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.privacy.refusals import RefusedError
from tacit.situations.federated.party import make_private_party
from tacit.situations.federated.shared_filter import statistics_of


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


replied_content = partial(replied, place_of=party_folder_of, codes=NodeRefusal)
app = answering_app({"statistics": statistics, "distances": distances, "rows": rows}, replied_content)
