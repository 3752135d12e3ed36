from dataclasses import replace

import numpy as np
import pytest
from tests.kinds.two_hospitals import OWNER, PROMISE, STRANGER, owner_rows, receiver, receiver_rows, right

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND
from tacit.kinds.class_moments.teach import DIMENSIONS, FLOORS, class_places, stored_scores
from tacit.releases.file import Release


@pytest.fixture(scope="module", params=["record", "entry"])
def release(request: pytest.FixtureRequest) -> Release:
    return KIND.release(*owner_rows(1000), OWNER, unit=request.param, **PROMISE)  # type: ignore[arg-type]


def test_scores_are_of_our_rows_and_of_the_owners_classes(release: Release) -> None:
    lesson = KIND.teach(release, receiver())
    assert dict(lesson.classes) == {0: 1, 1: 0}
    X, codes = receiver_rows(300, seed=5)
    best = max(right(scores(X), codes) for scores, _ in lesson.candidates)
    assert best > 0.9


def test_per_entry_each_setting_is_a_candidate(release: Release) -> None:
    expected = 1 if release.card.unit == "record" else len({min(3, size) for size in DIMENSIONS}) * len(FLOORS)
    assert len(KIND.teach(release, receiver()).candidates) == expected


def test_scores_survive_being_taken_apart(release: Release) -> None:
    X, _ = receiver_rows(50, seed=6)
    for scores, _ in KIND.teach(release, receiver()).candidates:
        assert np.allclose(stored_scores(*scores.to_parts())(X), scores(X), atol=1e-5)


def test_tables_that_share_no_column_learn_where_the_classes_lie(release: Release) -> None:
    lesson = KIND.teach(release, receiver(STRANGER))
    assert not lesson.candidates
    assert lesson.class_places is not None
    assert lesson.class_places.shape == (2, 1)
    assert "nothing is shared" in lesson.note


def test_places_keep_the_distances_of_the_means_up_to_one_scale() -> None:
    rng = np.random.default_rng(0)
    means = rng.normal(size=(4, 9))
    release = KIND.release(*owner_rows(), OWNER, unit="record", **PROMISE)  # type: ignore[arg-type]
    counts = np.array([3.0, 5.0, 2.0, 7.0])
    known = replace(release, arrays={"sums": means * counts[:, None], "counts": counts})
    places = class_places(known)

    def distances(points: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2)[np.triu_indices(4, 1)])

    ratios = distances(places) / distances(means)
    assert np.allclose(ratios, ratios[0])
    assert np.isclose(places.std(), 1.0)


def test_one_class_in_common_is_refused(release: Release) -> None:
    other = Schema((Numeric("age", (0.0, 100.0)), Label("outcome", ("well", "dead"))))
    with pytest.raises(InputError, match="at least two classes by name"):
        KIND.teach(release, receiver(other))
