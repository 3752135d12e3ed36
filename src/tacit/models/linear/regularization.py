"""How strongly private linear classifiers are regularised where nobody says, from public numbers alone."""

# On rows of unit length this much regularisation makes noise bearable at any epsilon, and costs little without noise.
REGULARIZATION = 1.0
# Of the ridge of least expected error: chosen on eleven tables of pydataset with 1000 to 16000 rows at epsilon .5 to 3.
NOISE_RATIO = 1500.0
# How much the loss of a row of length 1 bends where rows of tables vary: a public guess, chosen on eleven tables of
# pydataset of which a part of the rows was the source of another part.
BEND = 0.1
# Variance of a weight that the ridge of least expected error is made for: 4/(h v) is NOISE_RATIO.
VARIANCE = 4 / (BEND * NOISE_RATIO)


def default_regularization(n_rows: int, epsilon: float, n_features: int, *, bounded: bool = False) -> float:
    """Return lambda of rows of length 1 without a prior: min(1, 2d/(n epsilon)), at which noise has length 1.

    Columns that were scaled by public bounds vary little within them, and strong regularisation forgets them. If
    ``bounded``, lambda is also at most `least_error_regularization`.
    """
    strength = min(REGULARIZATION, 2 * n_features / (max(n_rows, 1) * epsilon))
    return min(strength, least_error_regularization(n_rows, epsilon, n_features)) if bounded else strength


def least_error_regularization(n_rows: int, epsilon: float, n_features: int, *, left: float = 1.0) -> float:
    """Return 1500 d/(n epsilon)², the ridge of least expected error; with a prior, towards that.

    Noise of variance 4d/epsilon² in each coordinate of the sum of gradients, over the curvature n h of the loss and
    the variance v of true weights, is Lambda = 4d/(epsilon² n h v) = n lambda. On unit rows of mixed tables 4/(h v) is
    about 1500. A prior leaves the part ``left`` of v open.
    """
    return NOISE_RATIO * n_features / ((max(n_rows, 1) * epsilon) ** 2 * left)
