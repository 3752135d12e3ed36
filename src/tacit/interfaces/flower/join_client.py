"""The app of a node in a joint release: it hands the aggregator's messages to the party whose folder it has."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from flwr.app import Context, Message, RecordDict

from tacit.errors import InputError
from tacit.files import atomic
from tacit.interfaces.flower import messages
from tacit.interfaces.flower.answering import answering_app, replied
from tacit.releases.signature import private_key
from tacit.situations.joint.messages import as_array
from tacit.situations.joint.plan import SignedPlan
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError
from tacit.workflows.join_run import PartyFiles, open_session

PLAN_FILE = "joint.json"
# Message types: who a node is, and one message of the run.
PARTY, TALK = "query.party", "query.talk"
REQUEST, ANSWER = "request", "answer"


def party_home(context: Context) -> Path:
    """Return the node's folder, with ``join.toml`` and the signed plan: ``home`` of its configuration."""
    home = context.node_config.get("home")
    if home is None:
        raise InputError("start the SuperNode with --node-config 'home=\"FOLDER\"', a folder with join.toml.")
    return Path(str(home))


def party(message: Message, home: Path) -> RecordDict:
    """Return the number of the party in the plan that the message names; nothing private is read."""
    signed = _plan(home)
    if messages.unpack(message.content)[1].get("plan") != signed.plan.digest:
        raise JoinRefusedError(JoinRefusal.PLAN)
    number = signed.plan.number_of(private_key(PartyFiles.read(home).path("key")).public_key())
    return messages.answer({}, party=number)


def talk(message: Message, home: Path) -> RecordDict:
    """Return the party's signed answer to one message of the run.

    The session is made anew for every message: all that it knows is in its journal and its ledger.
    """
    request = messages.unpack(message.content)[0].get(REQUEST)
    if request is None:
        raise JoinRefusedError(JoinRefusal.MESSAGE)
    with _locked(home):
        session = open_session(_plan(home), PartyFiles.read(home))
        try:
            return messages.answer({ANSWER: as_array(session.reply(request.tobytes()))})
        finally:
            session.close()


def _plan(home: Path) -> SignedPlan:
    return SignedPlan.read(home / PLAN_FILE).require_signed()


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """Lock the folder: two messages at the same time are answered one after the other."""
    with (home / ".join.lock").open("ab") as file:
        (home / ".join.lock").chmod(atomic.OWNER_ONLY)
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


replied_content = partial(replied, place_of=party_home, codes=JoinRefusal)
app = answering_app({"party": party, "talk": talk}, replied_content)
