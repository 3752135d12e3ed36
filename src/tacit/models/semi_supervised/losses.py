"""The losses of ``tacit.numerics.sharpening`` for a network: what each row costs, as torch functions of its logits.

Each computes its loss and its closed-form gradient together in the forward pass, so that the backward pass is one
product. Targets made from a prediction are held fixed.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from tacit import checks
from tacit.errors import InputError
from tacit.models.semi_supervised.sparsemax import (
    below_the_largest,
    checked_logits,
    sparse_probabilities,
    sparsemax,
    threshold,
)
from tacit.numerics.sharpening import checked_power

TensorPair = tuple[Tensor, Tensor]


class _Fused(torch.autograd.Function):
    """A loss [N] of logits [N, K] from a function that returns its values and its gradients."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, values_and_gradients: Callable[[Tensor], TensorPair]) -> Tensor:
        values, gradients = values_and_gradients(checked_logits(logits))
        ctx.save_for_backward(gradients)
        return values

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, above: Tensor) -> tuple[Tensor, None]:
        (gradients,) = ctx.saved_tensors
        return above[:, None] * gradients, None


def fenchel_young_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Return ½(|y - z|² - |p - z|²) with p = sparsemax(z) [N], for class codes [N] or probabilities [N, K].

    Its gradient is p - y; the targets get none. [sharpening] eq. 4.13, [fenchel-young].
    """
    Y = target_probabilities(targets, logits)
    return _fused(logits, lambda z: _fenchel_young(z, Y))


def consistency_loss(logits: Tensor, reference: Tensor) -> Tensor:
    """Return the Fenchel-Young loss of sparsemax(z) against sparsemax(reference), which is held fixed [N].

    It is finite whatever the supports. [sharpening] eq. 4.12.
    """
    Y = sparse_probabilities(reference)
    return _fused(logits, lambda z: _fenchel_young(z, Y))


def adaptive_sharpening_loss(logits: Tensor, *, power: float = 2.0) -> Tensor:
    """Return KL(q‖p) of p = sparsemax(z) and q ∝ p^r, which is held fixed (ADS) [N]. [sharpening] eq. 4.10."""
    r = checked_power(power)
    return _fused(logits, lambda z: _adaptive_sharpening(z, r))


def entropy_loss(logits: Tensor) -> Tensor:
    """Return the entropy of softmax(z) (ME) [N]. [sharpening] eq. 4.3."""
    return _fused(logits, _entropy)


def sharpening_loss(logits: Tensor, *, temperature: float = 0.5) -> Tensor:
    """Return KL(q‖p) of p = softmax(z) and q ∝ p^(1/λ), which is held fixed (SH) [N]. [sharpening] eq. 4.5."""
    checks.positive("temperature", temperature)
    return _fused(logits, lambda z: _sharpening(z, temperature))


def pseudo_label_loss(logits: Tensor, *, confidence: float = 0.95) -> Tensor:
    """Return -log p_j of the likeliest class where p_j > ``confidence``, else 0 (PL) [N]. [sharpening] eq. 4.7."""
    checks.fraction("confidence", confidence, zero=True)
    return _fused(logits, lambda z: _pseudo_label(z, confidence))


def negative_sampling_loss(logits: Tensor, *, negligible: float = 0.01) -> Tensor:
    """Return -log(1 - sum of p_i below ``negligible``), p = softmax(z), or 0 if all are (NS) [N].

    [sharpening] eq. 4.8.
    """
    checks.fraction("negligible", negligible, zero=True)
    return _fused(logits, lambda z: _negative_sampling(z, negligible))


def sparse_entropy_loss(logits: Tensor) -> Tensor:
    """Return the entropy of sparsemax(z) [N]: [sharpening] eq. 4.3 on sparsemax, "Sp+ME" of Table 4.3."""
    p = sparsemax(logits)
    # Outside the support p log p is 0 and has no slope.
    return -torch.where(p > 0, p * p.clamp_min(torch.finfo(p.dtype).tiny).log(), 0.0).sum(dim=1)


def sparse_pseudo_label_loss(logits: Tensor, *, confidence: float = 0.95) -> Tensor:
    """Return -log p_j of the likeliest class where p_j > ``confidence``, else 0, p = sparsemax(z) [N]: "Sp+PL"."""
    checks.fraction("confidence", confidence, zero=True)
    largest = sparsemax(logits).amax(dim=1)
    return torch.where(largest > confidence, -largest.log(), 0.0)


def sparse_negative_sampling_loss(logits: Tensor, *, negligible: float = 0.01) -> Tensor:
    """Return -log(1 - sum of p_i below ``negligible``), p = sparsemax(z), or 0 if all are [N]: "Sp+NS"."""
    checks.fraction("negligible", negligible, zero=True)
    p = sparsemax(logits)
    small = p < negligible
    small &= ~small.all(dim=1, keepdim=True)
    return -torch.log1p(-(p * small).sum(dim=1))


def target_probabilities(targets: Tensor, logits: Tensor) -> Tensor:
    """Return targets as probabilities [N, K] in the logits' type, given as class codes [N] or as such probabilities."""
    n_classes = logits.shape[-1]
    if targets.shape == logits.shape[:1] and not targets.is_floating_point():
        if ((targets < 0) | (targets >= n_classes)).any():
            raise InputError(f"targets must be codes of the {n_classes} classes, 0 to {n_classes - 1}; got others.")
        return torch.nn.functional.one_hot(targets.long(), n_classes).to(logits.dtype)
    if targets.shape != logits.shape:
        shapes = f"whole numbers of shape {tuple(logits.shape[:1])} or shape {tuple(logits.shape)}"
        raise InputError(f"targets must be {shapes}; got {targets.dtype} of shape {tuple(targets.shape)}.")
    Y = targets.detach().to(logits.dtype)
    if (Y < 0).any() or not ((Y.sum(dim=1) - 1.0).abs() <= 1e-3).all():  # float16 rounds to about a thousandth
        raise InputError("targets must be probabilities: rows of numbers of at least 0 that sum to 1; got others.")
    return Y


