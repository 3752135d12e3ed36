"""The normal law of one number, to the last digits of a double; arrays are for scipy, which takes longer to load."""

import math

ROOT_HALF = math.sqrt(0.5)
HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
# From here on the complementary error function nears the smallest double, and five terms of a series say all of it.
FAR = -37.0
# More than the rounding of the last step of a search, in parts of 1 + |x|.
ROUNDING = 2.0**-50


def log_cdf(x: float) -> float:
    """Return log Phi(x), Phi the distribution function of the standard normal law.

    Phi(x) = erfc(-x/√2)/2. Far out log Phi(x) = -x²/2 - log(-x √2π) + log(1 - 1/x² + 3/x⁴ - 15/x⁶ + ...).
    """
    if x >= 0:
        return math.log1p(-0.5 * math.erfc(x * ROOT_HALF))
    if x > FAR:
        return math.log(0.5 * math.erfc(-x * ROOT_HALF))
    inverse = 1 / (x * x)
    series = -inverse * (1 - 3 * inverse * (1 - 5 * inverse * (1 - 7 * inverse * (1 - 9 * inverse))))
    return math.log1p(series) - 0.5 * x * x - math.log(-x) - HALF_LOG_TWO_PI


def inverse_log_cdf(log_probability: float) -> float:
    """Return x <= 0 with log Phi(x) = ``log_probability``, which is at most log(1/2); rounded down.

    Phi(x) <= e^(-x²/2)/2 for x <= 0, so that -√(-2 log_probability) lies below x. Newton's steps from there never pass
    x, because log Phi is concave: they go up until rounding stops them.
    """
    x = -math.sqrt(-2 * log_probability)
    while True:
        logarithm = log_cdf(x)
        # The derivative of log Phi is phi/Phi.
        slope = math.exp(-0.5 * x * x - HALF_LOG_TWO_PI - logarithm)
        nearer = x + (log_probability - logarithm) / slope
        if not nearer > x:
            return x - ROUNDING * (1 - x)
        x = nearer
