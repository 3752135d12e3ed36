"""Statistics that add up, and the filter that takes noise out."""

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.kinds.noisy_rows.rows import PrivateRows
from tacit.situations.federated.shared_filter import (
    Filter,
    Statistics,
    checked_statistics,
    filtered,
    learn_filter,
    pooled,
    statistics_of,
)


def noisy_rows(n: int, seed: int = 0, *, scale: float = 0.5, n_classes: int = 3) -> tuple[np.ndarray, PrivateRows]:
    """Rows near a line through each class's centre, in [0, 1], and the same with Laplace noise."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n)
    centres = np.random.default_rng(99).uniform(0.3, 0.7, (n_classes, 6))
    direction = np.array([1, -1, 1, -1, 1, -1]) / np.sqrt(6)
    clean = np.clip(centres[codes] + 0.25 * rng.standard_normal((n, 1)) * direction, 0, 1)
    noisy = (clean + rng.laplace(0, scale, clean.shape)).astype(np.float32)
    return clean, PrivateRows(noisy, codes.astype(np.intp), np.full(6, scale), n_classes)


def test_statistics_of_parts_add_up_to_those_of_all_rows() -> None:
    _, private = noisy_rows(60)
    parts = [
        PrivateRows(private.rows[part], private.codes[part], private.scale, 3)
        for part in np.array_split(np.arange(60), 4)
    ]
    whole, summed = statistics_of(private), pooled([statistics_of(part) for part in parts])
    for name, array in whole.arrays().items():
        np.testing.assert_allclose(summed.arrays()[name], array, rtol=1e-4, atol=1e-4)


def test_statistics_are_those_of_a_loop_over_rows() -> None:
    _, private = noisy_rows(25)
    found, b = statistics_of(private), 0.5
    sums, products, noise = np.zeros((3, 6)), np.zeros((6, 6)), np.zeros(6)
    for row, code in zip(private.rows.astype(float), private.codes, strict=True):
        fair = np.array([-b if v < 0 else 1 + b if v > 1 else v for v in row])
        square = np.array([0 if v < 0 else 1 + 2 * b if v > 1 else v**2 - 2 * b**2 for v in row])
        sums[code] += fair
        products += np.outer(fair, fair)
        noise += fair**2 - square
    np.testing.assert_allclose(found.sums, sums, atol=1e-4)
    np.testing.assert_allclose(found.products, products, atol=1e-3)
    np.testing.assert_allclose(found.noise, noise, atol=1e-3)


def test_the_filter_brings_rows_nearer_to_the_clean_ones_and_more_parties_help() -> None:
    clean, private = noisy_rows(200)
    _, others = noisy_rows(5000, seed=1)

    def error(rows: np.ndarray) -> float:
        return float(np.square(rows - clean).mean())

    alone = learn_filter(statistics_of(private))
    together = learn_filter(pooled([statistics_of(private), statistics_of(others)]))
    assert error(filtered(private, together)) < error(filtered(private, alone)) < 0.5 * error(private.rows)


def test_the_filter_keeps_what_varies_and_shrinks_what_does_not() -> None:
    _, private = noisy_rows(20_000)
    gain = learn_filter(statistics_of(private)).gain
    direction = np.array([1, -1, 1, -1, 1, -1]) / np.sqrt(6)
    across = np.array([1, 1, 0, 0, 0, 0]) / np.sqrt(2)
    # 0.25² of variance along the direction (a little less after clipping) beside the noise's.
    assert 0.08 < direction @ gain @ direction < 0.35
    assert abs(across @ gain @ across) < 0.03


def test_a_party_with_one_row_of_one_class_takes_part() -> None:
    _, private = noisy_rows(50)
    one = PrivateRows(private.rows[:1], private.codes[:1], private.scale, 3)
    shared = learn_filter(pooled([statistics_of(one), statistics_of(private)]))
    assert np.isfinite(filtered(one, shared)).all()
    assert np.isfinite(filtered(one, learn_filter(statistics_of(one)))).all()


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        ("counts", np.zeros(3), "not all 0"),
        ("counts", np.array([-1.0, 5, 5]), "at least 0"),
        ("sums", np.full((3, 6), np.nan), "finite"),
        ("products", np.zeros((6, 5)), "shape"),
        ("noise", np.full(6, np.inf), "finite"),
    ],
)
def test_statistics_that_no_party_can_have_are_refused(name: str, array: np.ndarray, said: str) -> None:
    good = statistics_of(noisy_rows(20)[1])
    assert checked_statistics(good, n_classes=3, n_features=6) is good
    with pytest.raises(InputError, match=said):
        checked_statistics(Statistics(**{**good.arrays(), name: array}), n_classes=3, n_features=6)


def test_a_filter_for_other_columns_and_no_statistics_are_refused() -> None:
    _, private = noisy_rows(20)
    with pytest.raises(InputError, match="6 columns"):
        filtered(private, Filter(np.zeros((3, 5), np.float32), np.eye(5, dtype=np.float32)))
    with pytest.raises(InputError, match="at least one"):
        pooled([])
