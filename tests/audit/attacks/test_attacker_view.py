"""What an attacker reads from a release: scores of rows against formulas by loops."""

import numpy as np
import pytest

from tacit.audit.attacks.attacker_view import MOST_COLUMNS, AttackerView, ClassMoments, moments_of_rows, unchanged

RNG = np.random.default_rng(4)
ROWS, CODES = RNG.random((5, 3)), np.array([0, 1, 1, 0, 1])
MEANS, CENTRES, COUNTS = RNG.random((2, 3)), RNG.random((2, 3)), np.array([7.0, 9.0])


def test_the_match_is_the_normal_log_density_ratio_by_loops() -> None:
    V = np.stack([np.cov(RNG.normal(size=(3, 20))) for _ in range(2)])
    noise = np.array([0.5, 0.7])
    quadratic = AttackerView.of_moments(unchanged, ClassMoments(np.arange(2), MEANS, COUNTS, V, noise))
    linear = AttackerView.of_moments(unchanged, ClassMoments(np.arange(2), MEANS, COUNTS))
    for place, (row, code) in enumerate(zip(ROWS, CODES, strict=True)):
        z, n, v = row - CENTRES[code], COUNTS[code], noise[code] + 1 / 12
        first = z @ (n * (MEANS[code] - CENTRES[code]))
        assert linear.match(ROWS, CODES, CENTRES)[place] == pytest.approx(first)
        expected = first / v + n * z @ V[code] @ z / (2 * v**2)
        assert quadratic.match(ROWS, CODES, CENTRES)[place] == pytest.approx(expected)


def test_a_class_of_which_nothing_was_released_matches_nothing() -> None:
    view = AttackerView.of_moments(unchanged, ClassMoments(np.array([0]), MEANS[:1], COUNTS[:1]))
    match = view.match(ROWS, CODES, CENTRES)
    assert (match[CODES == 1] == 0).all()
    assert (match[CODES == 0] != 0).all()


def test_rows_without_moments_are_matched_by_their_distance() -> None:
    view = AttackerView(unchanged, MEANS, np.arange(2))
    by_hand = [-np.linalg.norm(row - MEANS[code]) for row, code in zip(ROWS, CODES, strict=True)]
    np.testing.assert_allclose(view.match(ROWS, CODES, CENTRES), by_hand)
    np.testing.assert_allclose(view.distances(ROWS, CODES), -np.array(by_hand))
    nearest = [min(np.linalg.norm(row - mean) for mean in MEANS) for row in ROWS]
    np.testing.assert_allclose(view.nearest(ROWS), nearest)


def test_rows_are_embedded_before_distances_are_taken() -> None:
    view = AttackerView(lambda X: 2 * X, MEANS, np.arange(2))
    plain = AttackerView(unchanged, MEANS, np.arange(2))
    np.testing.assert_allclose(view.nearest(ROWS), plain.nearest(2 * ROWS))
    assert unchanged(ROWS) is ROWS


def test_moments_of_rows_are_those_of_each_class() -> None:
    rows, labels = RNG.random((12, 3)), np.array([0] * 5 + [2] * 7)
    moments = moments_of_rows(rows, labels)
    assert moments.labels.tolist() == [0, 2]
    assert moments.counts.tolist() == [5, 7]
    assert moments.covariances is not None
    np.testing.assert_allclose(moments.means[1], rows[5:].mean(axis=0))
    np.testing.assert_allclose(moments.covariances[0], np.cov(rows[:5].T, ddof=0))


def test_covariances_of_very_many_columns_are_left_out() -> None:
    wide = np.zeros((2, MOST_COLUMNS + 1))
    assert moments_of_rows(wide, np.array([0, 1])).covariances is None
    assert moments_of_rows(wide[:, 1:], np.array([0, 1])).covariances is not None
