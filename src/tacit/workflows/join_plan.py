"""Plan a joint release, sign the plan, and say what it costs; nothing is charged."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import require_output
from tacit.files.regular import FilePath
from tacit.kinds.registry import all_kinds, kind_for
from tacit.privacy.budget import DEFAULT_DELTA, Unit
from tacit.privacy.joint_account import outside_epsilon
from tacit.releases.signature import SigningKey, TrustedKey, key_text, private_key, public_key
from tacit.situations.joint.plan import JointPlan, PlanMember, SignedPlan
from tacit.workflows.tables import as_schema, chosen_unit

# The most rows of one party unless the plan says otherwise: room for a large owner, and totals of 64 bits stay exact.
ROWS = 1_000_000


def plan_join(
    schema: Schema | FilePath,
    parties: Mapping[str, TrustedKey],
    *,
    epsilon: float,
    delta: float = DEFAULT_DELTA,
    method: str | None = None,
    unit: Unit | str | None = None,
    rows_per_person: int | None = None,
    colluding: int = 1,
    minimum: int | None = None,
    rows: int = ROWS,
    output: FilePath | None = None,
    force: bool = False,
) -> SignedPlan:
    """Return the plan of one release by several owners, unsigned, and write it if ``output`` is given.

    Parameters
    ----------
    schema : Schema or path
        Public facts about every party's table, the same for all.
    parties : mapping of str to Ed25519 public key or path
        Names and keys of all that take part.
    epsilon, delta : float
        What one unit loses to the aggregator together with ``colluding`` parties.
    method : str or None
        Of a kind whose queries are sums; None: the default of the schema.
    unit : {"record", "person"} or None
        None: a person if the schema names the column, else a record.
    rows_per_person : int or None
        With unit "person"; None: as the schema says. A person with rows at two parties counts as two.
    colluding : int
        How many parties may pool what they know with the aggregator.
    minimum : int or None
        How many parties must be in every total; with fewer than all, noise is larger and some may drop out. None: all.
    rows : int
        The most rows of one party, a public number.
    output : path or None
    """
    rules = as_schema(schema)
    if output is not None:
        require_output(Path(output), force=force, inputs=[Path(schema)] if not isinstance(schema, Schema) else [])
    chosen = chosen_unit(rules, unit)
    if chosen is Unit.PERSON and rows_per_person is None and rules.person is not None:
        rows_per_person = rules.person.rows
    kind = kind_for(method, rules, chosen)
    if not kind.sums:
        methods = ", ".join(each.method for each in all_kinds() if each.sums)
        raise InputError(f"method must be one whose queries are sums over rows: {methods}; got {kind.method!r}.")
    plan = JointPlan(
        method=kind.method,
        schema=rules.to_dict(),
        epsilon=epsilon,
        delta=delta,
        unit=str(chosen),
        parties=tuple(PlanMember(name, key_text(public_key(key))) for name, key in parties.items()),
        colluding=colluding,
        minimum=len(parties) if minimum is None else minimum,
        rows=rows,
        rows_per_person=rows_per_person,
    )
    _ = plan.release_plan  # a plan that cannot be kept is refused before anyone signs it
    unsigned = SignedPlan(plan)
    if output is not None:
        unsigned.write(output)
    return unsigned


def sign_join(path: FilePath, key: SigningKey) -> SignedPlan:
    """Return the plan at ``path`` with the signature of one more party, and write it back."""
    private = private_key(key)
    signed = SignedPlan.read(path).signed(private)
    _ = signed.plan.release_plan
    signed.write(path)
    return signed


def plan_facts(signed: SignedPlan) -> dict[str, Any]:
    """Return what a party should know before it signs: what is asked, what it costs and against whom."""
    plan = signed.plan
    return {
        "digest": plan.digest,
        "method": plan.method,
        "columns": [column.name for column in plan.rules.columns],
        "epsilon": plan.epsilon,
        "delta": plan.delta,
        "unit": plan.unit,
        "colluding": plan.colluding,
        "minimum": plan.minimum,
        "outside_epsilon": outside_epsilon(plan.release_plan),
        "most_rows": plan.rows,
        "parties": [
            {"name": party.name, "key": party.key, "signed": number in signed.signatures}
            for number, party in enumerate(plan.parties)
        ],
    }