def _fused(logits: Tensor, values_and_gradients: Callable[[Tensor], TensorPair]) -> Tensor:
    loss: Tensor = _Fused.apply(logits, values_and_gradients)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    return loss


def _fenchel_young(logits: Tensor, Y: Tensor) -> TensorPair:
    Z = below_the_largest(logits)
    tau = threshold(Z)
    gradients = (Z - tau).clamp_min_(0.0).sub_(Y)
    missed = (tau - Z).clamp_min_(0.0).mul_(Y)
    return 0.5 * gradients.square().sum(dim=1) + missed.sum(dim=1), gradients


def _adaptive_sharpening(logits: Tensor, r: float) -> TensorPair:
    u = sparse_probabilities(logits)
    top = u.amax(dim=1, keepdim=True)
    u /= top  # powers of p itself underflow when r is large
    kept = u.sign()
    weights = u.pow(r - 1.0).mul_(kept)  # 0^0 = 1 outside the support
    mass = weights * u
    total = mass.sum(dim=1, keepdim=True)
    mean = weights.sum(dim=1, keepdim=True) / kept.sum(dim=1, keepdim=True)
    gradients = torch.sub(mean, weights, out=weights).mul_(kept).div_(top * total)
    # Outside the support the mass is 0, and any finite logarithm serves.
    logs = u.clamp_min_(torch.finfo(u.dtype).tiny).log_()
    values = (r - 1.0) * mass.mul_(logs).sum(dim=1) / total[:, 0] - (top * total)[:, 0].log()
    return values, gradients


def _entropy(logits: Tensor) -> TensorPair:
    logs = logits.log_softmax(dim=1)
    p = logs.exp()
    entropy = -(p * logs).sum(dim=1)
    return entropy, p.mul_(logs.add_(entropy[:, None])).neg_()


def _sharpening(logits: Tensor, temperature: float) -> TensorPair:
    logs = logits.log_softmax(dim=1)
    target_logs = (logs / temperature).log_softmax(dim=1)
    q = target_logs.exp()
    values = target_logs.sub_(logs).mul_(q).sum(dim=1)
    return values, logs.exp_().sub_(q)


def _pseudo_label(logits: Tensor, confidence: float) -> TensorPair:
    logs = logits.log_softmax(dim=1)
    largest, labels = logs.max(dim=1)
    chosen = (largest.exp() > confidence).to(logs.dtype)
    gradients = logs.exp().scatter_add_(1, labels[:, None], -torch.ones_like(largest)[:, None])
    return -largest * chosen, gradients.mul_(chosen[:, None])


def _negative_sampling(logits: Tensor, negligible: float) -> TensorPair:
    p = logits.softmax(dim=1)
    others = p >= negligible
    others |= ~others.any(dim=1, keepdim=True)
    rest = p * others
    suppressed = (p - rest).sum(dim=1)
    return -torch.log1p(-suppressed), p.sub_(rest.div_(rest.sum(dim=1, keepdim=True)))
