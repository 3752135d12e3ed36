"""Sparsemax of a network's logits, with its closed-form backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from tacit.errors import InputError
from tacit.numerics.sparsemax import NEWTON_FROM


class _Sparsemax(torch.autograd.Function):
    """Forward max(0, z - τ); backward v - mean of v over the support, on the support alone."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor) -> Tensor:
        p = sparse_probabilities(logits)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, above: Tensor) -> Tensor:
        kept: Tensor = ctx.saved_tensors[0].sign()
        return kept * (above - (above * kept).sum(dim=1, keepdim=True) / kept.sum(dim=1, keepdim=True))


def sparsemax(logits: Tensor) -> Tensor:
    """Return max(0, z - τ) [N, K], differentiable once. [sharpening] eq. 4.9."""
    p: Tensor = _Sparsemax.apply(logits)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    return p


def sparse_probabilities(logits: Tensor) -> Tensor:
    """Return sparsemax(z) [N, K] without a graph."""
    shifted = below_the_largest(logits)
    return (shifted - threshold(shifted)).clamp_min_(0.0)


def checked_logits(logits: Tensor) -> Tensor:
    """Return logits [N, K] without a graph, if they have that shape and at least one class."""
    if logits.ndim != 2 or logits.shape[1] == 0 or not logits.is_floating_point():
        raise InputError(
            "logits must be floating-point numbers of shape [rows, classes] with a class at least; "
            f"got {logits.dtype} of shape {tuple(logits.shape)}."
        )
    return logits.detach()


def below_the_largest(logits: Tensor) -> Tensor:
    """Return logits [N, K] less the largest of their row, without a graph."""
    fixed = checked_logits(logits)
    return fixed - fixed.amax(dim=1, keepdim=True)


@torch.no_grad()
def threshold(shifted: Tensor) -> Tensor:
    """Return τ [N, 1] of logits whose largest is 0 in each row; ``tacit.numerics.sparsemax`` says how and why."""
    # τ lies within 1 of the largest logit, so what is below counts as 0 however far below it is.
    reach = shifted.clamp_min(-1.0)
    return _sorted_threshold(reach) if reach.shape[1] < NEWTON_FROM else _newton_threshold(reach)


def _sorted_threshold(reach: Tensor) -> Tensor:
    descending = reach.sort(dim=1, descending=True).values
    totals = descending.cumsum(dim=1)
    ranks = torch.arange(1, reach.shape[1] + 1, dtype=reach.dtype, device=reach.device)
    # Logits that are not numbers satisfy no condition; their row keeps rank 1 and comes out as not numbers.
    last = (1.0 + ranks * descending > totals).sum(dim=1, keepdim=True).clamp_min_(1)
    return (totals.gather(1, last - 1) - 1.0) / last


def _newton_threshold(reach: Tensor) -> Tensor:
    tau = (reach.sum(dim=1, keepdim=True) - 1.0) / reach.shape[1]
    sizes = torch.full_like(tau, reach.shape[1] + 1)
    excess = torch.empty_like(reach)  # one buffer for all steps: allocating anew costs more than the arithmetic
    while True:
        torch.sub(reach, tau, out=excess).clamp_min_(0.0)
        surplus = excess.sum(dim=1, keepdim=True) - 1.0
        previous, sizes = sizes, excess.sign_().sum(dim=1, keepdim=True)
        tau = tau + surplus / sizes
        if not (sizes < previous).any():
            return tau
