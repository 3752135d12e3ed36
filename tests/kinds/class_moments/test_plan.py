import numpy as np
import pytest
from tests.kinds.two_hospitals import OWNER, owner_rows

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import SchemaError
from tacit.kinds.class_moments import KIND
from tacit.kinds.class_moments.plan import ROW_NORM, record_step
from tacit.models.class_moments.features import count_weight, features_of
from tacit.privacy.conversions import Exact


def test_no_row_moves_the_query_by_more_than_its_sensitivity() -> None:
    """The oracle: class sums and weighted counts with and without each row of a table with extreme corners."""
    step = record_step(OWNER, 1.0, 1e-6)
    X, y = owner_rows(50)
    X[:4] = np.array([[0, 0, 1, 0], [1, 1, 0, 1], [1, 1, 1, 0], [0.5, 0.5, 0, 1]])
    features = features_of(OWNER)(X)

    def query(kept: np.ndarray) -> np.ndarray:
        rows, codes = features[kept], y[kept]
        sums = [rows[codes == c].sum(axis=0) for c in (0, 1)]
        counts = [count_weight(ROW_NORM) * (codes == c).sum() for c in (0, 1)]
        return np.concatenate([*sums, counts])

    everyone = np.arange(len(X))
    whole = query(everyone)
    moved = [np.linalg.norm(whole - query(np.delete(everyone, row))) for row in everyone]
    assert max(moved) <= step.mechanism.sensitivity
    assert max(moved) > 0.3 * step.mechanism.sensitivity, "a bound that no row comes near would waste noise"


def test_per_entry_the_classes_and_counts_are_said_to_be_exact() -> None:
    by_unit = {unit: KIND.plan(OWNER, unit=unit, epsilon=1.0, delta=1e-6) for unit in KIND.units}
    assert {str(unit): plan.exact for unit, plan in by_unit.items()} == {"record": (), "entry": tuple(Exact)}


def test_bounds_read_from_rows_and_tables_without_classes_are_refused() -> None:
    without = Schema((Numeric("age", (0.0, 1.0)),))
    guessed = Schema(OWNER.columns, bounds_from_data=True)
    for schema, words in ((without, "a label with at least two classes"), (guessed, "bounds_from_data is true")):
        with pytest.raises(SchemaError, match=words):
            KIND.plan(schema, unit="record", epsilon=1.0, delta=1e-6)


def test_a_query_has_as_many_coordinates_as_classes_share_features() -> None:
    wide = Schema((*(Numeric(f"x{k}", (0.0, 1.0)) for k in range(7)), Label("y", ("a", "b", "c"))))
    step = record_step(wide, 1.0, 1e-6)
    assert f"{features_of(wide).size} features" in step.because
