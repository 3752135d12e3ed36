import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tests.kinds.two_hospitals import OWNER, STRANGER, owner_rows, receiver, receiver_rows

from tacit.kinds.linear import KIND
from tacit.kinds.linear.teach import stored_scores
from tacit.models.linear.release import read_scores
from tacit.releases.file import Release


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(*owner_rows(2000), OWNER, epsilon=20.0, delta=0.0, random_state=0)


def test_margins_are_those_of_the_owners_columns_with_the_lacking_one_in_the_middle(release: Release) -> None:
    X, _ = receiver_rows(30, seed=4)
    scores = KIND.teach(release, receiver()).candidates[0][0](X)
    # The oracle: the same people in the owner's columns, dose in the middle of its bounds.
    theirs = np.column_stack([X[:, 2] / 2, np.full(30, 0.5), X[:, 1], X[:, 0]])
    margins = read_scores(release)(theirs)[:, 0]
    assert np.allclose(scores, np.column_stack([-margins, margins]))


def test_the_released_weights_rank_our_rows_rightly(release: Release) -> None:
    X, codes = receiver_rows(300, seed=5)
    scores = KIND.teach(release, receiver()).candidates[0][0](X)
    assert roc_auc_score(1 - codes, scores[:, 1]) > 0.95


def test_scores_survive_being_taken_apart(release: Release) -> None:
    scores = KIND.teach(release, receiver()).candidates[0][0]
    X, _ = receiver_rows(20, seed=6)
    assert np.allclose(stored_scores(*scores.to_parts())(X), scores(X))


def test_without_a_shared_column_nothing_is_taught(release: Release) -> None:
    lesson = KIND.teach(release, receiver(STRANGER))
    assert not lesson.candidates
    assert lesson.note == "no column is shared by name"


def test_what_differs_between_the_tables_is_said(release: Release) -> None:
    note = KIND.teach(release, receiver()).note
    assert note.startswith("2 columns shared by name")
    assert "age" in note
