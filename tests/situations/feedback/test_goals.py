"""What scores are worth under each goal."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.errors import InputError
from tacit.situations.feedback.estimates import mirrored, move
from tacit.situations.feedback.goals import ConstrainedScores, Goal, OneScore, WeightedScores, goal_from_dict

FAIR = np.array([[0.62, 0.30], [0.55, 0.20], [0.50, 0.25], [0.58, 0.15]])  # accuracy, gap
HALF = np.array([[1.0, 0.5, -1.0], [-0.5, 2.0, 0.25]])


def test_fair_feedback_is_the_weighted_sum_of_normalised_scores() -> None:
    feedback = WeightedScores((0.4, -1.0)).feedback(FAIR)
    assert_allclose(feedback, [-0.70716954, 0.28844497, -0.88156514, 1.30028971], atol=1e-8)


def test_a_fair_step_climbs_where_the_printed_one_descends() -> None:
    step = move(mirrored(HALF), WeightedScores((0.4, -1.0)).feedback(FAIR), sigma=0.5, step=0.1)
    start = np.array([0.1, -0.2, 0.3])
    assert_allclose(start + step, [-0.02962322, -0.13318547, 0.41499809], atol=1e-8)
    assert_allclose(start - step, [0.22962322, -0.26681453, 0.18500191], atol=1e-8)


def test_a_constant_score_leaves_the_word_to_the_other() -> None:
    scores = np.column_stack([np.full(4, 0.7), FAIR[:, 1]])
    assert_allclose(WeightedScores((0.4, -1.0)).feedback(scores), -WeightedScores((1.0,)).feedback(FAIR[:, 1:]))


def test_above_the_floor_the_smaller_gap_wins_and_below_it_the_larger_accuracy() -> None:
    values = ConstrainedScores(0.56).values(FAIR)
    assert np.argsort(-values).tolist() == [3, 0, 1, 2]
    assert ConstrainedScores(0.5).values(FAIR).tolist() == (-FAIR[:, 1]).tolist()


def test_whatever_keeps_the_floor_beats_whatever_does_not() -> None:
    values = ConstrainedScores(0.5).values(np.array([[0.5, 1.0], [0.499999, 0.0]]))
    assert values[0] > values[1]


def test_constrained_feedback_is_the_rank() -> None:
    feedback = ConstrainedScores(0.56).feedback(FAIR)
    assert_allclose(feedback, (np.array([3, 2, 1, 4]) - 2.5) / np.std([1, 2, 3, 4], ddof=1))


def test_a_gap_outside_its_range_is_refused() -> None:
    with pytest.raises(InputError, match="gap in \\[0, 1\\]"):
        ConstrainedScores(0.5).values(np.array([[0.5, 1.5]]))


@pytest.mark.parametrize("goal", [OneScore(), WeightedScores((0.4, -1.0, 2.0)), ConstrainedScores(1 / 3)])
def test_a_goal_reads_back_as_it_was_written(goal: Goal) -> None:
    assert goal_from_dict(goal.to_dict()) == goal


@pytest.mark.parametrize("content", [{}, {"kind": "luck"}, {"kind": "one_score", "floor": 1.0}])
def test_a_goal_that_nobody_wrote_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(InputError):
        goal_from_dict(content)


@pytest.mark.parametrize("weights", [(), (0.0, 0.0), (np.nan,), ((1.0,),)])
def test_weights_that_are_none_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="weights"):
        WeightedScores(weights)
