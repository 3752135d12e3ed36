"""The encoder as a release: planned for the table's width, learned without labels, taught as features."""

from dataclasses import replace

import numpy as np
import pytest
from tests.kinds.two_hospitals import OWNER, PROMISE, STRANGER, owner_rows, receiver, receiver_rows

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.encoder import KIND
from tacit.kinds.encoder.plan import MOST_UNITS
from tacit.kinds.encoder.teach import stored_features
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.releases.file import Release


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(*owner_rows(), OWNER, **PROMISE)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [2, 50])
def test_narrow_tables_have_as_many_units_as_columns(width: int) -> None:
    schema = Schema((*(Numeric(f"x{k}", (0.0, 1.0)) for k in range(width)), Label("y", ("a", "b"))))
    plan = KIND.plan(schema, unit="record", epsilon=1.0, delta=1e-6)
    X = np.random.default_rng(0).random((60, width))
    made = KIND.make(plan, X, np.arange(60) % 2, random_state=0)
    units = PrivateAutoencoder.from_release(made).stack()(X).shape[1]
    assert units == min(width, MOST_UNITS)


def test_labels_are_not_read() -> None:
    X, y = owner_rows()
    by_labels = [KIND.release(X, labels, OWNER, **PROMISE) for labels in (y, 1 - y)]  # type: ignore[arg-type]
    first, second = (made.arrays for made in by_labels)
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_features_are_the_codes_of_our_rows_in_the_owners_columns(release: Release) -> None:
    features = KIND.teach(release, receiver()).features
    assert features is not None
    X, _ = receiver_rows(30, seed=4)
    theirs = np.column_stack([X[:, 2] / 2, np.full(30, 0.5), X[:, 1], X[:, 0]])
    assert np.allclose(features(X), PrivateAutoencoder.from_release(release).stack()(theirs))


def test_features_survive_being_taken_apart(release: Release) -> None:
    features = KIND.teach(release, receiver()).features
    assert features is not None
    X, _ = receiver_rows(30, seed=4)
    assert np.allclose(stored_features(*features.to_parts())(X), features(X))


def test_it_names_no_classes(release: Release) -> None:
    assert not KIND.teach(release, receiver()).classes


def test_a_table_that_shares_nothing_gets_no_features(release: Release) -> None:
    lesson = KIND.teach(release, receiver(STRANGER))
    assert lesson.features is None
    assert lesson.note == "no column is shared by name"


def test_an_encoder_without_a_schema_says_how_to_get_one(release: Release) -> None:
    with pytest.raises(InputError, match="tacit release --method encoder"):
        KIND.teach(replace(release, schema=None), receiver())
