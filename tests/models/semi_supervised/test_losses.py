"""Torch losses against their numpy forms, and gradcheck."""

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
from tacit.numerics import sharpening as plain

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


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda z: losses.adaptive_sharpening_loss(z, power=0.9), "power must be at least 1"),
        (lambda z: losses.entropy_loss(z[0]), "logits must be"),
        (lambda z: losses.adaptive_sharpening_loss(z.detach().long()), "logits must be"),
        (lambda z: losses.fenchel_young_loss(z, torch.full((6,), -1)), "codes of the 5 classes"),
        (lambda z: losses.fenchel_young_loss(z, torch.zeros(6)), "targets must be whole numbers"),
        (lambda z: losses.fenchel_young_loss(z, torch.ones(6, 5)), "sum to 1"),
    ],
)
def test_bad_input_is_refused(call: Callable[[Tensor], Tensor], named: str) -> None:
    with pytest.raises(InputError, match=named):
        call(logits_of(5))
