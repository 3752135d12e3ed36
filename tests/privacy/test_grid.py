import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy.mechanisms.additive import Gaussian, Laplace
from tacit.privacy.mechanisms.base import from_grid, integers_to_grid, step_for, to_grid
from tacit.privacy.stream import NoiseStream

reals = st.floats(-1e6, 1e6, allow_nan=False)


@given(sensitivity=st.floats(1e-9, 1e9), coordinates=st.integers(1, 10**7))
def test_the_step_is_a_power_of_two_that_costs_little(sensitivity: float, coordinates: int) -> None:
    step = step_for(sensitivity, coordinates)
    assert math.frexp(step)[0] == 0.5
    assert coordinates * step <= sensitivity * 2**-14 < 2 * coordinates * step


@given(first=reals, second=reals, power=st.integers(-30, 3))
def test_rounding_moves_neighbours_apart_by_no_more_than_a_step(first: float, second: float, power: int) -> None:
    step = 2.0**power
    one, two = to_grid(np.array([first, second]), step)
    assert abs(int(one) - int(two)) <= math.ceil(abs(Fraction(first) - Fraction(second)) / Fraction(step))


def test_values_return_to_their_cells() -> None:
    assert from_grid(to_grid(np.array([0.3, -0.3]), 0.25), 0.25).tolist() == [0.25, -0.5]


@pytest.mark.parametrize("values", [[np.nan], [np.inf], [1e300]])
def test_values_that_no_grid_holds_are_refused(values: list[float]) -> None:
    with pytest.raises(InputError, match="values must"):
        to_grid(np.array(values), 1.0)


@pytest.mark.parametrize("step", [2.0**-30, 2.0**-20, 2.0**-3])
def test_whole_quanta_land_where_their_products_do(step: float) -> None:
    integers, quantum = np.array([[3, -5], [2**40, -(2**41) - 1]]), 2.0**-20
    assert np.array_equal(integers_to_grid(IntegerSum(integers, quantum), step), to_grid(integers * quantum, step))


def test_sums_beyond_64_bits_are_exact() -> None:
    cells = integers_to_grid(IntegerSum(np.array([2**62, 2**62 + 1]), 2.0**-4), 2.0**-30)
    assert cells.tolist() == [2**88, 2**88 + 2**26]
    assert from_grid(cells, 2.0**-30).tolist() == [2.0**58, 2.0**58]
    with pytest.raises(InputError, match="quantum must be a power of two"):
        integers_to_grid(IntegerSum(np.array([1]), 0.3), 0.25)


@pytest.mark.parametrize("step", [2.0**-80, 2.0**70])
def test_steps_far_from_the_quantum_have_room(step: float) -> None:
    integers = np.array([-3, 0, 2**62])
    expected = [int(value / Fraction(step) // 1) for value in map(Fraction, integers.tolist())]
    assert integers_to_grid(IntegerSum(integers, 1.0), step).tolist() == expected


@pytest.mark.parametrize("mechanism", [Gaussian(2.0, 1.0, 3), Laplace(2.0, 1.0, 3)])
def test_noise_is_the_same_for_integers_as_for_their_products(mechanism: Gaussian | Laplace) -> None:
    integers, quantum = np.array([[5, -7, 11]]), 2.0**-12
    drawn = mechanism.draw(IntegerSum(integers, quantum), NoiseStream(3))
    assert np.array_equal(drawn, mechanism.draw(integers * quantum, NoiseStream(3)))
