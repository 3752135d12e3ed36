"""What a linear release draws: one perturbed logistic regression for each group of columns."""

from tacit.data.schemas.schema import Schema
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.planning import SplitPlan, SplitSettings
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.conversions import Exact
from tacit.records import record
from tacit.releases.kind import ReleasePlan


@record
class LinearDetails:
    """The estimator that learns the weights, and its own plan: for a public number of rows, or for any."""

    estimator: FeatureSplitClassifier
    split_plan: SplitPlan


def plan(
    schema: Schema,
    *,
    unit: Unit,
    epsilon: float,
    delta: float,
    n_rows: int | None = None,
    relation: Relation = Relation.REPLACE,
) -> ReleasePlan[LinearDetails]:
    """Return what releasing a table with ``schema`` and ``n_rows`` rows will draw; nothing is charged.

    The release is pure: ``delta`` is checked but not spent, and the budget has none. Columns are split into the groups
    that ``schema`` names; without any, they are one group. With relation "replace" the number of rows is public, like
    the schema; with "add-remove" nothing depends on it.
    """
    schema.require_public_bounds()
    schema.require_classes()
    Budget(epsilon, delta, unit=unit)
    settings, hidden = SplitSettings(relation=relation), relation is Relation.ADD_REMOVE
    estimator = FeatureSplitClassifier(epsilon, split=FeatureSplit.by_schema(schema), schema=schema, settings=settings)
    known_rows = None if hidden else n_rows or 1
    split_plan = estimator.split_plan(len(schema.encoded_names), known_rows, range(len(schema.classes)))
    budget = Budget(split_plan.epsilon, unit=unit, relation=relation)
    exact = () if hidden else (Exact.ROW_COUNT,)
    details = LinearDetails(estimator, split_plan)
    return ReleasePlan(budget, split_plan.steps, len(schema.features), exact, schema=schema, details=details)
