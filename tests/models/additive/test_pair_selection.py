"""The choice of pairs: its query's sensitivity by brute force, what it finds, and that noise alone is not chosen."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.models.additive.tables import COLUMNS, random_codes, random_targets, with_row

from tacit.arrays import FloatArray
from tacit.models.additive.levels import LevelCodes
from tacit.models.additive.losses import class_residuals
from tacit.models.additive.pair_selection import (
    MOST_COLUMNS,
    SelectionNoise,
    candidate_pairs,
    choose_pairs,
    pair_query,
    pair_significance,
)
from tacit.models.additive.pairs import CoarseColumn, coarse_column, pair_features
from tacit.models.additive.rows import Batches, RowLayout, batches_of

LAYOUT = RowLayout(COLUMNS)
CLIP = 0.3
ENERGIES = np.array([4.0, 3.0, 2.0, 1.0])


def coarse(codes: LevelCodes) -> list[CoarseColumn]:
    return [
        coarse_column(levels, np.bincount(codes[:, place], minlength=levels.size).astype(float))
        for place, levels in enumerate(COLUMNS)
    ]


def tables(n_scores: int = 1, size: float = 0.0) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(2)
    return random.normal(0, size, (LAYOUT.size, n_scores)), random.normal(0, size, n_scores)


def slow_query(codes: LevelCodes, target: NDArray[np.intp], columns: list[CoarseColumn]) -> FloatArray:
    """Return the sum over rows of p - y = 1/2 - y times products of coarse features, each row shortened."""
    total = 0.0
    for row, label in zip(codes.astype(int), target, strict=True):
        of_columns = [column.values[column.cells[level]] for column, level in zip(columns, row, strict=True)]
        products = [np.outer(a, b).ravel() for a, b in itertools.combinations(of_columns, 2)]
        x = np.append(np.concatenate(products) / np.sqrt(len(products)), 0.5)
        part = (0.5 - label) * x
        total = total + part * min(1.0, CLIP / np.linalg.norm(part))
    return np.asarray(total)[:, None] / CLIP


def asked(batches: Batches, columns: list[CoarseColumn], at: tuple[FloatArray, FloatArray]) -> FloatArray:
    pairs = candidate_pairs(columns, ENERGIES)
    return pair_query(batches, LAYOUT, columns, at, class_residuals, pairs=pairs, clip=CLIP).values


def test_the_query_is_what_a_loop_over_rows_gives() -> None:
    codes, target = random_codes(90), random_targets(90, 2)
    query = asked(batches_of(codes, target, COLUMNS), coarse(codes), tables())
    np.testing.assert_allclose(query, slow_query(codes, target, coarse(codes)), atol=2e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_row_moves_the_query_by_more_than_one(n_classes: int) -> None:
    codes, target = random_codes(60), random_targets(60, n_classes)
    columns, at = coarse(codes), tables(1 if n_classes == 2 else n_classes, size=3.0)
    before = asked(batches_of(codes, target, COLUMNS), columns, at)
    extremes = [sorted({0, one.size // 2, one.size - 1}) for one in COLUMNS]
    moved = [
        np.linalg.norm(asked(with_row(codes, target, np.array([row], np.uint8), label), columns, at) - before)
        for row in itertools.product(*extremes)
        for label in range(n_classes)
    ]
    assert 0.9 < max(moved) <= 1


def test_noise_alone_has_unit_significance() -> None:
    columns = coarse(random_codes(500))
    pairs = candidate_pairs(columns, ENERGIES)
    size = sum(pair_features(*(columns[at] for at in pair.columns)).shape[1] for pair in pairs)
    random, noise = np.random.default_rng(0), SelectionNoise(CLIP, 4, 6.0, np.zeros(2))
    z = np.array([pair_significance(random.normal(0, 3, (size + 1, 2)), columns, pairs, noise) for _ in range(2000)])
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(z.std(axis=0), 1, atol=0.1)


def test_the_scatter_of_rows_is_not_taken_for_an_interaction() -> None:
    noise = SelectionNoise(CLIP, 4, 1e-6, np.full(1, 2000 * 0.25 / CLIP**2))
    z = []
    for seed in range(60):
        codes, target = random_codes(2000, seed), random_targets(2000, 2, seed)
        columns = coarse(codes)
        query = asked(batches_of(codes, target, COLUMNS), columns, tables())
        z.append(pair_significance(query, columns, candidate_pairs(columns, ENERGIES), noise))
    assert np.mean(z) < 0.3
    assert np.std(z) < 1.3


def chosen(codes: LevelCodes, target: NDArray[np.intp], sigma: float) -> list[tuple[int, int]]:
    random = np.random.default_rng(3)
    pairs = choose_pairs(
        batches_of(codes, target, COLUMNS),
        LAYOUT,
        coarse(codes),
        tables(),
        class_residuals,
        energies=ENERGIES,
        ask=lambda query, draws: query.values + random.normal(0, sigma / np.sqrt(draws), query.shape),
        noise=SelectionNoise(CLIP, 4, sigma, np.full(1, len(codes) * 0.25 / CLIP**2)),
    )
    return [pair.columns for pair in pairs]


def test_the_pair_whose_product_decides_is_found() -> None:
    codes = random_codes(4000)
    both = (codes[:, 0] > 15) ^ (codes[:, 2] > 0)
    target = (np.random.default_rng(1).random(4000) < 0.3 + 0.4 * both).astype(np.intp)
    assert chosen(codes, target, sigma=20.0) == [(0, 2)]


def test_random_labels_choose_nothing() -> None:
    assert chosen(random_codes(4000), random_targets(4000, 2), sigma=20.0) == []


def test_asked_are_the_pairs_of_the_strongest_columns_that_vary() -> None:
    column = coarse(random_codes(300))[3]
    flat = CoarseColumn(np.zeros(5, np.intp), np.zeros((1, 0)), np.ones(1))
    columns = [column] * (MOST_COLUMNS + 3)
    columns[1] = flat
    pairs = candidate_pairs(columns, np.arange(len(columns), 0, -1.0))
    assert len(pairs) == MOST_COLUMNS * (MOST_COLUMNS - 1) // 2
    assert {place for pair in pairs for place in pair.columns} == {0, *range(2, MOST_COLUMNS + 1)}
    assert candidate_pairs([column, flat], np.ones(2)) == []
