import numpy as np
import pytest

from tacit.audit.attacks.target import schema_of_release
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS

SCHEMA = Schema((Numeric("x", (0, 1)), Numeric("z", (0, 1)), Label("ill", ("no", "yes"))))


def test_a_schema_with_the_same_columns_and_classes_is_answered_with_the_releases_own() -> None:
    X, y = np.array([[0.0, 0.5], [1.0, 0.5]]), np.array([0, 1])
    release = CLASS_MOMENTS.release(X, y, SCHEMA, unit="record", epsilon=1.0, delta=1e-6, random_state=0)
    wider = Schema((Numeric("x", (0, 9)), Numeric("z", (0, 9)), Label("ill", ("no", "yes"))))
    # Bounds may be stated otherwise: rows arrive encoded.
    assert schema_of_release(release, wider) == schema_of_release(release, SCHEMA)
    for other in (
        Schema((Numeric("x", (0, 1)), Label("ill", ("no", "yes")))),
        Schema((Numeric("x", (0, 1)), Numeric("z", (0, 1)), Label("ill", ("no", "maybe")))),
    ):
        with pytest.raises(InputError, match=r"columns and classes of the release\. Leave --schema out"):
            schema_of_release(release, other)
