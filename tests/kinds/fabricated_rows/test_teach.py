from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.kinds.two_hospitals import OWNER, PROMISE, STRANGER, owner_rows, receiver, receiver_rows, right

from tacit.errors import InputError
from tacit.kinds.fabricated_rows import KIND
from tacit.kinds.fabricated_rows.plan import MOST_ROWS, FabricationSettings
from tacit.kinds.fabricated_rows.teach import stored_scores
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(*owner_rows(1000), OWNER, **PROMISE)  # type: ignore[arg-type]


def test_invented_rows_teach_the_classes(release: Release) -> None:
    X, codes = receiver_rows(300, seed=5)
    assert right(KIND.teach(release, receiver()).candidates[0][0](X), codes) > 0.9


def test_scores_are_those_of_a_logistic_regression_of_the_rows(release: Release) -> None:
    X, y = owner_rows(50, seed=7)
    same = ReceiverTable(OWNER, X, np.arange(5), y[:5].astype(np.intp))
    scores = KIND.teach(release, same).candidates[0][0](X)
    model = LogisticRegression(max_iter=300).fit(release.arrays["X"].astype(float), release.arrays["y"])
    assert np.allclose(scores[:, 1] - scores[:, 0], model.decision_function(X), atol=1e-5)


def test_a_class_that_no_invented_row_has_gets_no_score(release: Release) -> None:
    one = replace(release, arrays={**release.arrays, "y": np.zeros_like(release.arrays["y"])})
    scores = KIND.teach(one, receiver()).candidates[0][0](receiver_rows()[0])
    assert not scores.any()


def test_scores_survive_being_taken_apart(release: Release) -> None:
    scores = KIND.teach(release, receiver()).candidates[0][0]
    X, _ = receiver_rows(20, seed=6)
    assert np.allclose(stored_scores(*scores.to_parts())(X), scores(X))


def test_a_release_beside_its_table_points_to_the_table(release: Release) -> None:
    beside = replace(release, arrays={})
    with pytest.raises(InputError, match="adopt the table"):
        KIND.teach(beside, receiver())


def test_without_a_shared_column_nothing_is_taught(release: Release) -> None:
    assert not KIND.teach(release, receiver(STRANGER)).candidates


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "magic"}, "method must be"),
        ({"accounting": "paper"}, "give method='hull'"),
        ({"block_size": 1}, "block_size"),
        ({"rows": 0}, "rows"),
        ({"rows": MOST_ROWS + 1}, "rows must be at most"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        FabricationSettings(**settings)  # type: ignore[arg-type]


def test_a_hull_per_record_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match="use method 'moments'"):
        KIND.plan(OWNER, unit="record", epsilon=1.0, delta=1e-6, method="hull")


def test_the_printed_accounting_is_warned_of_in_its_plan() -> None:
    plan = KIND.plan(OWNER, unit="entry", epsilon=1.0, delta=1e-6, method="hull", accounting="paper")
    assert plan.warning
    assert not KIND.plan(OWNER, unit="entry", epsilon=1.0, delta=1e-6).warning
