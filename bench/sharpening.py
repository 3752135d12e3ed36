"""The fused adaptive-sharpening loss against the sharpening loss and against sorting with autograd, in one run.

One thread for all, forward and backward, least processor time of many repeats. Logits are random at several spreads: an
untrained network's lie close together and nearly all classes are in the support, a trained one's lie far apart.

Run: ``python bench/sharpening.py``
"""

import time
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from tacit.models.semi_supervised.losses import adaptive_sharpening_loss, sharpening_loss

ROWS, CLASSES, REPEATS = 256, 1000, 40
SPREADS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0)


def sorted_with_autograd(logits: Tensor) -> Tensor:
    """Return the adaptive-sharpening loss [N] the plain way: a sort, a mask, and autograd through both."""
    descending = logits.sort(dim=1, descending=True).values
    totals = descending.cumsum(dim=1)
    ranks = torch.arange(1, logits.shape[1] + 1)
    last = (1 + ranks * descending > totals).sum(dim=1, keepdim=True)
    p = (logits - (totals.gather(1, last - 1) - 1) / last).clamp_min(0)
    q = p.detach() ** 2
    q = q / q.sum(dim=1, keepdim=True)
    kept = q > 0
    ratios = torch.where(kept, q, 1.0) / torch.where(kept, p, 1.0)
    return (q * ratios.log()).sum(dim=1)


def sharpening_with_autograd(logits: Tensor) -> Tensor:
    """Return the sharpening loss [N] the plain way."""
    logs = logits.log_softmax(dim=1)
    target_logs = (logs.detach() / 0.5).log_softmax(dim=1)
    return (target_logs.exp() * (target_logs - logs)).sum(dim=1)


def forward_and_backward(loss: Callable[[Tensor], Tensor], logits: Tensor) -> Tensor:
    """Return the gradient of the loss's mean with respect to the logits."""
    (gradient,) = torch.autograd.grad(loss(logits).mean(), logits)
    return gradient


def fastest(losses: dict[str, Callable[[Tensor], Tensor]], logits: Tensor) -> dict[str, float]:
    """Return the least processor time of each loss in milliseconds; they take turns, so that all meet the same load."""
    least = dict.fromkeys(losses, float("inf"))
    for _ in range(REPEATS):
        for name, loss in losses.items():
            start = time.process_time()
            forward_and_backward(loss, logits)
            least[name] = min(least[name], 1e3 * (time.process_time() - start))
    return least


def main() -> None:
    """Print milliseconds a batch, the ratios, and how far the two gradients of the same loss differ."""
    losses: dict[str, Callable[[Tensor], Tensor]] = {
        "ads": partial(adaptive_sharpening_loss, power=2.0),
        "sorted": sorted_with_autograd,
        "sh": partial(sharpening_loss, temperature=0.5),
        "plain sh": sharpening_with_autograd,
    }
    print(f"{ROWS} rows, {CLASSES} classes, float32, forward and backward, ms a batch")
    print("spread     ADS   SH fused   SH autograd   ADS sorted   ADS/SH fused   ADS/SH autograd   sorted/ADS   differ")
    for spread in SPREADS:
        logits = (spread * torch.randn(ROWS, CLASSES)).requires_grad_()
        ours, slow = (forward_and_backward(losses[name], logits) for name in ("ads", "sorted"))
        differ = float((ours - slow).abs().max() / slow.abs().max().clamp_min(1e-30))
        ms = fastest(losses, logits)
        print(
            f"{spread:6.2f} {ms['ads']:7.2f} {ms['sh']:10.2f} {ms['plain sh']:13.2f} {ms['sorted']:12.2f} "
            f"{ms['ads'] / ms['sh']:13.2f}x {ms['ads'] / ms['plain sh']:16.2f}x {ms['sorted'] / ms['ads']:11.2f}x"
            f"   {differ:.0e}"
        )


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    main()
