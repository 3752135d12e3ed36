"""The card of a release: what it guarantees, in words and numbers.

Its fields follow what NIST SP 800-226 asks a guarantee to state (unit, parameters, trust model, mechanism, bounds,
composition) and what registries of differential-privacy deployments list.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from tacit import checks
from tacit.errors import InputError, UnknownEventError
from tacit.files.plain_text import printable_content
from tacit.privacy import accounting
from tacit.privacy.budget import Budget, Relation, Relations, Unit, relation_of, relations_of
from tacit.privacy.card_facts import CardFacts, LedgerHistory
from tacit.privacy.conversions import Claim, Exact, converted, exact_of, told_apart_by
from tacit.privacy.events import Event, RepeatedEvent, SequentialEvent, from_dict, to_dict, ways
from tacit.privacy.joint_facts import JointFacts
from tacit.privacy.spending import digits

CENTRAL = "central: the owner holds the raw table and adds the noise before anything leaves"
# Delta at which a record-level epsilon is stated beside an entry-level guarantee.
RECORD_DELTA = 1e-5
# Ways in which one unit may meet the events of a card that is read: each takes up to a tenth of a second to sum up.
MOST_WAYS = 64


@dataclass(frozen=True)
class Part:
    """One thing that a release carries: what it is, the mechanism with its settings, and why its sensitivity holds.

    ``exact`` says whether its noise follows its law exactly, ``relations`` which neighbours its event was proved for
    (none on cards from before relations were stated), ``rows`` how many rows of one person meet the mechanism.
    """

    what: str
    mechanism: Mapping[str, Any]
    because: str
    event: Event
    exact: bool = True
    relations: Relations = ()
    rows: int = 1


@dataclass(frozen=True)
class Guarantee:
    """Epsilon and delta for one kind of unit, such as ``"record of 784 entries"`` or ``"group of 2 records"``.

    ``epsilon`` is None where no finite one holds.
    """

    unit: str
    epsilon: float | None
    delta: float

    def __str__(self) -> str:
        if self.epsilon is None:
            return f"no guarantee at delta {number_text(self.delta)} for a {self.unit}"
        # Rounded up: a card promises no more than is proved.
        return f"epsilon {digits(self.epsilon, up=True)}, delta {number_text(self.delta)} for a {self.unit}"


@dataclass(frozen=True)
class AuditResult:
    """What an empirical audit of one part found: a lower bound on epsilon that holds with ``confidence``."""

    what: str
    claimed: float
    lower_bound: float
    confidence: float
    draws: int
    passed: bool


@dataclass(frozen=True)
class CardContent:
    """The fields of a card, and their form in files; `Card` documents each."""

    title: str
    unit: Unit
    epsilon: float
    delta: float
    adjacency: str
    parts: tuple[Part, ...]
    coarser: tuple[Guarantee, ...] = ()
    assumptions: tuple[str, ...] = ()
    not_protected: tuple[str, ...] = ()
    secure: bool = True
    warning: str = ""
    trust: str = CENTRAL
    ledger: Mapping[str, Any] | None = None
    audits: tuple[AuditResult, ...] = ()
    made: str = ""
    software: str = ""
    relation: Relation | None = None
    published: tuple[Exact, ...] | None = None
    rows_per_person: int | None = None
    facts: CardFacts = field(default_factory=CardFacts)
    history: LedgerHistory | None = None
    joint: JointFacts | None = None

    @property
    def holds(self) -> bool:
        """Whether the promise is kept: no warning, and noise that nobody can repeat."""
        return self.secure and not self.warning

    @property
    def event(self) -> Event:
        """Everything that was released, as one event of the card's unit and relation."""
        return SequentialEvent(tuple(self._event_of(part) for part in self.parts))

    def _event_of(self, part: Part) -> Event:
        if self.relation is None or not part.relations:
            return part.event
        return converted(Claim(part.event, self.unit, part.relations), self.unit, self.relation)

    def with_audits(self, audits: tuple[AuditResult, ...]) -> Self:
        """Return the same card with audit results on it."""
        return replace(self, audits=audits)

    def to_dict(self) -> dict[str, Any]:
        """Return the card as JSON-ready data."""
        content = asdict(self)
        content["unit"] = str(self.unit)
        content["relation"] = None if self.relation is None else str(self.relation)
        content["published"] = None if self.published is None else [str(each) for each in self.published]
        for written, part in zip(content["parts"], self.parts, strict=True):
            written["event"] = to_dict(part.event)
            written["relations"] = [str(each) for each in part.relations]
        if self.joint is None:
            del content["joint"]  # as cards were before there were joint releases
        return content

    def to_json(self) -> str:
        """Return the card as indented JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the card that ``content`` describes; anything malformed is an ``InputError``."""
        try:
            card = cls(**_parsed(printable_content(dict(content))))
            _require_accountable(card)
            return card
        except InputError:
            raise
        except RecursionError:
            raise InputError("the card is malformed: its events are nested too deeply.") from None
        except (TypeError, KeyError, ValueError, AttributeError, UnknownEventError) as problem:
            raise InputError(f"the card is malformed: {problem}") from problem


