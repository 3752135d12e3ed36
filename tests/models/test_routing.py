"""Routed labels are those of all parts, and bounds are bounds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.affine_hull.layers import nearest_images, shifted
from tacit.models.affine_hull.routing import RoutedHulls
from tacit.models.membership.classifier import MembershipClassifier
from tacit.models.membership.layers import layer_outputs
from tacit.models.membership.routing import RoutedAutoencoders
from tacit.models.membership.wide import squared_distances
from tacit.models.routing import common_directions, nearest_groups, worth_routing
from tacit.numerics.kernels import Floats

SETTINGS: dict[str, Any] = {"n_components": 8, "part_size": 40, "random_state": 0}


@pytest.fixture(scope="module", params=[np.float32, np.float64])
def digits(request: pytest.FixtureRequest) -> tuple[Floats, Floats, Floats]:
    X, y = load_digits(return_X_y=True)
    rows = (X / 16).astype(request.param)
    return rows[:700], y[:700], rows[700:]


def test_bounds_of_autoencoders_are_below_their_errors(digits: tuple[Floats, Floats, Floats]) -> None:
    X, y, new = digits
    model = MembershipClassifier(**SETTINGS).fit(X, y)
    routed = RoutedAutoencoders.of(model.autoencoders_)
    bounds = routed.bounds(new)
    for place, part in enumerate(routed.common.parts):
        errors = squared_distances(new, next(layer_outputs(part, new)))
        assert (bounds[:, place] <= errors * (1 + 1e-4) + 1e-5).all()
        assert bounds[:, place].mean() > 0.5 * errors.mean()


def test_bounds_of_hulls_are_below_their_distances(
    digits: tuple[Floats, Floats, Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, new = digits
    monkeypatch.setattr("tacit.models.affine_hull.routing.BOUND_DIRECTIONS", 40)
    model = AffineHullClassifier(**SETTINGS, rank=16).fit(X, y)
    routed, rows = RoutedHulls.of(model.hulls_), shifted(new, model.hulls_[0][0].mean)
    bounds = routed.bounds(rows)
    for place, part in enumerate(routed.common.parts):
        squares = nearest_images(part, rows)[1]
        assert (bounds[:, place] <= squares * (1 + 1e-4) + 1e-4).all()
    assert bounds.mean() > 0


@pytest.mark.parametrize("estimator", [MembershipClassifier, AffineHullClassifier])
def test_routed_labels_are_those_of_all_parts(
    estimator: type[Any], digits: tuple[Floats, Floats, Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, new = digits
    model = estimator(**SETTINGS).fit(X, y)
    assert worth_routing(
        len(new), sum(map(len, model.autoencoders_ if hasattr(model, "autoencoders_") else model.hulls_))
    )
    routed = model.predict(new)
    monkeypatch.setattr("tacit.models.routing.LEAST_ROWS", 10**9)
    assert np.mean(routed == model.predict(new)) >= 0.9995
    assert np.array_equal(model.predict(new), model.classes_[model.decision_function(new).argmax(axis=1)])


@pytest.mark.parametrize("estimator", [MembershipClassifier, AffineHullClassifier])
def test_several_layers_and_far_rows_have_the_labels_of_all_parts(estimator: type[Any]) -> None:
    X, y = load_digits(return_X_y=True)
    rows = (X / 16).astype(np.float32)
    far = np.concatenate([rows[700:], 100 * rows[700:800], np.zeros((3, 64), np.float32)])
    model = estimator(**SETTINGS, n_layers=2).fit(rows[:700], y[:700])
    assert np.mean(model.predict(far) == model.classes_[model.decision_function(far).argmax(axis=1)]) >= 0.9995


def test_parts_that_a_bound_excludes_are_not_evaluated() -> None:
    rng = np.random.default_rng(0)
    squares = rng.random((200, 12))
    groups = np.arange(12) % 3
    n_evaluated = []

    def exact(part: int, rows: Any) -> Floats:
        n_evaluated.append(len(rows))
        return np.asarray(squares[rows, part])

    expected = groups[squares.argmin(axis=1)]
    for share, most in ((0.0, 1.0), (0.5, 0.6), (0.99, 0.15)):
        n_evaluated.clear()
        assert np.array_equal(nearest_groups(share * squares, groups, exact), expected)
        assert sum(n_evaluated) <= most * squares.size
    # A wrong bound, above the distance, changes answers: the bound is what keeps them.
    assert not np.array_equal(nearest_groups(1 - squares, groups, exact), expected)


def test_common_directions_are_orthonormal() -> None:
    def parts() -> Iterator[Floats]:
        for seed in range(5):
            yield np.linalg.qr(np.random.default_rng(seed).normal(size=(30, 4)))[0].T

    for count in (3, 8, 50):
        V = common_directions(list(parts()), count)
        assert V.shape[1] <= min(count, 20)
        np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-9)


def test_few_rows_or_parts_are_not_routed() -> None:
    assert worth_routing(1000, 20)
    assert not worth_routing(999, 20)
    assert not worth_routing(1000, 19)
