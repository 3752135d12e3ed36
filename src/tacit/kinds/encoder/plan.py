"""What the release of an encoder draws: noisy moments of rows and public codes, layer by layer."""

from tacit.data.schemas.schema import Schema
from tacit.models.autoencoder.encoder import PlannedLayers, PrivateAutoencoder
from tacit.privacy.budget import Budget, Unit
from tacit.releases.kind import ReleasePlan

# As many units as the estimator has by default, fewer for narrow tables.
MOST_UNITS = 30


def plan(schema: Schema, *, unit: Unit, epsilon: float, delta: float) -> ReleasePlan[PlannedLayers]:
    """Return what releasing an encoder of a table with ``schema`` will draw; nothing is charged."""
    schema.require_public_bounds()
    width = len(schema.encoded_names)
    estimator = PrivateAutoencoder(epsilon, bounds=(0, 1), delta=delta, hidden=(min(MOST_UNITS, width),))
    layers = estimator.plan_layers(width)
    budget = Budget(epsilon, delta, unit=unit)
    return ReleasePlan(budget, layers.steps, len(schema.features), (), schema=schema, details=layers)
