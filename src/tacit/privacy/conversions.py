"""What a release that was proved for one kind of neighbours costs another kind: a rule with its proof, or a refusal.

Neighbours are a unit and a relation. Two tables that are neighbours of the target kind are joined by a chain of tables
of which each two in a row are neighbours of the source kind; a chain of k costs what a group of k units costs
(``accounting.at_group``). `CHAINS` names the chain for every pair of kinds that has one. There is none

- from `replace` to `add-remove`: neighbours under `replace` have equally many rows, so no chain joins tables of
  different lengths, and releases with that proof publish the number of rows;
- from an entry to a record that is added or removed, for the same reason;
- from a person exchanged for one with as many rows to one record exchanged: the new row may be another person's;
- between pairs and anything else: one record takes part in any number of pairs.

What leaves exactly (``Exact``) has no noise, so a claim holds only for neighbours that agree in it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self, TypedDict

from tacit import checks
from tacit.errors import InputError
from tacit.privacy import accounting
from tacit.privacy.budget import ONLY_REPLACED, Relation, Relations, Unit, relations_of
from tacit.privacy.events import Event


class Exact(StrEnum):
    """What a release publishes without noise."""

    ROW_COUNT = "row count"
    LABELS = "labels"
    CLASS_COUNTS = "class counts"


class ClaimDetails(TypedDict, total=False):
    """What a claim says beside its event and unit, as `Claim.checked` takes it."""

    relation: Relation | str | Iterable[Relation | str] | None
    exact: Iterable[Exact | str] | None
    n_features: int | None
    noise_per_entry: bool
    rows_per_person: int | None
    warning: str


@dataclass(frozen=True)
class Claim:
    """An event with whom it speaks of, and the facts that converting it needs.

    Parameters
    ----------
    event : Event
        What one unit loses.
    unit : Unit
    relations : tuple of Relation
        Every relation for which the event is proved, at the same cost.
    exact : tuple of Exact or None
        What leaves without noise; None: not stated, so that nothing can be said of coarser units.
    n_features : int or None
        Entries in one record.
    noise_per_entry : bool
        Whether every entry has independent noise of its own.
    rows_per_person : int or None
        The most rows of one person that the release read, by a bound that was applied before it; None: no bound.
    warning : str
        Why nothing is guaranteed although the event says so (seeded noise, a printed algorithm that leaks); or empty.
    """

    event: Event
    unit: Unit
    relations: Relations
    exact: tuple[Exact, ...] | None = None
    n_features: int | None = None
    noise_per_entry: bool = False
    rows_per_person: int | None = None
    warning: str = ""

    @classmethod
    def checked(
        cls,
        event: Event,
        *,
        unit: Unit | str,
        relation: Relation | str | Iterable[Relation | str] | None = None,
        exact: Iterable[Exact | str] | None = None,
        n_features: int | None = None,
        noise_per_entry: bool = False,
        rows_per_person: int | None = None,
        warning: str = "",
    ) -> Self:
        """Return the claim, each part checked; ``relation`` may name one relation or several."""
        of = checks.one_of("unit", unit, list(Unit))
        return cls(
            event,
            of,
            relations_of(of, relation),
            exact_of(exact),
            None if n_features is None else checks.whole("n_features", n_features),
            bool(noise_per_entry),
            None if rows_per_person is None else checks.whole("rows_per_person", rows_per_person),
            warning,
        )


Neighbours = tuple[Unit, Relation]
ADDED_RECORD: Neighbours = (Unit.RECORD, Relation.ADD_REMOVE)
REPLACED_RECORD: Neighbours = (Unit.RECORD, Relation.REPLACE)
CHANGED_ENTRY: Neighbours = (Unit.ENTRY, Relation.REPLACE)
ADDED_PERSON: Neighbours = (Unit.PERSON, Relation.ADD_REMOVE)
# One person's rows become those of another with as many rows: the number of rows stays public.
REPLACED_PERSON: Neighbours = (Unit.PERSON, Relation.REPLACE)


def _entries(claim: Claim) -> int:
    if claim.n_features is None:
        raise InputError(
            "n_features must be given to charge an event per entry on a ledger per record: "
            "it is the number of entries in one record."
        )
    return claim.n_features


def _rows(claim: Claim) -> int:
    if claim.rows_per_person is None:
        raise InputError(
            "rows_per_person must be given to charge an event per record or entry on a ledger per person: the most "
            "rows of one person that the release reads. Bound contributions first: `tacit release --person COLUMN "
            "--rows-per-person K` does."
        )
    return claim.rows_per_person


# (source, target): the length of the chain of source neighbours between two target neighbours.
CHAINS: dict[tuple[Neighbours, Neighbours], Callable[[Claim], int]] = {
    # The old row out, the new row in.
    (ADDED_RECORD, REPLACED_RECORD): lambda _: 2,
    # A row with a changed entry is another row: out and in.
    (ADDED_RECORD, CHANGED_ENTRY): lambda _: 2,
    # A row with a changed entry is one row exchanged.
    (REPLACED_RECORD, CHANGED_ENTRY): lambda _: 1,
    # A record exchanged for another changes its entries one after the other; exact labels would have to agree.
    (CHANGED_ENTRY, REPLACED_RECORD): _entries,
    # A person's rows come or go one after the other.
    (ADDED_RECORD, ADDED_PERSON): _rows,
    # All rows of one person out, all of the other in.
    (ADDED_RECORD, REPLACED_PERSON): lambda claim: 2 * _rows(claim),
    # As many rows, exchanged one after the other.
    (REPLACED_RECORD, REPLACED_PERSON): _rows,
    (CHANGED_ENTRY, REPLACED_PERSON): lambda claim: _entries(claim) * _rows(claim),
    # The person with the row out, the person without it in (or the other way round); bounding may pick other rows.
    (ADDED_PERSON, ADDED_RECORD): lambda _: 2,
    # The old row's person and the new row's person, each out as they were and in as they are.
    (ADDED_PERSON, REPLACED_RECORD): lambda _: 4,
    (ADDED_PERSON, REPLACED_PERSON): lambda _: 2,
    # The person as they were out, as they are in.
    (ADDED_PERSON, CHANGED_ENTRY): lambda _: 2,
    # The same person with as many rows, one of them changed.
    (REPLACED_PERSON, CHANGED_ENTRY): lambda _: 1,
}


def exact_of(disclosures: Iterable[Exact | str] | None) -> tuple[Exact, ...] | None:
    """Return what leaves exactly, in a fixed order; None stays None."""
    if disclosures is None:
        return None
    if isinstance(disclosures, str):
        raise InputError(f"exact must be a list of {', '.join(repr(str(each)) for each in Exact)}; got a text.")
    facts = {checks.one_of("exact", each, list(Exact)) for each in disclosures}
    return tuple(each for each in Exact if each in facts)


def told_apart_by(exact: Iterable[Exact] | None, unit: Unit, relation: Relation) -> tuple[Exact, ...]:
    """Return what of ``exact`` may differ between two neighbours: whoever reads it tells them apart with certainty.

    A record or person more or less changes the number of rows, labels and class counts; an exchanged one changes
    labels and class counts, not the number of rows; a changed entry is a feature's cell and changes none of them.
    """
    if unit in ONLY_REPLACED:
        return ()
    same = (Exact.ROW_COUNT,) if relation is Relation.REPLACE else ()
    return tuple(each for each in exact or () if each not in same)


def converted(claim: Claim, unit: Unit, relation: Relation) -> Event:
    """Return what ``claim`` costs one ``unit`` under ``relation``; an InputError with the way out if nothing is proved.

    Of several relations that the claim is proved for, the one with the shortest chain counts.
    """
    if unit is not claim.unit and Unit.PAIR in (unit, claim.unit):
        raise InputError(_refusal(claim, unit, relation))
    _require_noise(claim, unit, relation)
    if unit is claim.unit and relation in claim.relations:
        return claim.event
    chains = [CHAINS.get(((claim.unit, proved), (unit, relation))) for proved in claim.relations]
    sizes = [chain(claim) for chain in chains if chain is not None]
    if not sizes:
        raise InputError(_refusal(claim, unit, relation))
    if claim.unit is Unit.ENTRY and claim.noise_per_entry:
        # Each entry of the record meets noise of its own: independent releases, which compose, and composition
        # never costs more than a chain.
        return accounting.at_record(claim.event, min(sizes))
    return accounting.at_group(claim.event, min(sizes))


def _require_noise(claim: Claim, unit: Unit, relation: Relation) -> None:
    if claim.unit is Unit.ENTRY and unit is not Unit.ENTRY and claim.exact is None:
        raise InputError(
            "exact must be stated to charge an event per entry on a ledger per record: what the release publishes "
            f"without noise, of {', '.join(repr(str(each)) for each in Exact)}. Charge it on a ledger per entry."
        )
    shown = told_apart_by(claim.exact, unit, relation)
    if shown:
        way_out = "Charge it on a ledger per entry, or release them with noise, per record."
        if shown == (Exact.ROW_COUNT,):
            way_out = "Keep a ledger with relation 'replace' for it, or make the release in a form that hides it."
        raise InputError(
            f"unit {unit.value!r} with relation {relation.value!r} has no guarantee for this release: it publishes "
            f"{', '.join(shown)} without noise, so that neighbours are told apart with certainty. {way_out}"
        )


def _refusal(claim: Claim, unit: Unit, relation: Relation) -> str:
    """Return why ``claim`` says nothing about ``unit`` under ``relation``, and the way out."""
    if Unit.PAIR in (claim.unit, unit):
        return (
            f"unit must be {unit.value!r} on this ledger; got {claim.unit.value!r}. One record may take part in any "
            "number of pairs, so neither unit converts into the other: keep a ledger for each."
        )
    if claim.unit is Unit.PERSON and relation is Relation.REPLACE:
        return (
            f"unit must be {unit.value!r} on this ledger; got 'person' with relation 'replace', which says nothing "
            "about a row that becomes another person's. Keep a ledger per person for it, or charge the release's "
            "event per record."
        )
    return (
        f"relation must be {relation.value!r} on this ledger; got 'replace', which compares tables of equally many "
        f"rows and says nothing about one {unit} more or less. Keep a ledger with relation 'replace' for it, or make "
        "the release in a form that does not publish the number of rows."
    )
