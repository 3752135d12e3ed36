"""The direction in which a small step changes a network's prediction the most. [vat]."""

from collections.abc import Callable

import torch
from torch import Tensor

from tacit import checks

# In float32 a step of 1e-6, as often printed, changes logits by little more than their rounding, which hides the slope.
STEP = 0.01


def softmax_divergence(logits: Tensor, reference: Tensor) -> Tensor:
    """Return KL(softmax(reference)‖softmax(z)) [N], with ``reference`` held fixed."""
    logs, fixed = logits.log_softmax(dim=1), reference.detach().log_softmax(dim=1)
    return (fixed.exp() * (fixed - logs)).sum(dim=1)


def vat_direction(
    network: Callable[[Tensor], Tensor],
    rows: Tensor,
    *,
    divergence: Callable[[Tensor, Tensor], Tensor] = softmax_divergence,
    xi: float = STEP,
    n_steps: int = 1,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Return a unit vector for each row, in the shape of ``rows``, along which ``divergence`` from here grows fastest.

    Power iteration on the Hessian of the divergence: d ← unit(∇_d divergence(network(x + ξ d), network(x))), from a
    random d. A row whose prediction does not change within ξ has no gradient and keeps the direction it had. No
    gradient reaches the network's parameters, but each call is a pass through it: freeze running statistics outside.
    """
    checks.positive("xi", xi)
    checks.whole("n_steps", n_steps)
    fixed = rows.detach()
    direction = _unit(torch.randn(fixed.shape, generator=generator, dtype=fixed.dtype, device=fixed.device))
    with torch.no_grad():
        reference = network(fixed)
    for _ in range(n_steps):
        step = (xi * direction).requires_grad_()
        with torch.enable_grad():
            total = divergence(network(fixed + step), reference).sum()
        (slope,) = torch.autograd.grad(total, step)
        moved = slope.flatten(1).any(dim=1).view(-1, *[1] * (fixed.ndim - 1))
        direction = torch.where(moved, _unit(slope), direction)
    return direction


def _unit(vectors: Tensor) -> Tensor:
    """Return each row's tensor at length 1, or as it is if it is 0; scaled first, since tiny slopes square to 0."""
    flat = vectors.flatten(1)
    tiny = torch.finfo(flat.dtype).tiny
    flat = flat / flat.abs().amax(dim=1, keepdim=True).clamp_min(tiny)
    lengths: Tensor = torch.linalg.vector_norm(flat, dim=1, keepdim=True)
    return (flat / lengths.clamp_min(tiny)).view_as(vectors)
