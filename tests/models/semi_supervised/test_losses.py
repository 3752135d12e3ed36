"""Torch losses against their numpy forms, gradcheck, and adversarial directions against the exact one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import Tensor

from tacit.errors import InputError
from tacit.models.semi_supervised import losses
from tacit.models.semi_supervised.sparsemax import sparsemax
from tacit.models.semi_supervised.virtual_adversarial import softmax_divergence, vat_direction
from tacit.numerics import sharpening as plain
from tacit.numerics import sparsemax as plain_sparsemax

RNG = np.random.default_rng(0)
LOSSES: dict[str, dict[str, Any]] = {
    "adaptive_sharpening_loss": {"power": 1.7},
    "entropy_loss": {},
    "sharpening_loss": {"temperature": 0.4},
    "pseudo_label_loss": {"confidence": 0.3},
    "negative_sampling_loss": {"negligible": 0.05},
}
# Their targets move with the logits in a numerical derivative, so they are checked through the fixed target instead.
DIRECT = ("entropy_loss", "pseudo_label_loss", "negative_sampling_loss")


def logits_of(n_classes: int, spread: float = 1.0) -> Tensor:
    return torch.tensor(spread * RNG.standard_normal((6, n_classes))).requires_grad_()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("n_classes", [1, 5, 31, 32, 100])
@pytest.mark.parametrize("name", LOSSES)
def test_values_and_gradients_are_those_of_the_numpy_form(name: str, n_classes: int, dtype: torch.dtype) -> None:
    logits = logits_of(n_classes).detach().to(dtype).requires_grad_()
    values = getattr(losses, name)(logits, **LOSSES[name])
    (gradients,) = torch.autograd.grad(values.sum(), logits)
    expected = getattr(plain, name)(logits.detach().numpy(), **LOSSES[name])
    room = 1e-12 if dtype is torch.float64 else 2e-5
    assert values.dtype == gradients.dtype == dtype
    assert_allclose(values.detach(), expected.values, atol=room)
    assert_allclose(gradients, expected.gradients, atol=room)


@pytest.mark.parametrize("n_classes", [5, 40])
def test_targets_may_be_codes_probabilities_or_another_prediction(n_classes: int) -> None:
    logits, reference = logits_of(n_classes), logits_of(n_classes)
    codes = torch.arange(6) % n_classes
    soft = reference.detach().softmax(dim=1)
    for targets in (codes, soft):
        expected = plain.fenchel_young_loss(logits.detach().numpy(), targets.numpy())
        assert_allclose(losses.fenchel_young_loss(logits, targets).detach(), expected.values, atol=1e-12)
    values = losses.consistency_loss(logits, reference)
    expected = plain.consistency_loss(logits.detach().numpy(), reference.detach().numpy())
    gradients = torch.autograd.grad(values.sum(), (logits, reference), allow_unused=True)
    assert_allclose(values.detach(), expected.values, atol=1e-12)
    assert_allclose(gradients[0], expected.gradients, atol=1e-12)
    assert gradients[1] is None


@pytest.mark.parametrize("n_classes", [5, 40])
def test_gradients_pass_gradcheck(n_classes: int) -> None:
    codes, reference = torch.arange(6) % n_classes, logits_of(n_classes).detach()
    checked: list[Callable[[Tensor], Tensor]] = [partial(getattr(losses, name), **LOSSES[name]) for name in DIRECT]
    checked += [sparsemax, lambda z: losses.fenchel_young_loss(z, codes)]
    checked += [lambda z: losses.consistency_loss(z, reference)]
    for loss in checked:
        assert torch.autograd.gradcheck(loss, (logits_of(n_classes),))


@pytest.mark.parametrize("power", [1.5, 2.0])
def test_adaptive_sharpening_passes_gradcheck_with_its_target_fixed(power: float) -> None:
    logits = logits_of(40, 0.5)
    q = sparsemax(logits).detach() ** power
    q /= q.sum(dim=1, keepdim=True)
    kept = q > 0

    def divergence(z: Tensor) -> Tensor:
        ratios = torch.where(kept, q, 1.0) / torch.where(kept, sparsemax(z), 1.0)
        return (q * ratios.log()).sum(dim=1)

    assert torch.autograd.gradcheck(divergence, (logits,), eps=1e-8, atol=1e-4, rtol=1e-3)
    (expected,) = torch.autograd.grad(divergence(logits).sum(), logits)
    (found,) = torch.autograd.grad(losses.adaptive_sharpening_loss(logits, power=power).sum(), logits)
    assert_allclose(found, expected, atol=1e-10)


def test_sharpening_passes_gradcheck_with_its_target_fixed() -> None:
    logits = logits_of(5)
    q = logits.detach().div(0.5).softmax(dim=1)

    def divergence(z: Tensor) -> Tensor:
        return (q * (q.log() - z.log_softmax(dim=1))).sum(dim=1)

    assert torch.autograd.gradcheck(divergence, (logits,))
    (expected,) = torch.autograd.grad(divergence(logits).sum(), logits)
    (found,) = torch.autograd.grad(losses.sharpening_loss(logits).sum(), logits)
    assert_allclose(found, expected, atol=1e-12)


def test_the_product_with_the_jacobian_of_sparsemax_is_the_known_one() -> None:
    logits = torch.tensor([[0.5, 0.2, 0.1, -0.3, -1.0]], dtype=torch.float64, requires_grad=True)
    p = sparsemax(logits)
    (product,) = torch.autograd.grad(p, logits, torch.tensor([[1, -2, 3, 0.5, 7]], dtype=torch.float64))
    assert_allclose(p.detach(), plain_sparsemax.sparsemax(logits.detach().numpy()), atol=1e-15)
    assert_allclose(product, [[0.33333333, -2.66666667, 2.33333333, 0.0, 0.0]], atol=1e-8)


@pytest.mark.parametrize("n_classes", [3, 50])
def test_logits_that_are_not_numbers_come_out_as_such_and_end(n_classes: int) -> None:
    assert sparsemax(torch.full((1, n_classes), torch.nan)).isnan().all()


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
    found = {xi: vat_direction(network, rows, xi=xi, n_steps=10) for xi in (0.01, 1e-6)}
    match = {xi: float((way * steepest).sum(dim=1).abs().median()) for xi, way in found.items()}
    assert match[0.01] > 0.95
    assert match[1e-6] < 0.8
    assert_allclose(found[0.01].norm(dim=1), 1.0, atol=1e-5)
    assert not found[0.01].requires_grad


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


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda z: losses.adaptive_sharpening_loss(z, power=0.9), "power must be at least 1"),
        (lambda z: losses.entropy_loss(z[0]), "logits must be"),
        (lambda z: losses.adaptive_sharpening_loss(z.detach().long()), "logits must be"),
        (lambda z: losses.fenchel_young_loss(z, torch.full((6,), -1)), "codes of the 5 classes"),
        (lambda z: losses.fenchel_young_loss(z, torch.zeros(6)), "targets must be whole numbers"),
        (lambda z: losses.fenchel_young_loss(z, torch.ones(6, 5)), "sum to 1"),
        (lambda z: vat_direction(lambda x: x, z, xi=0.0), "xi must be"),
        (lambda z: vat_direction(lambda x: x, z, n_steps=0), "n_steps must be"),
    ],
)
def test_bad_input_is_refused(call: Callable[[Tensor], Tensor], named: str) -> None:
    with pytest.raises(InputError, match=named):
        call(logits_of(5))
