import numpy as np
import pytest

from tacit.numerics import partition
from tacit.numerics.partition import RowIndices, neighbouring_parts


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def times_used(parts: list[RowIndices], n_rows: int) -> RowIndices:
    assert all(len(np.unique(part)) == len(part) for part in parts)
    return np.bincount(np.concatenate(parts), minlength=n_rows)


def test_few_rows_are_one_part(rng: np.random.Generator) -> None:
    rows = rng.permutation(40)
    parts = neighbouring_parts(rng.normal(size=(40, 2)), rows, 40, 2)
    assert len(parts) == 1
    assert np.array_equal(parts[0], rows)


@pytest.mark.parametrize(("n_rows", "size"), [(1000, 100), (5000, 40), (333, 50)])
def test_without_overlap_every_row_is_in_one_part_of_bounded_size(
    n_rows: int, size: int, rng: np.random.Generator
) -> None:
    Y = rng.standard_cauchy(size=(n_rows, 3))  # far outliers make k-means parts uneven
    parts = neighbouring_parts(Y, rng.permutation(n_rows), size, 1)
    assert (times_used(parts, n_rows) == 1).all()
    assert max(map(len, parts)) <= 2 * size


@pytest.mark.parametrize(("n_rows", "size"), [(1000, 100), (5000, 100)])
def test_with_overlap_every_row_is_in_that_many_parts_of_bounded_size(
    n_rows: int, size: int, rng: np.random.Generator
) -> None:
    Y = rng.random(size=(n_rows, 2))
    parts = neighbouring_parts(Y, rng.permutation(n_rows), size, 2)
    used = times_used(parts, n_rows)
    assert used.min() >= 1
    assert used.mean() == pytest.approx(2, abs=0.4)
    assert max(map(len, parts)) <= 2 * size


def test_the_number_of_parts_is_that_of_the_paper(rng: np.random.Generator) -> None:
    parts = neighbouring_parts(rng.random(size=(6000, 2)), rng.permutation(6000), 1000, 1)
    assert len(parts) == 6  # S = ⌈N/1000⌉


def test_a_part_holds_neighbours(rng: np.random.Generator) -> None:
    Y = np.concatenate([rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) + 50])
    for part in neighbouring_parts(Y, rng.permutation(200), 100, 1):
        assert len(set(part < 100)) == 1


def test_only_the_given_rows_are_split(rng: np.random.Generator) -> None:
    rows = rng.permutation(500)[:200]
    parts = neighbouring_parts(rng.random((500, 2)), rows, 50, 1)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.sort(rows))


@pytest.mark.parametrize("overlap", [1, 2])
def test_equal_rows_are_dealt_out(overlap: int, rng: np.random.Generator) -> None:
    parts = neighbouring_parts(np.ones((1000, 2)), rng.permutation(1000), 100, overlap)
    assert (times_used(parts, 1000) == 1).all()
    assert {len(part) for part in parts} == {100}


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_almost_equal_rows_end_in_bounded_parts(overlap: int, rng: np.random.Generator) -> None:
    Y = np.ones((1000, 2))
    Y[:30] = rng.normal(size=(30, 2))
    parts = neighbouring_parts(Y, rng.permutation(1000), 100, overlap)
    assert times_used(parts, 1000).min() >= 1
    assert max(map(len, parts)) <= 200


def test_parts_keep_the_random_order_of_the_rows(rng: np.random.Generator) -> None:
    rows = rng.permutation(400)
    place = np.argsort(rows)
    for part in neighbouring_parts(rng.random((400, 2)), rows, 50, 2):
        assert (np.diff(place[part]) > 0).all()


def test_a_sample_of_the_rows_is_enough_to_find_the_parts(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(partition, "SAMPLE_SIZE", 200)
    parts = neighbouring_parts(rng.random((3000, 2)), rng.permutation(3000), 200, 1)
    assert (times_used(parts, 3000) == 1).all()
    assert max(map(len, parts)) <= 400
