"""The networks of the feedback tables, their training, and pictures with the faults that they are tuned to."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tacit.arrays import FloatArray
from tacit.situations.feedback.metrics import accuracy
from tacit.situations.feedback.networks import Groups, NetworkScorer

Pictures = NDArray[np.float64]
TENT_STEPS = 10


@dataclass(frozen=True)
class FaultyPictures:
    """A trained network, its batch normalisations, and faulty pictures to answer queries and to test on."""

    module: nn.Sequential
    groups: Groups
    support: tuple[Any, Any]
    holdout: tuple[Any, Any]

    def errors(self, statistics: str) -> tuple[NetworkScorer, Callable[[FloatArray], float]]:
        """Return the scorer of the support rows, and the error on the holdout rows."""
        support, holdout = (
            NetworkScorer(self.module, self.groups, X, accuracy(y), statistics=statistics)
            for X, y in (self.support, self.holdout)
        )
        return support, lambda parameters: 1 - float(holdout(parameters[None])[0])


class Residual(nn.Module):
    """One layer of a deep network: its input plus a normalised and rectified linear map of it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x: Tensor) -> Tensor:
        """Return the activations of the next layer."""
        return x + torch.relu(self.norm(self.linear(x)))


def convolutional(width: int = 8, *, channels: int = 1) -> nn.Sequential:
    """Return a network for pictures with three convolutions, each with a batch normalisation."""
    sizes = (channels, width, 2 * width, 4 * width)
    blocks = [
        nn.Sequential(nn.Conv2d(a, b, 3, stride=2, padding=1), nn.BatchNorm2d(b), nn.ReLU())
        for a, b in itertools.pairwise(sizes)
    ]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16 * width, 10))


def deep(n_features: int, *, width: int = 48, depth: int = 24) -> nn.Sequential:
    """Return a network with ``depth`` residual layers, each with a batch normalisation of 2 ``width`` parameters."""
    return nn.Sequential(nn.Linear(n_features, width), *(Residual(width) for _ in range(depth)), nn.Linear(width, 10))


def train(module: nn.Sequential, X: Any, y: Any, *, epochs: int, seed: int) -> nn.Sequential:
    """Return the module after ``epochs`` rounds of Adam over rows ``X`` with class codes ``y``."""
    generator = torch.Generator().manual_seed(seed)
    rows, codes = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y)
    optimiser = torch.optim.Adam(module.parameters(), lr=1e-3)
    module.train()
    for _ in range(epochs):
        for batch in _batches(len(rows), generator):
            _descend(module, optimiser, rows[batch], codes[batch])
    return module.eval()


def tune_by_gradient(module: nn.Sequential, layers: tuple[type[nn.Module], ...], X: Any, y: Any) -> nn.Sequential:
    """Return the module after 100 full steps on the parameters of some layers: tuning with rows and labels at hand.

    Batch normalisations use the statistics of the rows, as the searches' scores do.
    """
    parameters = [p for layer in module.modules() if isinstance(layer, layers) for p in layer.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=2e-2)
    rows, codes = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y)
    module.train()
    for _ in range(100):
        _descend(module, optimiser, rows, codes)
    return module.eval()


def tent(module: nn.Sequential, layers: tuple[type[nn.Module], ...], X: Any) -> nn.Sequential:
    """Return the module after ten full steps that make its predictions of unlabelled rows ``X`` surer.

    As Tent ([feedback] Table 5.2): scales and shifts of batch normalisations go down the entropy of the predictions,
    with the statistics of the rows.
    """
    parameters = [p for layer in module.modules() if isinstance(layer, layers) for p in layer.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=1e-2)
    rows = torch.as_tensor(X, dtype=torch.float32)
    module.train()
    for _ in range(TENT_STEPS):
        optimiser.zero_grad()
        logits = module(rows)
        torch.autograd.backward([-(logits.softmax(dim=1) * logits.log_softmax(dim=1)).sum(dim=1).mean()])
        optimiser.step()
    return module.eval()


def _descend(module: nn.Module, optimiser: torch.optim.Optimizer, rows: Tensor, codes: Tensor) -> None:
    optimiser.zero_grad()
    torch.autograd.backward([nn.functional.cross_entropy(module(rows), codes)])
    optimiser.step()


def _batches(n_rows: int, generator: torch.Generator) -> Iterator[Tensor]:
    order = torch.randperm(n_rows, generator=generator)
    return (order[start : start + 64] for start in range(0, n_rows, 64))


def corrupt(X: Pictures, fault: str, severity: float, generator: Any) -> Pictures:
    """Return pictures [N, p] in [0, 1] with a fault: gaussian noise, impulses, or contrast lost about each mean."""
    if fault == "gaussian":
        return np.asarray(np.clip(X + severity * generator.standard_normal(X.shape), 0, 1))
    if fault == "impulse":
        uniform = generator.uniform(size=X.shape)
        return np.where(uniform < severity / 2, 0.0, np.where(uniform > 1 - severity / 2, 1.0, X))
    mean = X.mean(axis=1, keepdims=True)
    return np.asarray(mean + severity * (X - mean))
