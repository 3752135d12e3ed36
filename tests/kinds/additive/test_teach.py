"""What an additive release says of a receiver's rows."""

import numpy as np
import pytest
from tests.kinds.additive.test_make import SCHEMA, rows

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.kinds.additive import KIND
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable

NO_ROWS = np.zeros(0, np.intp)


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(*rows(5000), SCHEMA, epsilon=2.0, delta=1e-6, random_state=0)


def taught(release: Release, schema: Schema = SCHEMA, n_rows: int = 500) -> Lesson:
    X = np.zeros((n_rows, len(schema.encoded_names))) if schema is not SCHEMA else rows(n_rows, 1)[0]
    return KIND.teach(release, ReceiverTable(schema, X, NO_ROWS, NO_ROWS))


def test_scores_are_logs_of_calibrated_probabilities(release: Release) -> None:
    lesson = taught(release)
    ((scores, note),) = lesson.candidates
    X, y = rows(8000, 7)
    chances = np.exp(scores(X))
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert ((chances[:, 1] > 0.5) == y).mean() > 0.75
    for low in (0.1, 0.5, 0.8):
        inside = (chances[:, 1] >= low) & (chances[:, 1] < low + 0.15)
        assert y[inside].mean() == pytest.approx(chances[inside, 1].mean(), abs=0.08)
    assert lesson.calibrated
    assert "columns shared by name" in note


def test_the_public_quality_comes_with_the_scores(release: Release) -> None:
    quality = taught(release).quality
    assert quality is not None
    assert quality.separation > 0.5
    assert quality.separation_z > 5
    assert quality.size == pytest.approx(5000 * 0.47, rel=0.3)
    assert quality.class_shares is not None
    np.testing.assert_allclose(quality.class_shares, 0.5, atol=0.05)


def test_a_receiver_with_other_bounds_and_categories_gets_the_same_scores(release: Release) -> None:
    ours = Schema(
        (
            Categorical("sex", ("m", "x", "f")),
            Numeric("age", (0, 200)),
            Label("outcome", ("ill", "well")),
        )
    )
    lesson = taught(release, ours)
    ((scores, _),) = lesson.candidates
    ((own, _),) = taught(release).candidates
    theirs = np.array([[0.6, 0.5, 0, 1.0, 0.0]])
    again = np.array([[0, 0, 1.0, 0.3]])
    # The dose that we lack adds its mean over the owner's rows, 0, instead of what its value would add.
    levels = KIND.teach(release, ReceiverTable(SCHEMA, theirs, NO_ROWS, NO_ROWS))
    assert scores(again)[0, 1] - scores(again)[0, 0] == pytest.approx(own(theirs)[0, 1] - own(theirs)[0, 0], abs=0.9)
    assert lesson.classes == {0: 1, 1: 0}
    assert levels.candidates


def test_its_quality_is_said_in_a_sentence(release: Release) -> None:
    words = KIND.quality_words(release)
    assert "area under the ROC curve about 0." in words
    assert "may hold nothing" not in words
    X, _ = rows(40)
    noise = KIND.release(X, np.arange(40) % 2, SCHEMA, epsilon=0.01, delta=1e-6, random_state=3)
    assert "may hold nothing" in KIND.quality_words(noise)


def test_scores_survive_the_receivers_file(release: Release) -> None:
    ((scores, _),) = taught(release).candidates
    again = KIND.stored_scores(*scores.to_parts())
    X = rows(100, 3)[0]
    np.testing.assert_allclose(again(X), scores(X))


def test_a_table_that_shares_nothing_learns_nothing(release: Release) -> None:
    ours = Schema((Numeric("height", (0, 3)), Label("outcome", ("well", "ill"))))
    lesson = taught(release, ours)
    assert lesson.candidates == ()
    assert lesson.quality is None
    assert "no column is shared" in lesson.note


def test_a_malformed_release_is_refused(release: Release) -> None:
    broken = Release(release.kind, {**release.arrays, "values": np.zeros((3, 1))}, release.settings, release.card)
    with pytest.raises(ReleaseError):
        KIND.teach(
            Release(broken.kind, broken.arrays, broken.settings, broken.card, release.schema),
            ReceiverTable(SCHEMA, rows(5)[0], NO_ROWS, NO_ROWS),
        )
