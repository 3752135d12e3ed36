"""Adversarial directions against the exact ones."""

import pytest
import torch
from numpy.testing import assert_allclose
from torch import Tensor

from tacit.errors import InputError
from tacit.models.semi_supervised import losses
from tacit.models.semi_supervised.virtual_adversarial import softmax_divergence, vat_direction


def test_the_direction_is_the_steepest_in_single_precision_and_a_tiny_step_loses_it() -> None:
    torch.manual_seed(0)
    # As spread as torch starts linear layers; larger logits stand out of their rounding more.
    first, last, rows = torch.randn(128, 64) / 14, torch.randn(10, 128) / 20, torch.randn(50, 64)

    def network(x: Tensor) -> Tensor:
        return (x @ first.T).relu() @ last.T

    p = network(rows).softmax(dim=1).double()
    J = last.double() * (rows @ first.T > 0)[:, None, :] @ first.double()  # [50, 10, 64]
    curvature = J.mT @ (torch.diag_embed(p) - p[:, :, None] * p[:, None, :]) @ J  # Hessian of the divergence
    steepest = torch.linalg.eigh(curvature).eigenvectors[:, :, -1].float()
    directions = {xi: vat_direction(network, rows, xi=xi, n_steps=10) for xi in (0.01, 1e-6)}
    match = {xi: float((way * steepest).sum(dim=1).abs().median()) for xi, way in directions.items()}
    assert match[0.01] > 0.95
    assert match[1e-6] < 0.8
    assert_allclose(directions[0.01].norm(dim=1), 1.0, atol=1e-5)
    assert not directions[0.01].requires_grad


def test_a_row_without_a_slope_keeps_a_unit_direction_and_parameters_get_no_gradient() -> None:
    linear = torch.nn.Linear(4, 3)
    network = torch.nn.Sequential(torch.nn.Flatten(), linear)
    with torch.no_grad():
        linear.bias.copy_(torch.tensor([50.0, 0.0, 0.0]))  # one-hot for sure: sparsemax does not move
    generator = torch.Generator().manual_seed(0)
    rows = torch.zeros(5, 1, 2, 2)
    for divergence in (softmax_divergence, losses.consistency_loss):
        way = vat_direction(network, rows, divergence=divergence, generator=generator)
        assert way.shape == rows.shape
        assert_allclose(way.flatten(1).norm(dim=1), 1.0, atol=1e-5)
    assert all(parameter.grad is None for parameter in network.parameters())


def test_the_divergence_is_that_of_the_probabilities_and_the_reference_stays_fixed() -> None:
    torch.manual_seed(0)
    logits, reference = torch.randn(5, 4).requires_grad_(), torch.randn(5, 4).requires_grad_()
    p, q = reference.softmax(dim=1), logits.softmax(dim=1)
    divergence = softmax_divergence(logits, reference)
    assert_allclose(divergence.detach(), (p * (p / q).log()).sum(dim=1).detach(), atol=1e-6)
    divergence.sum().backward()  # type: ignore[no-untyped-call]
    assert reference.grad is None
    assert logits.grad is not None
    assert_allclose(logits.grad, (q - p).detach(), atol=1e-6)


def test_steps_of_no_length_and_no_steps_are_refused() -> None:
    rows = torch.zeros(2, 3)
    with pytest.raises(InputError, match="xi must be"):
        vat_direction(lambda x: x, rows, xi=0.0)
    with pytest.raises(InputError, match="n_steps must be"):
        vat_direction(lambda x: x, rows, n_steps=0)
