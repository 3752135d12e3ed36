import numpy as np
import pytest
from tests.kinds.two_hospitals import OWNER, PROMISE, STRANGER, owner_rows, receiver, receiver_rows, right

from tacit.kinds.noisy_rows import KIND
from tacit.kinds.noisy_rows.teach import stored_scores
from tacit.privacy.conversions import Exact
from tacit.releases.file import Release


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(*owner_rows(1000), OWNER, **PROMISE)  # type: ignore[arg-type]


def test_noisy_rows_are_right_about_ours(release: Release) -> None:
    X, codes = receiver_rows(300, seed=5)
    assert right(KIND.teach(release, receiver()).candidates[0][0](X), codes) > 0.9


def test_scores_survive_being_taken_apart(release: Release) -> None:
    scores = KIND.teach(release, receiver()).candidates[0][0]
    X, _ = receiver_rows(20, seed=6)
    assert np.allclose(stored_scores(*scores.to_parts())(X), scores(X), atol=1e-5)


def test_a_table_that_shares_nothing_is_told_so(release: Release) -> None:
    lesson = KIND.teach(release, receiver(STRANGER))
    assert not lesson.candidates
    assert lesson.note == "nothing is shared by name or picture"


def test_everything_beside_the_entries_is_said_to_be_exact() -> None:
    assert KIND.plan(OWNER, unit="entry", epsilon=1.0, delta=1e-6).exact == tuple(Exact)
