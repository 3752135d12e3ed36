"""Products without rounding: exact in rationals, near the usual ones, and the same wherever a row stands."""

import os
import platform
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.numerics.exact_products import ExactMatrix

SOURCES = Path(__file__).parents[2] / "src"


def rows_and_matrix(n: int, p: int, k: int, largest: float = 1.0) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(n + p + k)
    return random.uniform(-largest, largest, (n, p)), random.normal(size=(p, k)) * random.uniform(0.01, 30, k)


@pytest.mark.parametrize(("p", "k", "largest"), [(1, 1, 1.0), (3, 2, 0.3), (50, 4, 7.0), (784, 3, 1.0)])
def test_products_are_those_of_rationals(p: int, k: int, largest: float) -> None:
    X, B = rows_and_matrix(2, p, k, largest)
    exact = ExactMatrix.of(B, largest=largest)
    rows, products = exact.cut(X), exact(X)
    for row, product in zip(rows, products, strict=True):
        for column, value in zip(exact.values.T, product, strict=True):
            terms = (Fraction(float(x)) * Fraction(float(b)) for x, b in zip(row, column, strict=True))
            assert sum(terms, Fraction(0)) == Fraction(float(value))


def test_they_are_as_near_to_the_usual_ones_as_single_precision() -> None:
    X, B = rows_and_matrix(100, 300, 20)
    lengths = np.linalg.norm(X, axis=1)[:, None] * np.linalg.norm(B, axis=0)
    assert (np.abs(ExactMatrix.of(B, largest=1.0)(X) - X @ B) < 2e-7 * lengths).all()


@pytest.mark.parametrize("size", [0.0, 1e-150, 1e30])
def test_matrices_of_any_size_are_cut(size: float) -> None:
    exact = ExactMatrix.of(np.full((4, 2), size), largest=2.0)
    assert np.allclose(exact(np.ones((3, 4))), 4 * size, rtol=1e-7)


def test_longer_entries_are_clipped_and_rows_of_none_give_none() -> None:
    exact = ExactMatrix.of(np.eye(2), largest=0.5)
    assert np.array_equal(exact(np.array([[3.0, -0.25]])), [[0.5, -0.25]])
    assert exact(np.empty((0, 2))).shape == (0, 2)


def moved_rows() -> int:
    """Return how many rows have other products when they stand elsewhere, over several shapes."""
    moved = 0
    for n, p, k in ((1024, 64, 300), (1024, 700, 301), (512, 105, 256), (512, 300, 1), (40, 392, 1000)):
        X, B = rows_and_matrix(n, p, k)
        exact = ExactMatrix.of(B, largest=1.0)
        together = exact(X)
        for shift in (1, 2, 3, 5, 17):
            moved += int((np.roll(together, shift, axis=0) != exact(np.roll(X, shift, axis=0))).any(axis=1).sum())
            moved += int((together[shift:] != exact(X[shift:])).any(axis=1).sum())
    return moved


@pytest.mark.parametrize("processor", ["Prescott", "Nehalem", "Sandybridge", "Haswell", ""])
def test_a_row_has_the_same_products_wherever_it_stands(processor: str) -> None:
    """Also with the matrix products of other processors, which round by place: the library takes those it is told."""
    if processor and platform.machine() not in {"x86_64", "AMD64"}:
        pytest.skip("the products of these processors are for x86 alone")
    paths = os.pathsep.join([str(SOURCES), str(SOURCES.parent)])
    environment = {**os.environ, "OPENBLAS_CORETYPE": processor, "PYTHONPATH": paths}
    if not processor:
        del environment["OPENBLAS_CORETYPE"]
    code = "from tests.numerics.test_exact_products import moved_rows; print(moved_rows())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "0", done.stderr
