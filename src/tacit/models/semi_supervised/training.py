"""The training loop: batches, losses with weights that ramp, averaged weights, and a stopping rule."""

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax
from torch import Tensor, nn

from tacit.arrays import Float32Array, FloatArray
from tacit.models.semi_supervised.algorithms import STEPS, TrainingBatch, TrainingState, guide_loss
from tacit.models.semi_supervised.augmentation import Augmentation, PictureAugmentation, TableAugmentation
from tacit.models.semi_supervised.distillation import link_of
from tacit.models.semi_supervised.inputs import ColumnLayout, InputLayout
from tacit.models.semi_supervised.progress import Bar
from tacit.models.semi_supervised.recipe import Recipe
from tacit.records import record

# How often progress is checked, and how many checks without progress end the training.
CHECKS = 25
PATIENCE = 5
# Without held-out labels: how many unlabelled rows are watched, and how much of their probability may still move.
WATCHED = 2000
SETTLED = 0.005
# Rows predicted at a time.
BLOCK = 2000
# The guide has faded out after this share of the steps.
GUIDED = 0.5


@record
class TrainingData:
    """Labelled rows and codes, unlabelled rows with a guide [M, K] or none, and held-out labelled rows."""

    rows: NDArray[Any]
    codes: NDArray[np.intp]
    unlabelled: NDArray[Any]
    guide: NDArray[Any] | None
    held_rows: NDArray[Any]
    held_codes: NDArray[np.intp]
    prior: NDArray[Any]


@dataclass
class Trained:
    """The averaged network, how many steps it took, and the losses and measures at each check."""

    network: nn.Module
    n_steps: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    stopped: str = "all steps taken"


def augmentation_of(layout: InputLayout) -> Augmentation:
    """Return how rows of that layout are varied."""
    if isinstance(layout, ColumnLayout):
        arrays = (layout.features, layout.spread, layout.low, layout.high)
        features, spread, low, high = (torch.from_numpy(array) for array in arrays)
        return TableAugmentation(features, spread, low, high)
    return PictureAugmentation()


