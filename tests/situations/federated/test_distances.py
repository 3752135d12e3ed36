"""What the aggregator makes of distances."""

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.situations.federated.distances import checked_answer, decide, nearest

CLASSES = np.array(["cat", "dog", "owl"])


def some_answers(seed: int = 0, n: int = 20) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    held = ([0, 1, 2], [2, 0], [1])
    return [checked_answer(rng.random((n, len(own))), CLASSES[own], n_rows=n, all_classes=CLASSES) for own in held]


def test_a_class_that_a_party_does_not_hold_is_infinitely_far() -> None:
    answer = checked_answer([[3.0, 1.0]], ["owl", "cat"], n_rows=1, all_classes=CLASSES)
    assert answer.tolist() == [[1.0, np.inf, 3.0]]


def test_decisions_by_the_nearest_are_those_of_a_loop_over_parties_and_classes() -> None:
    answers = some_answers()
    for row, label in enumerate(decide(answers, CLASSES)):
        best = min((answers[q][row, c], c) for q in range(3) for c in range(3))
        assert label == CLASSES[best[1]]
    assert (nearest(answers) == np.minimum(np.minimum(*answers[:2]), answers[2])).all()


def test_the_nearest_party_is_the_one_whose_distance_is_taken() -> None:
    answers = some_answers()
    distances = nearest(answers)
    for row, column in np.ndindex(distances.shape):
        party = min(range(len(answers)), key=lambda q: answers[q][row, column])
        assert distances[row, column] == answers[party][row, column]


def test_one_party_alone_decides_as_it_would_without_an_aggregator() -> None:
    answer = some_answers()[:1]
    expected = CLASSES[answer[0].argmin(axis=1)]
    assert (decide(answer, CLASSES) == expected).all()


def test_a_class_that_nobody_holds_is_never_chosen() -> None:
    answers = [checked_answer([[5.0]], ["dog"], n_rows=1, all_classes=CLASSES)] * 2
    assert decide(answers, CLASSES).tolist() == ["dog"]
    assert np.isinf(nearest(answers)[0, [0, 2]]).all()


@pytest.mark.parametrize(
    ("distances", "classes", "said"),
    [
        ([[np.nan, 1.0]], ["cat", "dog"], "finite"),
        ([[np.inf, 1.0]], ["cat", "dog"], "finite"),
        ([[-1.0, 1.0]], ["cat", "dog"], "at least 0"),
        ([[1.0]], ["cat", "dog"], "shape"),
        ([[1.0, 2.0], [1.0, 2.0]], ["cat", "dog"], "shape"),
        ([1.0, 2.0], ["cat", "dog"], "shape"),
        ([["near", "far"]], ["cat", "dog"], "numbers"),
        ([[1.0, 2.0]], ["cat", "emu"], "agreed classes"),
        ([[1.0, 2.0]], ["cat", "cat"], "each once"),
        (np.zeros((1, 0)), [], "agreed classes"),
    ],
    ids=["nan", "infinite", "negative", "columns", "rows", "flat", "text", "foreign", "twice", "none"],
)
def test_a_wrong_answer_is_refused(distances: object, classes: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        checked_answer(distances, classes, n_rows=1, all_classes=CLASSES)  # type: ignore[arg-type]  # wrong on purpose


def test_no_answers_are_refused() -> None:
    with pytest.raises(InputError, match="at least one party"):
        nearest([])
