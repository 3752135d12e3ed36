import numpy as np
import pytest

from tacit.data.public.schemas import image_schema
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows.directions import directions_of
from tacit.kinds.fabricated_rows.gaussians import (
    NoisyMoments,
    class_gaussians,
    dealt_codes,
    shrunk_covariances,
    signal_share,
    whole_parts,
)

NUMBERS = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("y", ("0", "1"))))


def moments(noise: float) -> NoisyMoments:
    means = np.array([[0.2, -0.2], [-0.2, 0.2]])
    covariances = np.array([[[0.04, 0.03], [0.03, 0.04]], [[0.02, -0.01], [-0.01, 0.02]]])
    return NoisyMoments(means, covariances, np.array([50.0, 50.0]), np.full(2, noise), np.full(2, noise))


def test_without_noise_the_moments_are_kept() -> None:
    given = moments(0.0)
    laws = class_gaussians(given, directions_of(NUMBERS), np.random.RandomState(0))
    np.testing.assert_allclose(laws.means, given.means)
    np.testing.assert_allclose(laws.factors @ laws.factors.transpose(0, 2, 1), given.covariances, atol=1e-12)


def test_noise_alone_leaves_one_law_for_all_classes() -> None:
    laws = class_gaussians(moments(100.0), directions_of(NUMBERS), np.random.RandomState(0))
    np.testing.assert_allclose(laws.means, 0.0, atol=1e-12)
    covariance = laws.factors[0] @ laws.factors[0].T
    np.testing.assert_allclose(covariance, laws.factors[1] @ laws.factors[1].T)
    assert covariance[0, 1] == pytest.approx(0.0)


def test_rows_drawn_have_the_moments_of_their_class() -> None:
    laws = class_gaussians(moments(0.0), directions_of(NUMBERS), np.random.RandomState(0))
    codes = np.repeat([0, 1], 20_000)
    Z = laws.draw(codes, np.random.RandomState(1))
    for code in (0, 1):
        np.testing.assert_allclose(Z[codes == code].mean(axis=0), laws.means[code], atol=0.01)
        np.testing.assert_allclose(np.cov(Z[codes == code].T), moments(0.0).covariances[code], atol=0.002)


def test_a_covariance_that_is_none_still_gives_rows() -> None:
    broken = NoisyMoments(
        np.zeros((2, 2)), np.array([[[0.1, 5.0], [5.0, -3.0]]] * 2), np.ones(2), np.zeros(2), np.zeros(2)
    )
    directions = directions_of(NUMBERS)
    laws = class_gaussians(broken, directions, np.random.RandomState(0))
    for factor in laws.factors:
        assert np.linalg.eigvalsh(factor @ factor.T).min() >= directions.least_variance * (1 - 1e-9)


def test_pictures_under_heavy_noise_vary_as_deformations_of_their_mean() -> None:
    schema = image_schema((8, 8), ("0", "1"))
    directions = directions_of(schema)
    disc = (np.hypot(*(np.indices((8, 8)) - 3.5)) < 2.5).astype(float).ravel()
    means = directions.coordinates(np.stack([disc, disc[::-1]]))
    d = directions.size
    given = NoisyMoments(means, np.zeros((2, d, d)), np.full(2, 9.0), np.zeros(2), np.full(2, 1e9))
    laws = class_gaussians(given, directions, np.random.RandomState(0))
    rows = directions.rows(laws.draw(np.zeros(2000, dtype=np.intp), np.random.RandomState(1)))
    spread = rows.std(axis=0).reshape(8, 8)
    assert spread[3, 1] > 1.6 * spread[0, 0]  # the rim of the disc moves, the corner does not


def test_shares_are_signal_over_what_was_seen() -> None:
    assert signal_share(np.array([3.0, 4.0]), 5.0) == pytest.approx(0.8)
    assert signal_share(np.array([0.1]), 5.0) == 0.0
    assert signal_share(np.zeros(3), 0.0) == 0.0


def test_shrinking_is_pooled_first() -> None:
    noisy = np.array([[[2.0]], [[4.0]]])
    shares = np.array([0.5, 0.5])
    found = shrunk_covariances(noisy, np.zeros((2, 1, 1)), shares, np.array([1e9, 1e9]))
    np.testing.assert_allclose(found, 0.0)
    # The pooled noise is the classes' over 2: so much that classes are not told apart, but their common part is kept.
    found = shrunk_covariances(noisy, np.zeros((2, 1, 1)), shares, np.array([2.0, 2.0]))
    assert found[0, 0, 0] == pytest.approx(found[1, 0, 0])
    assert found[0, 0, 0] == pytest.approx(3 * (1 - 1 / 9))


def test_whole_parts_add_up() -> None:
    for count in (1, 7, 100):
        parts = whole_parts(np.array([0.5, 0.3, 0.2]), count)
        assert parts.sum() == count
        assert (np.abs(parts - count * np.array([0.5, 0.3, 0.2])) < 1).all()
    assert sorted(dealt_codes(np.array([0.25, 0.75]), 8, np.random.RandomState(0))) == [0] * 2 + [1] * 6
