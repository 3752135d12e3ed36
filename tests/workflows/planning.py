"""Terms of an owner for tests of plans."""

from tacit.data.schemas.schema import Schema
from tacit.workflows.release import OwnerTerms, owner_terms


def terms_of(schema: Schema, *, unit: str, epsilon: float = 1.0, delta: float = 1e-6) -> OwnerTerms:
    promise = {"epsilon": epsilon, "delta": delta, "unit": unit}
    nothing = dict.fromkeys(("person", "rows_per_person", "bad_records", "ledger", "random_state", "facts"))
    return owner_terms(schema, **promise, **nothing)  # type: ignore[arg-type]
