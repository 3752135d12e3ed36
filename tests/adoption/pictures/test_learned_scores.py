"""Scores that the receiver's labels teach: by the owner's class places, a metric, or released features."""

import json
from typing import Any

import numpy as np
import pytest

from tacit.adoption.pictures.learned_scores import (
    FeatureScores,
    GeometryScores,
    NeighbourScores,
    stored_geometry,
    stored_neighbours,
)
from tacit.arrays import Arrays, FloatArray, Rows

DRAW = np.random.default_rng(0)
CODES = np.arange(30) % 3
ROWS = np.eye(3)[CODES] + 0.1 * DRAW.normal(size=(30, 3))


class Squares:
    """Released features: the columns and their squares."""

    def __call__(self, X: Rows) -> FloatArray:
        return np.column_stack([X, X**2]).astype(np.float64)

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        return {"none": np.zeros(0)}, {"squares": True}


def test_votes_are_counted_with_one_more_spread_over_all_classes() -> None:
    scores = NeighbourScores(np.eye(3), ROWS, CODES, 4, 5)
    point = np.array([[1.0, 0.0, 0.0]])
    order = np.argsort(np.linalg.norm(ROWS - point, axis=1))[:5]
    votes = np.bincount(CODES[order], minlength=4)
    assert scores(point)[0] == pytest.approx(np.log((votes + 0.25) / 6))
    assert np.exp(scores(point)).sum() == pytest.approx(1)
    assert np.isfinite(scores(point)).all()


def test_neighbours_are_near_in_the_metric_and_not_in_the_columns() -> None:
    rows, codes = np.array([[0.0, 5.0], [9.0, 0.0]]), np.array([0, 1])
    point = np.array([[1.0, 0.0]])
    first = NeighbourScores(np.array([[1.0, 0.0]]), rows, codes, 2, 1)
    second = NeighbourScores(np.array([[0.0, 1.0]]), rows, codes, 2, 1)
    assert first(point).argmax() == 0
    assert second(point).argmax() == 1


def test_a_labelled_row_does_not_vote_for_itself() -> None:
    rows = np.array([[0.0], [0.1], [5.0], [5.1], [2.4]])
    codes = np.array([0, 0, 1, 1, 2])
    scores = NeighbourScores(np.eye(1), rows, codes, 3, 1)
    assert scores(rows).argmax(axis=1).tolist() == codes.tolist()
    left_out = scores.left_out()
    assert left_out.argmax(axis=1)[:4].tolist() == [0, 0, 1, 1]
    assert left_out[4, 2] == left_out.min()


def test_one_labelled_row_says_nothing_of_itself_and_is_everybodys_neighbour() -> None:
    scores = NeighbourScores(np.eye(1), np.zeros((1, 1)), np.array([1]), 2, 5)
    assert scores.left_out().tolist() == [[0.0, 0.0]]
    assert scores(np.array([[7.0]])).argmax() == 1


def test_geometry_scores_are_distances_to_the_owners_places() -> None:
    places = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]])
    scores = GeometryScores.learned(ROWS, places[CODES], places)
    mapped = np.asarray(scores.mapping.predict(ROWS))
    distances = ((mapped[:, None, :] - places) ** 2).sum(axis=2)
    # What all classes share, the squared length of the mapped row, is left out.
    assert scores(ROWS) == pytest.approx((mapped**2).sum(axis=1, keepdims=True) - distances)
    assert (scores(ROWS).argmax(axis=1) == CODES).all()


def test_features_are_weighed_by_a_logistic_regression_of_the_labels() -> None:
    scores = FeatureScores.learned(Squares(), ROWS, CODES, 3)
    assert scores(ROWS) == pytest.approx(Squares()(ROWS) @ scores.W + scores.b)
    assert (scores(ROWS).argmax(axis=1) == CODES).all()


def test_two_classes_share_one_weight_vector_and_a_third_scores_nothing() -> None:
    two = CODES < 2
    scores = FeatureScores.learned(Squares(), ROWS[two], CODES[two], 3)
    assert scores.W[:, 0] == pytest.approx(-scores.W[:, 1])
    assert scores.W[:, 2].tolist() == [0.0] * 6
    assert (scores(ROWS[two])[:, :2].argmax(axis=1) == CODES[two]).all()
    assert scores(ROWS)[:, 2].tolist() == [0.0] * 30


def test_labels_of_one_class_teach_nothing() -> None:
    scores = FeatureScores.learned(Squares(), ROWS, np.zeros(30, dtype=np.intp), 2)
    assert not scores(ROWS).any()


def test_scores_come_back_from_their_parts_to_the_last_bit() -> None:
    places = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]])
    geometry = GeometryScores.learned(ROWS, places[CODES], places)
    arrays, settings = geometry.to_parts()
    assert settings["form"] == "geometry"
    again = stored_geometry(arrays, json.loads(json.dumps(settings)))
    assert again(ROWS).tobytes() == geometry(ROWS).tobytes()
    neighbours = NeighbourScores(np.eye(3), ROWS, CODES, 3, 5)
    arrays, settings = neighbours.to_parts()
    assert settings == {"form": "neighbours", "n_classes": 3, "n_neighbours": 5}
    assert stored_neighbours(arrays, settings)(ROWS).tobytes() == neighbours(ROWS).tobytes()
    features = FeatureScores.learned(Squares(), ROWS, CODES, 3)
    arrays, settings = features.to_parts()
    assert settings == {"form": "features", "features": {"squares": True}}
    assert arrays["W"].tobytes() == features.W.tobytes()
