import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.privacy.mechanisms.base import from_grid, step_for, to_grid

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
