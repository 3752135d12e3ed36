import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtri_exp

from tacit.numerics.normal import FAR, inverse_log_cdf, log_cdf

EPS = 2.0**-52
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
POINTS = [0.0, 1e-300, 1e-9, 0.3, 1.0, 1.7, 2.5, 3.0, -1e-9, -0.3, -0.999, -1.0, -1.001, -1.7, -4.0, -9.0, -20.0, -36.9]
FURTHER = [FAR, math.nextafter(FAR, -math.inf), -37.1, -38.0, -45.0, -300.0, -1e4, -1e7]


def exact_log_cdf(x: float) -> Decimal:
    """Return log Phi(x): near 0 by 1/2 + phi(x) (x + x³/3 + x⁵/15 + ...), beyond 10 by Laplace's continued fraction."""
    with localcontext() as context:
        context.prec = 120
        y = Decimal(x)
        density = (-y * y / 2).exp() / (2 * PI).sqrt()
        if abs(x) < 10:
            term = total = y
            for k in range(1, 1000):
                term *= y * y / (2 * k + 1)
                total += term
            return (Decimal(1) / 2 + density * total).ln()
        below = -y
        for k in range(4000, 0, -1):
            below = -y + Decimal(k) / below
        return density.ln() - below.ln() if x < 0 else (1 - density / (-below)).ln()


@pytest.mark.parametrize("x", [*POINTS, *FURTHER])
def test_the_logarithm_is_right_to_the_last_digits(x: float) -> None:
    exact = exact_log_cdf(x)
    assert abs(Decimal(log_cdf(x)) - exact) <= Decimal(4 * EPS) * max(abs(exact), Decimal("0.01"))


def test_the_oracle_is_right_where_the_value_is_known() -> None:
    assert float(exact_log_cdf(0.0)) == pytest.approx(math.log(0.5), rel=1e-15)
    assert float(exact_log_cdf(-9.999)) == pytest.approx(float(exact_log_cdf(-10.001)), rel=1e-3)
    # Phi(-10) = 7.6198530241605260660e-24, a tabulated value.
    assert float(exact_log_cdf(-10.0).exp()) == pytest.approx(7.6198530241605260660e-24, rel=1e-15)


def test_the_logarithm_agrees_with_the_library_for_arrays() -> None:
    points = np.concatenate([-np.geomspace(1e-12, 1e6, 4000), np.linspace(-40, 3, 4000), [-np.inf]])
    ours = np.array([log_cdf(x) for x in points.tolist()])
    assert np.allclose(ours, log_ndtr(points), rtol=1e-14, atol=0)
    assert log_cdf(math.inf) == 0.0


def test_the_inverse_is_rounded_down_and_by_no_digit_that_matters() -> None:
    for y in -np.geomspace(math.log(2) * (1 + 1e-9), 1e6, 500):
        x = inverse_log_cdf(float(y))
        assert x == pytest.approx(float(ndtri_exp(y)), rel=1e-12, abs=1e-14)
    for y in [-math.log(2) - 1e-3, -1.0, -3.0, -40.0, -700.0]:
        x = inverse_log_cdf(y)
        assert exact_log_cdf(x) <= Decimal(y) <= exact_log_cdf(x + 32 * EPS * (1 - x))


def test_half_a_probability_is_at_the_middle() -> None:
    assert -1e-14 < inverse_log_cdf(-math.log(2)) <= 0.0
