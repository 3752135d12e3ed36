"""Output layers of the private autoencoder: by noisy moments of codes and labels, or by a perturbed objective."""

import math

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.models.autoencoder.functional_mechanism import MomentQuery, Norm, Polynomial, released_moments
from tacit.models.autoencoder.layers import NoisyQuery
from tacit.models.two_class_problems import EVERY_CLASS, INSIDE, classes_query, n_problems, query_of, signs_of
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import AgainstRest, ObjectivePerturbation

# How long the weights of an output layer are expected to be, for codes of length 1: chosen on digits other than those
# of the tables. Half or twice as much changes little.
EXPECTED_LENGTH = 20.0
BECAUSE = (
    "codes have length at most 1, so adding a row moves the gradient by at most 1 and the Hessian by at most 1/4 in "
    "one direction; the solver's gradient is at most {tolerance:.1g}, which noise of its own hides"
)


def class_targets(codes: NDArray[np.intp], n_classes: int) -> FloatArray:
    """Return targets around zero: for two classes one column of ∓1/2, else the indicator of each class minus 1/C.

    What all outputs have in common moves all scores alike, so the indicator may be centred: a shorter target.
    """
    if n_classes == 2:
        return np.asarray(codes[:, None] - 0.5, dtype=np.float64)
    return np.asarray(np.eye(n_classes)[codes] - 1 / n_classes)


def output_query(n_classes: int, n_units: int, *, norm: Norm) -> MomentQuery:
    """Return the moments the output layer needs, of ``n_units`` code units and a constant one.

    Targets have 1-norm 1/2 for two classes, else 2 (1 - 1/C), and 2-norm 1/2 or sqrt(1 - 1/C); codes have length 1.
    """
    kept = 1 - 1 / n_classes
    length = 0.5 if n_classes == 2 else (2 * kept if norm == 1 else math.sqrt(kept))
    hidden = 1.0 if norm == 2 else math.sqrt(n_units + 1)
    return MomentQuery(n_problems(n_classes), n_units + 1, length, hidden, norm)


def functional_output(
    account: Account, noisy_query: NoisyQuery, H: FloatArray, codes: NDArray[np.intp], n: int
) -> FloatArray:
    """Return weights [1 or C, b + 1] by the functional mechanism, from code ``H`` and labels of ``n`` classes."""
    query, mechanism = noisy_query
    C, M = released_moments(account, query, mechanism, class_targets(codes, n), H)
    # The targets are already t - 1/2, so the linear coefficients are -C.
    return Polynomial(-C, M / 8).minimiser(ridge=query.ridge(mechanism) / 8)


def perturbed_step(n_classes: int, n_units: int, epsilon: float) -> Step:
    """Return the planned objective perturbation: one for two classes, else one for each class, sharing ``epsilon``.

    The number of rows is not public, so the regularisation c may not depend on it. Along a direction in which the loss
    has curvature h, noise of variance v in the linear term and c itself move a weight w by (c w + noise)/(h + c), which
    costs h/2 (c² w² + v)/(h + c)², at most (c w² + v/c)/8, at h = c. That is least for c = sqrt(v)/w: with v = (d +
    1)/epsilon² and |w| = 20 over all d coordinates, c = sqrt(d (d + 1))/(20 epsilon).
    """
    problems, d = n_problems(n_classes), n_units + 1
    share = epsilon / problems
    curvature = math.sqrt(d * (d + 1)) / (EXPECTED_LENGTH * share)
    one = ObjectivePerturbation.for_epsilon(share, curvature=curvature, dimension=d, neighbours="added")
    what, because = "the weights of the output layer", BECAUSE.format(tolerance=one.tolerance)
    if problems == 1:
        return Step(one, what, because)
    return Step(AgainstRest(one, problems), f"{what}, one class against the rest", because + EVERY_CLASS)


def perturbed_output(account: Account, step: Step, H: FloatArray, codes: NDArray[np.intp], n: int) -> FloatArray:
    """Return weights [1 or C, b + 1] by objective perturbation, from code ``H`` and labels of ``n`` classes."""
    inside, none = np.full(len(H), INSIDE), np.zeros((n_problems(n), H.shape[1]))
    if n > 2:
        return account.release(step.mechanism, classes_query(H, inside, codes, none, len(H)))
    return account.release(step.mechanism, query_of(H, inside * signs_of(codes, n)[0], none[0], len(H)))[None]
