import json
from dataclasses import replace

import numpy as np
import pytest

from tacit.errors import ReleaseError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.release import LinearScores, linear_parts, linear_release, read_scores, scores_from_parts
from tacit.privacy.mechanisms.disjoint import stacking_features
from tacit.releases.file import Release

rng = np.random.default_rng(0)
SPLIT = FeatureSplit(((0, 2), (1,)), (2.0, 1.0))
WEIGHTS, COMBINATION = rng.normal(size=(3, 3)), rng.random((3, 2))
SCORES = LinearScores(SPLIT, WEIGHTS, COMBINATION, np.array([0.1, 0.2]), (np.zeros(3), np.full(3, 2.0)))
X = rng.random((9, 3)) * 2


def test_scores_equal_a_loop_over_groups() -> None:
    scores = SCORES(X)
    for row, values in zip(X - 1, scores, strict=True):
        for problem in range(3):
            total = 0.0
            for place, group in enumerate(SPLIT.positions):
                part = row[list(group)]
                margin = part @ WEIGHTS[problem, list(group)] / np.linalg.norm(part)
                total += COMBINATION[problem, place] * margin
            assert values[problem] == pytest.approx(total)


def test_stacked_scores_combine_stacking_features() -> None:
    margins = np.stack(SCORES.margins(X), axis=-1)
    stacked = replace(SCORES, stacked=True)(X)
    for problem in range(3):
        assert stacked[:, problem] == pytest.approx(stacking_features(margins[:, problem]) @ COMBINATION[problem])


def test_one_problem_speaks_for_one_class_and_against_the_other() -> None:
    one = replace(SCORES, weights=WEIGHTS[:1], combination=COMBINATION[:1])
    assert np.array_equal(one.per_class(), np.vstack([-WEIGHTS[0], WEIGHTS[0]]))
    assert SCORES.per_class() is SCORES.weights


def test_the_parts_of_a_file_give_the_scores_back() -> None:
    arrays, settings = linear_parts(SCORES)
    again = scores_from_parts(arrays, json.loads(json.dumps(settings)))
    assert np.array_equal(again(X), SCORES(X))
    assert again.split == SPLIT
    assert again.regularization is None
    arrays, settings = linear_parts(replace(SCORES, regularization=np.array([0.5, 2.0])))
    again = scores_from_parts(arrays, json.loads(json.dumps(settings)))
    assert again.regularization == pytest.approx([0.5, 2.0])


def test_noise_is_felt_less_where_the_loss_itself_bends() -> None:
    """d/beta over n lambda, and over n (lambda + 0.1) where rows vary: a weak ridge leaves long weights, not noise."""
    told = replace(SCORES, regularization=np.array([0.1, 0.9]))
    assert told.felt_noise == pytest.approx([0.1 / 2, 0.2 * 0.9])
    assert SCORES.felt_noise is SCORES.noise


def test_a_file_without_the_regularisation_is_read() -> None:
    arrays, settings = linear_parts(SCORES)
    del settings["regularization"]
    assert scores_from_parts(arrays, settings).felt_noise == pytest.approx(SCORES.noise)


def release() -> Release:
    card = PrivateLogisticRegression(1.0, random_state=0).fit(X, np.arange(9) % 3).card_
    return linear_release(SCORES, np.arange(3), card, adopted=("another release",))


def test_a_release_states_classes_and_what_was_adopted() -> None:
    file = release()
    assert (file.settings["classes"], file.settings["adopted"]) == ([0, 1, 2], ["another release"])
    assert np.array_equal(read_scores(file)(X), SCORES(X))


@pytest.mark.parametrize(
    "change",
    [
        {"arrays": {}},
        {"arrays": {"weights": WEIGHTS[:2], "combination": COMBINATION, "noise": np.ones(2)}},
        {"arrays": {"weights": WEIGHTS, "combination": COMBINATION[:, :1], "noise": np.ones(2)}},
        {"arrays": {"weights": WEIGHTS, "combination": COMBINATION, "noise": np.ones(3)}},
        {"settings": {"classes": [0, 1, 2]}},
        {"settings": {**release().settings, "regularization": [1.0]}},
        {"settings": {**release().settings, "regularization": [1.0, 0.0]}},
        {"settings": {**release().settings, "regularization": [1.0, float("nan")]}},
        {"kind": "class_means"},
    ],
)
def test_another_kind_and_malformed_releases_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ReleaseError):
        read_scores(replace(release(), **change))  # type: ignore[arg-type]
