"""What the commands of ``tacit desk`` share: opening the desk, and finding its log."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from tacit.data.schemas.file import read_schema
from tacit.errors import InputError
from tacit.interfaces.cli.desk.options import DeskOptions
from tacit.interfaces.cli.outputs import counted
from tacit.interfaces.cli.spend import warnings_on_stderr
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.architecture import read_architecture
from tacit.situations.feedback.desk.desk import Desk
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms, rows_digest
from tacit.situations.feedback.desk.usefulness import USEFUL_NOISE, useful_epsilon, useful_words
from tacit.workflows.tables import contribution, ledger_of, rows_in_memory, warn_of_repeating, with_person


def open_desk(table: Path, options: DeskOptions, book: Ledger | None) -> Desk:
    """Read the rows, say what the terms are worth, then open the desk, which charges the ledger."""
    rules = with_person(read_schema(options.schema), options.person)
    rules.require_public_bounds()
    architecture = read_architecture(options.model, rules)
    with warnings_on_stderr():
        # Without an account nothing is promised, but a desk that starts again must read the same rows.
        seed = 0 if book is None else None
        kept = contribution(rules, unit=None, rows=options.rows_per_person, ledger=book, random_state=seed)
        rows, facts = rows_in_memory(table, rules, kept)
        if options.epsilon is not None:
            warn_of_repeating(Budget(options.epsilon, options.delta, unit=kept.unit), facts.repeating)
    terms = DeskTerms(
        architecture,
        n_rows=len(rows.X),
        rows=rows_digest(rows.X, rows.y),
        rows_per_person=kept.rows,
        **options.terms(),
    )
    for words in advice(terms):
        Console(stderr=True).print(Text.assemble(("note: ", "bold yellow"), words), highlight=False, soft_wrap=True)
    scorer = Scorer(rows.X, rows.y, architecture, metric=terms.metric)
    return Desk.open(scorer, terms, options.log or table.with_suffix(".desk"), ledger=ledger_of(book, rules))


def advice(terms: DeskTerms) -> list[str]:
    """Return what an owner should know before the desk opens: what useful noise costs, and what this noise is."""
    delta = terms.delta
    needed = useful_epsilon(max(terms.n_rows // (terms.rows_per_person or 1), 1), terms.queries, delta=delta)
    useful = (
        f"{terms.queries:,} queries on {counted(terms.n_rows, 'record')} take {useful_words(needed)} "
        f"at delta {delta:g} for noise of {USEFUL_NOISE:g}, "
        "with which a search still gains most of what exact scores would give"
    )
    if terms.epsilon is None:
        return [
            f"no --epsilon: answers are exact but for rounding, and no promise holds. {useful}. "
            "`tacit audit desk` shows what leaks."
        ]
    notes = [f"{useful}; at epsilon {terms.epsilon:g} the noise is {terms.noise:.2g}."]
    if terms.noise > 2 * USEFUL_NOISE:
        notes.append(
            "A search will hardly learn from such answers: fewer queries, more records or more epsilon would help."
        )
    return notes


def existing_log(path: Path) -> DeskLog:
    """Return the log of a desk at ``path``; refuse to make a new one there."""
    if not path.exists():
        raise InputError(f"there is no log at {path}. `tacit desk provider add` and `tacit desk serve` make one.")
    return DeskLog(path)
