"""A party of a joint release from its files, and a run of all parties in one process to try it out."""

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from tacit.errors import BudgetExceededError, InputError, TacitError
from tacit.files.atomic import require_output
from tacit.files.regular import FilePath, reason
from tacit.privacy.ledger import Ledger
from tacit.records import record
from tacit.releases.file import Release, write_release
from tacit.releases.kind import ReleasePlan, Spend
from tacit.releases.signature import SigningKey, private_key
from tacit.situations.joint.aggregator import Aggregator, Traffic
from tacit.situations.joint.journal import AnswerBook, FolderJournal
from tacit.situations.joint.local_channel import LocalChannel
from tacit.situations.joint.messages import FINISHED, OPEN, UPLOAD, opened
from tacit.situations.joint.party import PartySession, PartyTable
from tacit.situations.joint.plan import JointPlan, PlanMember, SignedPlan
from tacit.workflows.card_details import with_record_policy
from tacit.workflows.tables import Progress, contribution, ledger_of, no_progress, private_rows, warn_of_rows

PARTY_FILE = "join.toml"


@dataclass(frozen=True)
class PartyFiles:
    """What a party has for a joint release, from its ``join.toml``: paths are relative to that file."""

    folder: Path
    table: str
    ledger: str
    key: str
    """The private rows, their account, and the private key that is named in the plan."""
    journal: str = "join"
    """The folder in which what was said in a run is kept."""

    @classmethod
    def read(cls, path: FilePath) -> Self:
        """Return the files that the TOML file at ``path``, or ``join.toml`` of a folder, names."""
        source = Path(path) / PARTY_FILE if Path(path).is_dir() else Path(path)
        try:
            settings = tomllib.loads(source.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
            raise InputError(f"{source} cannot be read: {reason(problem)}.") from problem
        allowed = {field.name for field in fields(cls)} - {"folder"}
        wrong = not {"table", "ledger", "key"} <= set(settings) <= allowed
        if wrong or not all(isinstance(value, str) for value in settings.values()):
            raise InputError(f"{source} must give table, ledger and key as text, and may give journal.")
        return cls(source.parent, **settings)

    def path(self, name: str) -> Path:
        """Return the path of the file called ``name`` here."""
        return self.folder / str(getattr(self, name))

    def journal_of(self, plan: JointPlan) -> FolderJournal:
        """Return the journal of one plan."""
        return FolderJournal(self.path("journal") / plan.digest[:32])


def open_session(
    signed: SignedPlan, files: PartyFiles, *, key: SigningKey | None = None, progress: Progress = no_progress
) -> PartySession:
    """Return the session of the party that ``files`` belong to; its rows are read when it opens."""
    plan, rules = signed.require_signed().plan, signed.plan.rules
    ledger = ledger_of(files.path("ledger"), rules)
    if ledger is None:
        raise InputError("a joint release needs a ledger.")
    kept = contribution(rules, unit=plan.unit, rows=plan.rows_per_person, ledger=ledger, random_state=None)
    rows = private_rows(files.path("table"), rules, kept, streams=plan.kind.streams, progress=progress)

    def make(release_plan: ReleasePlan[Any], spend: Spend) -> Release:
        release = plan.kind.make_from_rows(release_plan, rows, spend)
        return replace(release, card=with_record_policy(release.card, rules))

    own = private_key(files.path("key") if key is None else key)
    return PartySession(signed, own, PartyTable(rows, ledger, make), files.journal_of(plan))


@record
class JoinedRun:
    """What a run gave: the release, why parties are not in it, and what was sent."""

    release: Release
    exclusions: dict[str, str]
    traffic: Traffic


def run_join(
    plan: FilePath,
    parties: Sequence[FilePath],
    *,
    output: FilePath,
    force: bool = False,
    keys: Sequence[SigningKey] | None = None,
    progress: Progress = no_progress,
) -> JoinedRun:
    """Return the joint release of parties whose files all lie on this machine, and write it to ``output``.

    The aggregator's journal lies beside ``output``: a run that was broken off goes on where it stood. Everything is
    checked before the first ledger is charged.
    """
    signed, own = SignedPlan.read(plan).require_signed(), [PartyFiles.read(path) for path in parties]
    inputs = [Path(plan), *(files.path(name) for files in own for name in ("table", "ledger", "key"))]
    require_output(Path(output), force=force, inputs=inputs)
    with _sessions(signed, own, keys, progress) as sessions:
        _require_ready(signed.plan, sessions)
        channel = LocalChannel(sessions)
        journal = FolderJournal(Path(output).parent / f".join-{signed.plan.digest[:32]}")
        aggregator = Aggregator(signed, channel, journal, progress)
        try:
            release = aggregator.run()
        except TacitError as problem:
            raise _explained(problem, channel) from problem
    write_release(release, output)
    return JoinedRun(release, aggregator.exclusions, aggregator.traffic)


@contextmanager
def _sessions(
    signed: SignedPlan, own: Sequence[PartyFiles], keys: Sequence[SigningKey] | None, progress: Progress
) -> Iterator[dict[int, PartySession]]:
    with ExitStack() as stack:
        sessions: dict[int, PartySession] = {}
        for place, files in enumerate(own):
            key = None if keys is None else keys[place]
            session = open_session(signed, files, key=key, progress=progress)
            stack.callback(session.close)
            if session.number in sessions:
                raise InputError(
                    f"{files.folder}: the party {signed.plan.parties[session.number].name!r} is given twice."
                )
            sessions[session.number] = session
        yield sessions


def _require_ready(plan: JointPlan, sessions: dict[int, PartySession]) -> None:
    """Raise an error, before anything is charged, if a run of these parties cannot end well."""
    if len(sessions) < plan.minimum:
        raise InputError(f"parties must be at least {plan.minimum}, the plan's minimum; got {len(sessions)}.")
    for number, session in sessions.items():
        try:
            session.require_ready()
        except TacitError as problem:
            raise InputError(f"{plan.parties[number].name}: {problem}") from problem
        warn_of_rows(plan.release_plan, session.facts)


def _explained(problem: TacitError, channel: LocalChannel) -> TacitError:
    """Return the error with what went wrong at the parties, all of which are the caller's own here."""
    reasons = " ".join(str(each) for each in channel.problems.values())
    return InputError(f"{problem} {reasons}".strip())


def party_facts(signed: SignedPlan, files: PartyFiles) -> dict[str, Any]:
    """Return where a party stands: whether the plan was charged or fits its ledger, and how far its run has come."""
    plan, ledger = signed.plan, Ledger(files.path("ledger"))
    number = plan.number_of(private_key(files.path("key")).public_key())
    charged = next((line for line in ledger.lines() if line.key == plan.digest), None)
    book = AnswerBook(files.journal_of(plan))
    uploads, finished = book.answered(UPLOAD), _finished(book, plan.parties[number])
    facts: dict[str, Any] = {
        "name": plan.parties[number].name,
        "charged_line": None if charged is None else charged.number,
        "epsilon_left": ledger.left(),
        "opened": book.answered(OPEN) > 0,
        # The last upload is the release itself, no answer to a query.
        "queries_answered": uploads - finished,
        "finished": finished,
    }
    return facts | ({"fits": _fits(ledger, plan.release_plan)} if charged is None else {})


def _finished(book: AnswerBook, party: PlanMember) -> bool:
    """Return whether the party has sent the finished release: its last upload."""
    uploads = book.answered(UPLOAD)
    if not uploads:
        return False
    last = opened(book.answer(UPLOAD, uploads - 1), party.public_key)
    return bool(last.facts.get("status") == FINISHED)


def _fits(ledger: Ledger, plan: ReleasePlan[Any]) -> bool:
    try:
        ledger.preview(plan.claim)
    except BudgetExceededError:
        return False
    return True
