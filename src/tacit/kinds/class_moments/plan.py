"""What a release of class moments draws: one Gaussian query per record, or noise in every entry."""

from tacit.data.schemas.schema import Schema
from tacit.models.class_moments.features import count_weight, features_of, sums_mechanism
from tacit.models.entry_noise import entry_step
from tacit.privacy.account import Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Exact
from tacit.releases.kind import ReleasePlan

# Public bound on the length of a row's features.
ROW_NORM = 1.0
ENTRY_WHAT = "every entry of every row, of which class means and covariances are handed out"


def plan(schema: Schema, *, unit: Unit, epsilon: float, delta: float) -> ReleasePlan[None]:
    """Return what releasing a table with ``schema`` will draw; nothing is charged.

    ``unit="record"``: noisy class sums of public features and noisy class counts, one Gaussian query.
    ``unit="entry"``: every entry with noise of its own ([membership] Alg. 5).
    """
    schema.require_public_bounds()
    schema.require_classes()
    step = (
        record_step(schema, epsilon, delta) if unit is Unit.RECORD else entry_step(schema, epsilon, delta, ENTRY_WHAT)
    )
    exact = () if unit is Unit.RECORD else tuple(Exact)
    budget = Budget(epsilon, delta, unit=unit)
    return ReleasePlan(budget, (step,), len(schema.features), exact, schema=schema, details=None)


def record_step(schema: Schema, epsilon: float, delta: float) -> Step:
    """Return the one query per record: class sums of features of norm at most ROW_NORM, and weighted class counts."""
    n_features = features_of(schema).size
    mechanism = sums_mechanism(epsilon, delta, row_norm=ROW_NORM, n_features=n_features)
    return Step(
        mechanism,
        "class sums of public features of the rows, and class counts",
        f"adding one row moves one class sum of {n_features} features by at most {ROW_NORM:g}, to which its features "
        f"are shortened, and one count by 1, weighted {count_weight(ROW_NORM):g}",
    )