def number_text(value: Any) -> str:
    """Return six digits of a number, anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def coarser_guarantees(claim: Claim, budget: Budget) -> tuple[Guarantee, ...]:
    """Return what ``claim``, of the unit and relation of ``budget``, guarantees to coarser units at its delta.

    An entry-level event with noise in every entry is repeated for each entry of a record; its own delta mass adds up
    as often, and the record's epsilon is stated at that mass plus 1e-5, for a record that keeps what leaves exactly.
    An event per record or person is widened to groups of 2 and 5, and to a person if their rows are bounded.
    """
    if budget.unit is Unit.ENTRY:
        return (_whole_record(claim, budget),) if claim.n_features else ()
    if budget.unit is Unit.PAIR:
        return ()
    many = f"{budget.unit}s"
    exchanged = ", or one exchanged" if budget.relation is Relation.ADD_REMOVE else ""
    sizes = {f"group of 2 {many}{exchanged}": 2, f"group of 5 {many}": 5}
    if budget.unit is Unit.RECORD and claim.rows_per_person:
        sizes[f"person with at most {claim.rows_per_person} rows"] = claim.rows_per_person
    return group_guarantees(claim, budget, sizes)


def group_guarantees(claim: Claim, budget: Budget, sizes: Mapping[str, int]) -> tuple[Guarantee, ...]:
    """Return what ``claim`` guarantees at the budget's delta to groups, by name and number of units."""
    groups = ((name, accounting.at_group(claim.event, size)) for name, size in sizes.items())
    return tuple(_guarantee(name, group, budget.delta) for name, group in groups)


def _whole_record(claim: Claim, budget: Budget) -> Guarantee:
    n_features = claim.n_features or 1
    mass = n_features * accounting.delta(claim.event, epsilon=accounting.epsilon(claim.event, delta=budget.delta))
    kept = ", ".join(told_apart_by(claim.exact, Unit.RECORD, Relation.REPLACE))
    name = f"record of {n_features} entries" + (f" that keeps {kept} as they are" if kept else "")
    whole = accounting.at_record(claim.event, n_features)
    return _guarantee(name, whole, min(RECORD_DELTA + mass, accounting.LARGEST_DELTA))


def _guarantee(unit: str, event: Event, delta: float) -> Guarantee:
    epsilon = accounting.epsilon(event, delta=delta)
    return Guarantee(unit, epsilon if math.isfinite(epsilon) else None, delta)


def repeated(event: Event, times: int) -> Event:
    """Return ``event`` itself if it happens once."""
    return event if times == 1 else RepeatedEvent(event, times)


def _parsed(content: dict[str, Any]) -> dict[str, Any]:
    field_names = {each.name for each in fields(CardContent)}
    if not set(content) <= field_names:
        raise InputError(f"the card has fields that this version does not know: {sorted(set(content) - field_names)}.")
    content["unit"] = checks.one_of("unit", content["unit"], list(Unit))
    promise = Budget(content["epsilon"], content["delta"], unit=content["unit"])
    content.update(epsilon=promise.epsilon, delta=promise.delta)
    if content.get("relation") is not None:
        content["relation"] = relation_of(content["unit"], content["relation"])
    content["published"] = exact_of(content.get("published"))
    if content.get("rows_per_person") is not None:
        content["rows_per_person"] = checks.whole("rows_per_person", content["rows_per_person"])
    for name in ("title", "adjacency", "warning", "trust", "made", "software"):
        _require(content.get(name, ""), str, name)
    _require(content.get("secure", True), bool, "secure")
    content["parts"] = tuple(_part(each, content["unit"]) for each in _list(content, "parts"))
    content["coarser"] = tuple(_coarser(each) for each in _list(content, "coarser"))
    content["audits"] = tuple(_audited(each) for each in _list(content, "audits"))
    for name in ("assumptions", "not_protected"):
        content[name] = tuple(_require(each, str, name) for each in _list(content, name))
    if "facts" in content:
        content["facts"] = CardFacts.from_dict(content["facts"], source="the card's facts")
    if content.get("history") is not None:
        content["history"] = LedgerHistory.from_dict(content["history"])
    if content.get("joint") is not None:
        content["joint"] = JointFacts.from_dict(content["joint"])
    if content.get("ledger") is not None:
        content["ledger"] = dict(_require(content["ledger"], Mapping, "ledger"))
    return content


def _require_accountable(card: CardContent) -> None:
    """Raise InputError for events that nobody could sum up in a reasonable time."""
    count = math.prod(ways(part.event) for part in card.parts)
    if count > MOST_WAYS:
        raise InputError(
            f"the card's events can be met in {count:.3g} ways, more than {MOST_WAYS}; each is accounted for by "
            "itself. Ask its owner for a release whose parts have the same noise."
        )


def _part(content: Mapping[str, Any], unit: Unit) -> Part:
    rest = dict(content)
    relations = _require(rest.get("relations", ()), list | tuple, "relations")
    rest.update(event=from_dict(rest["event"]), mechanism=dict(rest["mechanism"]))
    part = Part(**{**rest, "relations": relations_of(unit, relations) if relations else ()})
    for name, kind in (("what", str), ("because", str), ("exact", bool)):
        _require(getattr(part, name), kind, name)
    checks.whole("rows", part.rows)
    return part


def _coarser(content: Mapping[str, Any]) -> Guarantee:
    guarantee = Guarantee(**content)
    _require(guarantee.unit, str, "coarser unit")
    if guarantee.epsilon is not None:
        checks.finite_array("the card's coarser epsilon", guarantee.epsilon)
    checks.fraction("the card's coarser delta", guarantee.delta, zero=True)
    return guarantee


def _audited(content: Mapping[str, Any]) -> AuditResult:
    result = AuditResult(**content)
    for name, kind in (("what", str), ("draws", int), ("passed", bool)):
        _require(getattr(result, name), kind, f"audit's {name}")
    for name in ("claimed", "lower_bound", "confidence"):
        _require(getattr(result, name), int | float, f"audit's {name}")
    return result


def _list(content: Mapping[str, Any], name: str) -> Sequence[Any]:
    values: Sequence[Any] = _require(content[name] if name == "parts" else content.get(name, ()), list | tuple, name)
    return values


def _require(value: Any, kind: Any, name: str) -> Any:
    if not isinstance(value, kind):
        raise InputError(f"the card's {name} must be of another type; got {type(value).__name__}.")
    return value
