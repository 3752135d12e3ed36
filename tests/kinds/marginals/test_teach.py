"""What a release of tables teaches: scores of the owner's label, or of one of its categories."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.marginals import KIND
from tacit.kinds.marginals.teach import target_column
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable

ROWS = encode(people(4000), SCHEMA)
OURS = people(800, seed=8)


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(ROWS.X, ROWS.y, SCHEMA, epsilon=3.0, delta=1e-6, random_state=0)


def receiver(schema: Schema) -> tuple[ReceiverTable, np.ndarray]:
    rows = encode(OURS.select([column.name for column in schema.columns]), schema)
    return ReceiverTable(schema, rows.X, np.arange(0), np.zeros(0, dtype=np.intp)), rows.y


def accuracy(release: Release, schema: Schema) -> float:
    table, y = receiver(schema)
    lesson = KIND.teach(release, table)
    scores = lesson.candidates[0][0](table.X)
    codes = np.array([lesson.classes[int(code)] for code in y])
    return float((scores.argmax(axis=1) == codes).mean())


def test_the_owners_label_is_scored_without_any_labels_of_ours(release: Release) -> None:
    assert accuracy(release, SCHEMA) > 0.7


def test_our_classes_may_stand_in_another_order(release: Release) -> None:
    turned = replace(SCHEMA, columns=(*SCHEMA.features, Label("outcome", ("worse", "well", "ill"))))
    assert accuracy(release, turned) == pytest.approx(accuracy(release, SCHEMA))


def test_a_category_of_the_owner_may_be_our_label(release: Release) -> None:
    features = [column for column in SCHEMA.features if column.name != "grade"]
    ours = Schema((*features, Label("grade", tuple("hgfedcba"))))
    assert target_column(ours, SCHEMA) == 4
    assert accuracy(release, ours) > 0.7


def test_fewer_columns_and_other_bounds_are_enough(release: Release) -> None:
    ours = Schema((Numeric("age", (0, 100), integer=True), Numeric("points", (1, 8), integer=True), SCHEMA.columns[-1]))
    assert accuracy(release, ours) > 0.6


def test_a_label_that_the_owner_does_not_have_is_refused(release: Release) -> None:
    ours = Schema((*SCHEMA.features, Label("colour", ("red", "blue"))))
    table = ReceiverTable(ours, ROWS.X[:5], np.arange(0), np.zeros(0, dtype=np.intp))
    with pytest.raises(InputError, match="share at least two classes"):
        KIND.teach(release, table)


def test_nothing_shared_teaches_nothing(release: Release) -> None:
    ours = Schema((Numeric("height", (0, 1)), SCHEMA.columns[-1]))
    table = ReceiverTable(ours, np.zeros((3, 1)), np.arange(0), np.zeros(0, dtype=np.intp))
    lesson = KIND.teach(release, table)
    assert lesson.candidates == ()
    assert "no column is shared" in lesson.note
