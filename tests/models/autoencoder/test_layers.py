import math

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.autoencoder.layers import (
    Layer,
    centre_query,
    encode_stack,
    layer_query,
    learned_weights,
    noisy_centre,
    normalised_rows,
    projection_range,
    public_code,
    public_directions,
    read_stack,
    stack_arrays,
    stack_queries,
    stack_shares,
    with_constant,
)


def rows_in_ball(n: int, p: int, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    return np.asarray(X / np.linalg.norm(X, axis=1, keepdims=True) * rng.random((n, 1)))


def test_a_constant_unit_keeps_the_length_within_one() -> None:
    X = normalised_rows(np.random.default_rng(0).normal(size=(20, 5)))
    longer = with_constant(X)
    assert longer.shape == (20, 6)
    assert np.allclose(np.linalg.norm(longer, axis=1), 1.0)
    assert np.allclose(longer[:, -1], 1 / math.sqrt(6))


def test_normalised_rows_leave_a_row_of_zeros() -> None:
    assert np.array_equal(normalised_rows(np.array([[0.0, 0.0], [3.0, 4.0]])), [[0.0, 0.0], [0.6, 0.8]])


@pytest.mark.parametrize("nonnegative", [True, False])
def test_no_row_projects_outside_the_range(nonnegative: bool) -> None:
    rng = np.random.default_rng(1)
    W = rng.normal(size=(4, 3))
    X = normalised_rows(rng.normal(size=(20_000, 4)))
    X = np.abs(X) if nonnegative else X
    low, high = projection_range(W, nonnegative=nonnegative)
    least, most = (X @ W).min(axis=0), (X @ W).max(axis=0)
    assert (least >= low - 1e-12).all()
    assert (most <= high + 1e-12).all()
    assert np.allclose(most, high, atol=0.1)  # and the range is reached
    assert np.allclose(np.minimum(least, 0.0), low, atol=0.1)


def test_directions_are_public_and_orthogonal_where_they_can_be() -> None:
    R = public_directions(6, 4, seed=3)
    assert np.allclose(R.T @ R, np.eye(4))
    assert np.array_equal(R, public_directions(6, 4, seed=3))
    assert np.allclose(np.linalg.norm(public_directions(3, 8, seed=0), axis=0), 1.0)


@pytest.mark.parametrize("b", [2, 9])
def test_the_public_code_stays_in_the_unit_ball_however_steep(b: int) -> None:
    X = rows_in_ball(200, 5)
    assert np.linalg.norm(public_code(1e6 * X, public_directions(5, b, seed=0)), axis=1).max() <= 1 + 1e-12


def test_without_noise_a_layer_keeps_the_leading_directions() -> None:
    """Rows near a plane: the two units that reconstruct best span it."""
    rng = np.random.default_rng(4)
    plane = np.linalg.qr(rng.normal(size=(8, 2)))[0]
    X = 0.5 + rng.normal(size=(2000, 2)) @ plane.T * 0.02
    X = X / 2
    R = public_directions(8, 2, seed=0)
    H = public_code(X, R)
    moments = X.T @ H, H.T @ H
    layer = Layer(learned_weights(*moments, ridge=1e-9), noisy_centre(*moments), nonnegative=True)
    assert np.allclose(layer.centre, X.mean(axis=0), atol=1e-6)
    lost = ((X - layer.reconstruct(X)) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()
    public = ((X - Layer(R, X.mean(axis=0), True).reconstruct(X)) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()
    assert lost < 0.01 < public


def test_the_code_has_rows_of_length_one_and_reads_only_its_own_row() -> None:
    X = rows_in_ball(30, 6)
    layer = Layer(public_directions(6, 4, seed=1), X.mean(axis=0), nonnegative=True)
    code = layer.encode(X)
    assert np.allclose(np.linalg.norm(code, axis=1), 1.0)
    assert np.allclose(code[7:8], layer.encode(X[7:8]))


def test_activities_lie_in_the_range_of_the_weights() -> None:
    X = rows_in_ball(5000, 3, seed=5)
    layer = Layer(public_directions(3, 3, seed=1), np.full(3, 0.2), nonnegative=True)
    low, high = layer.range()
    inner = np.tanh(0.5 * math.sqrt(3) * (X - layer.centre) @ layer.weights)
    assert (inner >= low - 1e-12).all()
    assert (inner <= high + 1e-12).all()


def test_a_stack_asks_each_layer_of_the_code_below() -> None:
    queries = stack_queries(10, (6, 4), norm=2)
    assert [[(each.n_targets, each.n_units) for each in layer] for layer in queries] == [[(10, 7)], [(6, 5)]]
    assert stack_queries(10, (), norm=2) == []
    assert stack_shares(queries, 0.4) == [0.2, 0.2]


def test_under_pure_epsilon_a_layer_asks_for_its_centre_too() -> None:
    queries = stack_queries(10, (6, 4), norm=1)
    assert [[(each.n_targets, each.n_units) for each in layer] for layer in queries] == [
        [(10, 7), (10, 1)],
        [(6, 5), (6, 1)],
    ]
    assert stack_shares(queries, 0.4) == [0.1] * 4


def test_the_centre_is_the_mean_row_and_moves_with_one_row_as_declared() -> None:
    X, query = rows_in_ball(40, 6), centre_query(6)
    values = query.total(X, np.ones((40, 1))).values
    assert len(values) == query.coordinates == 7
    assert np.allclose(noisy_centre(*query.moments(values)), X.mean(axis=0), atol=1e-3)
    longest = np.full((1, 6), 1 / math.sqrt(6))
    moved = np.abs(query.total(np.vstack([X, longest]), np.ones((41, 1))).values - values).sum()
    assert 0.999 * query.sensitivity < moved <= query.sensitivity
    assert np.linalg.norm(noisy_centre(np.full((6, 1), 99.0), np.ones((1, 1)))) == pytest.approx(1.0)


def test_the_pure_query_declares_one_norms() -> None:
    query = layer_query(9, 3, norm=1)
    assert (query.target_norm, query.hidden_norm) == (3.0, 2.0)


def test_an_empty_stack_is_the_identity_and_arrays_are_named_by_depth() -> None:
    X = rows_in_ball(3, 4)
    assert encode_stack((), X) is X
    layers = [Layer(np.eye(2), np.zeros(2), True), Layer(np.eye(2), np.zeros(2), False)]
    assert list(stack_arrays(layers)) == ["weights_1", "centre_1", "weights_2", "centre_2"]


def test_a_stack_comes_back_from_its_arrays() -> None:
    layers = (Layer(np.eye(3)[:, :2], np.zeros(3), True), Layer(np.eye(2), np.ones(2) / 2, False))
    again = read_stack(stack_arrays(layers))
    X = rows_in_ball(5, 3)
    assert np.array_equal(encode_stack(again, X), encode_stack(layers, X))
    assert [layer.nonnegative for layer in again] == [True, False]
    assert read_stack({}) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"more": np.ones(1)}, "nothing else"),
        ({"weights_1": np.ones(3)}, "a matrix of weights"),
        ({"centre_1": np.ones(4)}, "a centre as long as its columns"),
        ({"weights_2": np.ones((3, 2)), "centre_2": np.ones(3)}, "layer below"),
        ({"weights_1": np.full((3, 2), np.nan)}, "weights"),
    ],
)
def test_malformed_stacks_are_refused(change: dict[str, FloatArray], words: str) -> None:
    layers = (Layer(np.eye(3)[:, :2], np.zeros(3), True), Layer(np.eye(2), np.zeros(2), False))
    with pytest.raises(InputError, match=words):
        read_stack({**stack_arrays(layers), **change})


def test_a_layer_keeps_what_lies_in_its_directions() -> None:
    layer = Layer(np.eye(4)[:, :2], np.full(4, 0.1), True)
    X = rows_in_ball(6, 4)
    kept = layer.reconstruct(X)
    assert kept[:, :2] == pytest.approx(X[:, :2])
    assert kept[:, 2:] == pytest.approx(np.full((6, 2), 0.1))
