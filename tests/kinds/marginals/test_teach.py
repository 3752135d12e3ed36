"""What a release of tables teaches: scores of the owner's label, or of one of its categories."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.adoption.sources.release_sources import release_source
from tacit.adoption.sources.source import LEAST_TRUST, MOST_TRUST
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


def release_of(labels: np.ndarray) -> Release:
    return KIND.release(ROWS.X, labels, SCHEMA, epsilon=3.0, delta=1e-6, random_state=0)


@pytest.fixture(scope="module")
def release() -> Release:
    return release_of(ROWS.y)


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


def test_the_label_comes_with_what_the_tables_say_of_it_beyond_noise(release: Release) -> None:
    quality = KIND.teach(release, receiver(SCHEMA)[0]).quality
    assert quality is not None
    assert quality.separation_z > 10
    assert quality.separation > 1
    assert quality.class_shares == pytest.approx(np.bincount(ROWS.y) / len(ROWS.y), abs=0.02)
    # Columns that the receiver lacks say nothing to it.
    ours = Schema((SCHEMA.columns[1], SCHEMA.columns[3], SCHEMA.columns[-1]))
    less = KIND.teach(release, receiver(ours)[0]).quality
    assert less is not None
    assert less.separation_z < 3
    assert less.size == quality.size


def test_a_release_of_shuffled_labels_is_not_trusted_without_labels(release: Release) -> None:
    nothing = release_of(np.random.default_rng(0).permutation(ROWS.y))
    source = release_source(nothing, receiver(SCHEMA)[0], name="nothing")
    assert source.reliability.clear_trust == LEAST_TRUST
    held = release_source(release, receiver(SCHEMA)[0], name="something")
    assert held.reliability.clear_trust == pytest.approx(MOST_TRUST, abs=0.01)


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
