"""Scores of many candidates: what is shared computed once, against copying and running the whole network, in one run.

One thread for both. The pictures are random: only the time matters, and that the predicted classes agree. The network
has four convolutions with batch normalisations; a batch is 20 candidates that differ in one of its layers, as a
layerwise search or a search over the last layer asks for.

Run: ``python bench/feedback.py``
"""

import copy
import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from torch import nn

from tacit.situations.feedback.linear import linear_codes
from tacit.situations.feedback.metrics import accuracy
from tacit.situations.feedback.networks import Groups, NetworkScorer, chosen_groups

ROWS, BATCH, WIDTHS = 200, 20, (1, 8, 16, 16, 16)
REPEATS = 5
LAYERS = {
    "last layer": "14",
    "4th normalisation": "10",
    "3rd normalisation": "7",
    "2nd normalisation": "4",
    "1st normalisation": "1",
}


def network() -> nn.Sequential:
    """Return a convolutional classifier of 28 x 28 pictures."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for number, (a, b) in enumerate(itertools.pairwise(WIDTHS)):
        layers += [nn.Conv2d(a, b, 3, stride=2 - number % 2, padding=1), nn.BatchNorm2d(b), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * WIDTHS[-1], 10)).eval()


@torch.no_grad()
def copy_and_forward(module: nn.Module, groups: Groups, X: torch.Tensor, candidates: NDArray[Any]) -> NDArray[Any]:
    """Return predicted classes [k, n] the plain way: a copy of the network for each candidate."""
    codes = []
    for candidate in candidates:
        own = copy.deepcopy(module)
        groups.load(own, candidate)
        codes.append(own(X).argmax(dim=1).numpy())
    return np.array(codes)


def fastest(run: Callable[[], Any], repeats: int) -> float:
    """Return the least of ``repeats`` processor times in milliseconds; other work on the machine hardly shows in it."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def main() -> None:
    """Print milliseconds a batch, the ratio, and whether both ways predict the same."""
    module = network()
    X = torch.randn(ROWS, 1, 28, 28)
    y = np.zeros(ROWS, dtype=np.int64)
    rng = np.random.default_rng(0)
    print(f"{ROWS} pictures, {BATCH} candidates a batch   copy and forward     shared         ratio")
    for name, layer in LAYERS.items():
        groups = chosen_groups(module, [layer])
        candidates = groups.vector(module) + 0.1 * rng.standard_normal((BATCH, sum(groups.sizes)))
        scorer = NetworkScorer(module, groups, X, accuracy(y))
        same = (scorer.predict(candidates) == copy_and_forward(module, groups, X, candidates)).mean()
        slow = fastest(lambda g=groups, c=candidates: copy_and_forward(module, g, X, c), 3)  # type: ignore[misc]
        fast = fastest(lambda s=scorer, c=candidates: s.predict(c), REPEATS)  # type: ignore[misc]
        print(f"  {name:36s} {slow:9.1f} ms    {fast:9.2f} ms   {slow / fast:7.1f}x   {same:.2%} of classes agree")
    features = rng.standard_normal((2000, 80))
    many = rng.standard_normal((BATCH, 81))
    loop = fastest(lambda: [linear_codes(features, row[None]) for row in many], REPEATS)
    stack = fastest(lambda: linear_codes(features, many), REPEATS)
    print(f"linear model, 2000 rows x 80: one by one {loop:.2f} ms, stacked {stack:.2f} ms, {loop / stack:.1f}x")


if __name__ == "__main__":
    torch.set_num_threads(1)
    with threadpool_limits(limits=1):
        main()
