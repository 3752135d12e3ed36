"""Class scores with and without releases, pooled by how likely they make the receiver's labels.

What was learned together with a release can be worse than what was learned without it: the release's mistakes enter the
guesses of unlabelled rows. Both are kept, and the mean of the two errs less often than either.
"""

import numpy as np
from scipy.special import log_softmax, logsumexp

from tacit.arrays import Codes, FloatArray

# The joined scores' part in each hypothesis, and the hypotheses' prior probabilities.
PARTS = np.array([0.0, 0.5, 1.0])
PRIOR = np.array([0.25, 0.5, 0.25])
JOINED_ONLY = np.array([0.0, 0.0, 1.0])


def pool_weights(own: FloatArray, joined: FloatArray, codes: Codes) -> FloatArray:
    """Return the posterior probability [3] of own scores, of the mean of both, and of joined ones.

    ``own`` and ``joined`` [L, C] are scores of the labelled rows by models that did not learn them.
    """
    rows = np.arange(len(codes))
    likelihoods = [each[rows, codes].sum() for each in _hypotheses(own, joined)]
    logs = np.asarray(likelihoods) + np.log(PRIOR)
    return np.asarray(np.exp(logs - logsumexp(logs)))


def joined_part(weights: FloatArray) -> float:
    """Return how much the joined scores count, from 0 to 1."""
    return float(weights @ PARTS)


def pooled(weights: FloatArray, own: FloatArray, joined: FloatArray) -> FloatArray:
    """Return the logarithm of the hypotheses' weighted class probabilities [N, C]."""
    powers = np.asarray(_hypotheses(own, joined))
    return np.asarray(logsumexp(powers, axis=0, b=weights[:, None, None]))


def _hypotheses(own: FloatArray, joined: FloatArray) -> list[FloatArray]:
    return [np.asarray(log_softmax((1 - part) * own + part * joined, axis=1)) for part in PARTS]