def train(
    network: nn.Module, data: TrainingData, recipe: Recipe, augmentation: Augmentation, *, verbose: bool = False
) -> Trained:
    """Return the network after training; the caller seeds torch. The given network is trained in place."""
    learner = TrainingState(network.train(), recipe, augmentation, torch.from_numpy(data.prior).float())
    result = Trained(copy.deepcopy(network).eval())
    optimizer, batches, rule = _optimizer(network, recipe), _batches(data, recipe), StoppingRule(data, recipe)
    bar, every = Bar(recipe.n_steps, shown=verbose), max(1, recipe.n_steps // CHECKS)
    for step in range(recipe.n_steps):
        moment = step / recipe.n_steps
        _set_rate(optimizer, recipe.training.learning_rate * math.cos(7 / 16 * math.pi * moment))
        parts = _step(learner, next(batches), optimizer, moment)
        follow(result.network, network, share=1.0 - min(recipe.training.averaging, (1 + step) / (10 + step)))
        result.n_steps = step + 1
        bar.show(step + 1, f"loss {parts['loss']:.3f}")
        if (step + 1) % every == 0 or step + 1 == recipe.n_steps:
            result.history.append({"step": step + 1, **parts, **rule.measured(result.network)})
            if recipe.training.early_stopping and rule.is_done(moment):
                result.stopped = rule.reason
                break
    rule.restore(result.network)
    bar.close(f"{result.n_steps} steps, {result.stopped}")
    return result


def logits_of(network: nn.Module, rows: NDArray[Any]) -> Float32Array:
    """Return the logits [N, K] of rows as the network reads them, block by block."""
    with torch.inference_mode():
        blocks = [network.eval()(_tensor(rows[start : start + BLOCK])) for start in range(0, len(rows), BLOCK)]
    logits: Float32Array = torch.cat(blocks).numpy()
    return logits


@torch.no_grad()
def follow(average: nn.Module, network: nn.Module, *, share: float) -> None:
    """Move the average's parameters and running statistics by ``share`` towards the network's."""
    targets = [*average.parameters(), *average.buffers()]
    for target, source in zip(targets, [*network.parameters(), *network.buffers()], strict=True):
        if target.is_floating_point():
            target.lerp_(source, share)
        else:
            target.copy_(source)


def ramp(moment: float, length: float) -> float:
    """Return exp(-5 (1 - t)²) with t = moment / length up to 1: the weight of the losses of unlabelled rows.

    [temporal] section 3.1.
    """
    t = 1.0 if length == 0 else min(moment / length, 1.0)
    return math.exp(-5.0 * (1.0 - t) ** 2)


class StoppingRule:
    """When training stops: held-out labelled rows no longer improve or, without such, predictions no longer change."""

    def __init__(self, data: TrainingData, recipe: Recipe) -> None:
        self.recipe = recipe
        self.held = (data.held_rows, data.held_codes) if len(data.held_codes) else None
        watched = data.unlabelled if len(data.unlabelled) else data.rows
        self.watched = watched[:: max(1, len(watched) // WATCHED)][:WATCHED]
        self.last: FloatArray | None = None
        self.best = math.inf
        self.best_state: dict[str, Any] = {}
        self.waited = 0
        self.reason = ""

    def measured(self, network: nn.Module) -> dict[str, float]:
        """Return the held-out loss and accuracy, or the mean share of probability that moved between classes."""
        return self._changed(network) if self.held is None else self._held_out(network, *self.held)

    def is_done(self, moment: float) -> bool:
        """Return whether nothing has improved, or nothing changed, for some checks, once all losses are at work."""
        return self.waited >= PATIENCE and moment >= max(self.recipe.losses.ramp_up, GUIDED)

    def restore(self, network: nn.Module) -> None:
        """Put back the weights that were best on held-out rows, if there were any."""
        if self.best_state:
            network.load_state_dict(self.best_state)

    def _held_out(self, network: nn.Module, rows: NDArray[Any], codes: NDArray[np.intp]) -> dict[str, float]:
        logits = logits_of(network, rows)
        wrong = float((logits.argmax(axis=1) != codes).mean())
        scaled = torch.from_numpy(logits / max(float(np.abs(logits).mean()), 1e-12))
        loss = float(nn.functional.cross_entropy(scaled, torch.from_numpy(codes)))
        self.waited += 1
        # Errors are few whole numbers and tie often; the loss, free of the logits' own scale, decides between them.
        if wrong + 1e-3 * loss < self.best:
            self.best, self.waited = wrong + 1e-3 * loss, 0
            self.best_state = copy.deepcopy(network.state_dict())
            self.reason = "held-out rows no longer improve"
        return {"held_out_error": wrong, "held_out_loss": loss}

    def _changed(self, network: nn.Module) -> dict[str, float]:
        # Probabilities, not classes: a rare class can grow for long before any row is given to it.
        P = softmax(link_of(self.recipe).steepness * logits_of(network, self.watched).astype(np.float64), axis=1)
        changed = 1.0 if self.last is None else float(0.5 * np.abs(P - self.last).sum(axis=1).mean())
        self.last = P
        self.waited = self.waited + 1 if changed <= SETTLED else 0
        self.reason = "predictions have settled"
        return {"changed": changed}


def _step(
    learner: TrainingState, batch: TrainingBatch, optimizer: torch.optim.Optimizer, moment: float
) -> dict[str, float]:
    """Take one step and return the parts of the loss, each before its weight."""
    recipe, rising = learner.recipe, ramp(moment, learner.recipe.losses.ramp_up)
    parts, others = STEPS[recipe.algorithm](learner, batch)
    weights = {
        "consistency": rising * recipe.losses.consistency_weight,
        "distillation": rising * recipe.losses.distillation_weight,
        "balance": rising * recipe.losses.class_balance,
    }
    if batch.guide is not None:
        parts["guide"] = guide_loss(learner, batch, others)
        weights["guide"] = recipe.losses.guide_weight * max(0.0, 1.0 - moment / GUIDED)
    loss = torch.stack([weights.get(name, 1.0) * part for name, part in parts.items()]).sum()
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    optimizer.step()
    return {"loss": float(loss.detach()), **{name: float(part.detach()) for name, part in parts.items()}}


def _optimizer(network: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    settings: dict[str, Any] = {"lr": recipe.training.learning_rate, "weight_decay": recipe.training.weight_decay}
    if recipe.training.optimizer == "nesterov":
        return torch.optim.SGD(network.parameters(), momentum=0.9, nesterov=True, **settings)
    return torch.optim.AdamW(network.parameters(), **settings)


def _set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate


def _batches(data: TrainingData, recipe: Recipe) -> Iterator[TrainingBatch]:
    """Yield batches without end; labelled rows are as many as asked for, or all of them if they are fewer."""
    rows, codes = _tensor(data.rows), torch.from_numpy(data.codes)
    labelled = _shuffled(len(rows), min(len(rows), recipe.training.batch_size))
    read = recipe.learns_unlabelled or data.guide is not None
    n_unlabelled = min(len(data.unlabelled), recipe.training.batch_size * recipe.unlabelled_ratio) if read else 0
    unlabelled, others = _tensor(data.unlabelled), _shuffled(len(data.unlabelled), n_unlabelled)
    guide = None if data.guide is None else torch.from_numpy(data.guide).float()
    while True:
        places, other_places = next(labelled), next(others)
        soft = None if guide is None else guide[other_places]
        certainty = None if soft is None else guide_certainty(soft)
        yield TrainingBatch(rows[places], codes[places], unlabelled[other_places], soft, certainty)


def guide_certainty(guide: Tensor) -> Tensor:
    """Return how certain each soft label is [N]: 1 - entropy / log K, which is 0 for a uniform one."""
    entropy: Tensor = -torch.special.xlogy(guide, guide).sum(dim=1)
    return (1.0 - entropy / math.log(guide.shape[1])).clamp(0.0, 1.0)


def _shuffled(n: int, size: int) -> Iterator[Tensor]:
    """Yield places of ``size`` of n rows, each row once before any is repeated."""
    waiting = torch.empty(0, dtype=torch.long)
    while True:
        while len(waiting) < size:
            waiting = torch.cat([waiting, torch.randperm(n)])
        yield waiting[:size]
        waiting = waiting[size:]


def _tensor(rows: NDArray[Any]) -> Tensor:
    tensor = torch.from_numpy(rows)
    # Convolutions of few channels are quicker on a processor with the channels last in memory.
    return tensor.contiguous(memory_format=torch.channels_last) if tensor.ndim == 4 else tensor
