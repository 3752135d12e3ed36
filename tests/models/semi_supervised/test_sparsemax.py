"""Sparsemax in torch against its numpy form."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from tacit.errors import InputError
from tacit.models.semi_supervised.sparsemax import below_the_largest, sparse_probabilities, sparsemax, threshold
from tacit.numerics import sparsemax as plain_sparsemax


def test_the_product_with_the_jacobian_of_sparsemax_is_the_known_one() -> None:
    logits = torch.tensor([[0.5, 0.2, 0.1, -0.3, -1.0]], dtype=torch.float64, requires_grad=True)
    p = sparsemax(logits)
    (product,) = torch.autograd.grad(p, logits, torch.tensor([[1, -2, 3, 0.5, 7]], dtype=torch.float64))
    assert_allclose(p.detach(), plain_sparsemax.sparsemax(logits.detach().numpy()), atol=1e-15)
    assert_allclose(product, [[0.33333333, -2.66666667, 2.33333333, 0.0, 0.0]], atol=1e-8)


@pytest.mark.parametrize("n_classes", [3, 50])
def test_logits_that_are_not_numbers_come_out_as_such_and_end(n_classes: int) -> None:
    assert sparsemax(torch.full((1, n_classes), torch.nan)).isnan().all()


@pytest.mark.parametrize("n_classes", [1, 2, 31, 32, 200])
@pytest.mark.parametrize("spread", [0.01, 1.0, 1e6])
def test_probabilities_are_those_of_the_numpy_form(n_classes: int, spread: float) -> None:
    logits = spread * np.random.default_rng(n_classes).standard_normal((40, n_classes))
    p = sparse_probabilities(torch.tensor(logits))
    assert_allclose(p, plain_sparsemax.sparsemax(logits), atol=1e-12)
    assert_allclose(p.sum(dim=1), 1.0, atol=1e-12)


def test_the_threshold_leaves_a_mass_of_one() -> None:
    shifted = below_the_largest(torch.tensor([[1.0, 0.5, -3.0], [2.0, 2.0, 2.0]]))
    assert shifted.amax(dim=1).tolist() == [0.0, 0.0]
    assert threshold(shifted).flatten().tolist() == pytest.approx([-0.75, -1 / 3])


def test_gradients_pass_gradcheck_off_the_edges() -> None:
    logits = torch.tensor(
        [[0.5, 0.2, 0.1, -0.3, -1.0], [2.0, 0.0, 0.0, 0.0, 0.0]], dtype=torch.float64
    ).requires_grad_()
    assert torch.autograd.gradcheck(sparsemax, (logits,))


@pytest.mark.parametrize("wrong", [torch.zeros(3), torch.zeros(3, 0), torch.zeros(3, 2, dtype=torch.long)])
def test_anything_but_rows_of_logits_is_refused(wrong: torch.Tensor) -> None:
    with pytest.raises(InputError, match="logits must be floating-point numbers"):
        sparse_probabilities(wrong)
