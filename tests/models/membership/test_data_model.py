"""The data model against the printed formula, written out with the kernel's variance and in full matrices."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.models.membership.data_model import log_memberships
from tacit.models.membership.mapping import MembershipMapping
from tacit.models.membership.solution import learn_on_basis, make_basis, smoothing
from tacit.numerics.kernels import feature_scales

Doubles = NDArray[np.float64]
NU = 2.1
# Rows, outputs and landmarks of the independent figures in test_solution.
X = np.array([[0, 0], [1, 0], [0, 2], [1, 2], [0.5, 1], [0.25, 1.5]])
Y = np.array([[0, 1, 0], [0.2, 0.8, 0], [0.1, 0.3, 0.5], [0.4, 0.1, 0.6], [0.2, 0.5, 0.3], [0.15, 0.4, 0.4]])
A = np.array([[0.25, 0.5], [0.75, 1.5]])


def printed(y: Doubles, alpha: Doubles, *, variance: float, beta: float) -> float:
    """Return log of [membership] eq. 45 with m = K_aa alpha, term by term."""
    w = np.array([1.0, 0.25])

    def kernel(P: Doubles, Q: Doubles) -> Doubles:
        return np.array([[variance * np.exp(-0.5 * (w * (p - q) ** 2).sum()) for q in Q] for p in P])

    K_xx, K_xa, K_aa = kernel(X, X), kernel(X, A), kernel(A, A)
    inverse = np.linalg.inv(K_aa)
    m = K_aa @ alpha
    trace = (np.trace(K_xx) - np.trace(inverse @ K_xa.T @ K_xa)) / (NU + len(A) - 2)
    braces = (
        y @ y - 2 * m @ inverse @ K_xa.T @ y + m @ inverse @ K_xa.T @ K_xa @ inverse @ m + m @ (trace * inverse) @ m
    )
    return float(-0.5 * beta * braces)


@pytest.mark.parametrize("factor", [1.0, 10.0], ids=["sigma² is 1", "sigma² above 1"])
def test_memberships_are_those_of_the_printed_formula(factor: float) -> None:
    basis = make_basis(A, feature_scales(X))
    mapping = learn_on_basis(basis, smoothing(basis, X), X, factor * Y)
    found = log_memberships(mapping, X, factor * Y)
    for j in range(3):
        alpha = np.asarray(mapping.coefficients[:, j], dtype=np.float64) / mapping.variance
        oracle = printed(factor * Y[:, j], alpha, variance=mapping.variance, beta=1 / mapping.noise)
        assert found[j] == pytest.approx(oracle)
    assert (found < 0).all()


def test_outputs_that_the_mapping_does_not_follow_belong_less() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((200, 3))
    y = np.sin(3 * rows[:, 0]) + 0.1 * rng.normal(size=200)
    model = MembershipMapping(random_state=0).fit(rows, y)
    own = model.log_memberships(rows, y)
    assert own.shape == (1,)
    assert model.log_memberships(rows, y[::-1]) < 1.5 * own
    # The mapping's own outputs are what belongs most.
    assert model.log_memberships(rows, model.predict(rows)) > own


def test_several_outputs_have_a_membership_each() -> None:
    rng = np.random.default_rng(1)
    rows, outputs = rng.random((60, 2)), rng.random((60, 3))
    model = MembershipMapping(random_state=0).fit(rows, outputs)
    together = model.log_memberships(rows, outputs)
    swapped = outputs.copy()
    swapped[:, 1] = outputs[::-1, 1]
    changed = model.log_memberships(rows, swapped) != together
    assert changed.tolist() == [False, True, False]


def test_an_exact_fit_admits_itself_alone() -> None:
    rows = np.array([[0.0], [1.0], [2.0]])
    model = MembershipMapping(landmarks=rows).fit(rows, np.zeros(3))
    assert model.mapping_.noise == 0
    assert model.log_memberships(rows, np.zeros(3)).tolist() == [0.0]
    assert model.log_memberships(rows, np.ones(3)).tolist() == [-np.inf]


def test_outputs_of_another_shape_are_refused() -> None:
    rows = np.random.default_rng(0).random((10, 2))
    model = MembershipMapping(random_state=0).fit(rows, rows[:, 0])
    for wrong in (np.zeros(9), np.zeros((10, 2))):
        with pytest.raises(InputError, match="y must have shape"):
            model.log_memberships(rows, wrong)
