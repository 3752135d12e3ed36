"""Named groups of a network's parameters as one flat vector, and scores of candidates from shared activations."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.linear import linear_codes
from tacit.situations.feedback.metrics import Metric, PredictedCodes

BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


@dataclass(frozen=True)
class Groups:
    """Layers of a network to tune: the names of the layers, of their parameters, and the parameters' shapes."""

    layers: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    shapes: tuple[tuple[torch.Size, ...], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of parameters of each group: ``sizes`` of a ``LayerwiseSearch``."""
        return tuple(sum(shape.numel() for shape in shapes) for shapes in self.shapes)

    def vector(self, module: nn.Module) -> FloatArray:
        """Return the parameters of the groups as one vector, group after group."""
        parameters = dict(module.named_parameters())
        parts = [parameters[name].detach().numpy().ravel() for names in self.names for name in names]
        return np.concatenate(parts).astype(np.float64)

    def load(self, module: nn.Module, vector: FloatArray) -> None:
        """Write the parameters of the groups into ``module``."""
        if np.shape(vector) != (sum(self.sizes),):
            raise InputError(
                f"vector must have the groups' {sum(self.sizes)} parameters; got shape {np.shape(vector)}."
            )
        parameters = dict(module.named_parameters())
        names = [name for names in self.names for name in names]
        lengths = [shape.numel() for shapes in self.shapes for shape in shapes]
        parts = np.split(np.asarray(vector), np.cumsum(lengths)[:-1])
        with torch.no_grad():
            for name, part in zip(names, parts, strict=True):
                parameters[name].copy_(torch.tensor(part).view_as(parameters[name]))


def batch_norm_groups(module: nn.Module) -> Groups:
    """Return a group for each batch normalisation: its scales and shifts."""
    return _groups(module, _of_type(module, BATCH_NORMS), "batch normalisation")


def layer_norm_groups(module: nn.Module) -> Groups:
    """Return a group for each layer normalisation: its scales and shifts."""
    return _groups(module, _of_type(module, (nn.LayerNorm,)), "layer normalisation")


def last_layer_groups(module: nn.Module) -> Groups:
    """Return one group: the weights and biases of the last linear layer."""
    return _groups(module, _of_type(module, (nn.Linear,))[-1:], "linear layer")


def chosen_groups(module: nn.Module, layers: Sequence[str]) -> Groups:
    """Return a group for each layer named, as ``module.named_modules()`` names them."""
    modules = dict(module.named_modules())
    if unknown := [name for name in layers if name not in modules]:
        raise InputError(f"layers must be names of modules; {unknown[0]!r} is none. See module.named_modules().")
    return _groups(module, list(layers), "layer with parameters")


def _of_type(module: nn.Module, types: tuple[type[nn.Module], ...]) -> list[str]:
    return [name for name, submodule in module.named_modules() if isinstance(submodule, types)]


def _groups(module: nn.Module, layers: list[str], what: str) -> Groups:
    modules = dict(module.named_modules())
    parameters_of_layers = [
        [(f"{layer}.{own}".lstrip("."), p.shape) for own, p in modules[layer].named_parameters()] for layer in layers
    ]
    tuned_layers = [
        (layer, parameters) for layer, parameters in zip(layers, parameters_of_layers, strict=True) if parameters
    ]
    if not tuned_layers:
        raise InputError(f"module must have a {what} to tune; it has none. Name other layers with chosen_groups.")
    names = tuple(tuple(name for name, _ in parameters) for _, parameters in tuned_layers)
    if len({name for layer_names in names for name in layer_names}) < sum(map(len, names)):
        raise InputError("layers must not share parameters; name each layer once, and no layer inside another.")
    shapes = tuple(tuple(shape for _, shape in parameters) for _, parameters in tuned_layers)
    return Groups(tuple(layer for layer, _ in tuned_layers), names, shapes)


def stages_of(module: nn.Module) -> list[nn.Module]:
    """Return the stages of a network in their order; a module that is no ``nn.Sequential`` is a single stage."""
    if not isinstance(module, nn.Sequential):
        return [module]
    return [stage for part in module for stage in stages_of(part)]


def _own_copy(module: nn.Module, statistics: str) -> nn.Module:
    """Return a copy that gives the same outputs each time it is run on the same rows."""
    copied = copy.deepcopy(module).eval()
    for submodule in copied.modules():
        if "inplace" in vars(submodule):
            vars(submodule)["inplace"] = False  # activations are kept, and must not be written over
        if statistics == "rows" and isinstance(submodule, BATCH_NORMS):
            submodule.train()
            submodule.momentum = 0.0  # the stored statistics stay as they are
    return copied


def _as_input(X: Any) -> Tensor:
    rows = torch.as_tensor(X)
    rows = rows.float() if rows.is_floating_point() else rows
    if len(rows) == 0 or not torch.isfinite(rows).all():
        raise InputError("X must have at least one row, and finite numbers only; got none, NaN or infinity.")
    return rows


class NetworkScorer:
    """Scores of networks that differ in some groups of parameters: a function of candidates [k, p] for ``tune``.

    Activations before the first stage in which candidates differ are computed once, and kept from batch to batch. If
    candidates differ in a final linear layer alone, one product of matrices gives the outputs of all. The module is
    copied and never changed.

    Parameters
    ----------
    module : torch.nn.Module
        A classifier; stages are those of an ``nn.Sequential``, nested ones opened. Any other module is one stage.
    groups : Groups
        The groups of parameters that a candidate holds.
    X : array [n, ...]
        Rows to score on, in the module's input format.
    metric : Metric
        Score of predicted classes, such as ``accuracy(y)``.
    top : int or None
        How many of the likeliest classes the metric gets, best first, as ``top_accuracy`` needs them. None: the best
        alone, without a third axis.
    statistics : {"stored", "rows"}
        Statistics of batch normalisations: those stored in the module, or those of the scored rows
        ([feedback] section 5.4.1 tunes on top of the latter).
    """

    def __init__(
        self,
        module: nn.Module,
        groups: Groups,
        X: Any,
        metric: Metric,
        *,
        statistics: str = "stored",
        top: int | None = None,
    ) -> None:
        self.groups, self.metric = groups, metric
        self.top = None if top is None else checks.whole("top", top)
        self.module = _own_copy(module, checks.one_of("statistics", statistics, ("stored", "rows")))
        self.stages = stages_of(self.module)
        self._owners = self._stage_of_each_parameter()
        self._base = groups.vector(self.module)
        self._kept = {0: _as_input(X)}  # inputs of the stages that are tuned, for the parameters in _base

    def __call__(self, candidates: FloatArray) -> FloatArray:
        """Return the scores of candidates [k, p]."""
        return self.metric(self.predict(candidates))

    @torch.no_grad()
    def predict(self, candidates: FloatArray) -> PredictedCodes:
        """Return the classes [k, n] that the candidates predict, or the best few of them [k, n, K]."""
        candidates = checks.finite_array("candidates", candidates)
        if candidates.ndim != 2 or candidates.shape[1] != len(self._base) or not len(candidates):
            raise InputError(f"candidates must be rows of {len(self._base)} parameters; got {candidates.shape}.")
        start = self._first_stage(np.ptp(candidates, axis=0) != 0)
        shared = self._advanced(candidates[0], start)
        columns, last = np.flatnonzero(self._owners == start), self.stages[start]
        whole_layer = isinstance(last, nn.Linear) and len(columns) == _n_parameters(last)
        if self.top is None and start == len(self.stages) - 1 and whole_layer:
            return linear_codes(shared.numpy(), candidates[:, columns], bias=last.bias is not None)
        return np.stack([self._codes(candidate, start, shared) for candidate in candidates])

    def _codes(self, candidate: FloatArray, start: int, shared: Tensor) -> PredictedCodes:
        self.groups.load(self.module, candidate)
        outputs = shared
        for stage in self.stages[start:]:
            outputs = stage(outputs)
        if self.top is not None:
            return outputs.topk(self.top, dim=1).indices.numpy()
        codes = (outputs[:, 0] > 0).long() if outputs.shape[1] == 1 else outputs.argmax(dim=1)
        return codes.numpy()

    def _advanced(self, candidate: FloatArray, start: int) -> Tensor:
        """Return the input of stage ``start`` for ``candidate``, from the last kept activation that is still valid."""
        unchanged = self._first_stage(candidate != self._base)
        self._kept = {place: rows for place, rows in self._kept.items() if place <= unchanged}
        self.groups.load(self.module, candidate)
        self._base = candidate.copy()
        last_kept = max(place for place in self._kept if place <= start)
        rows = self._kept[last_kept]
        for place in range(last_kept, start):
            rows = self.stages[place](rows)
            if place + 1 in self._owners:
                self._kept[place + 1] = rows
        return rows

    def _first_stage(self, differs: Any) -> int:
        """Return the first stage that holds a parameter which differs; the last one if none does."""
        owners = self._owners[differs]
        return int(owners.min()) if len(owners) else len(self.stages) - 1

    def _stage_of_each_parameter(self) -> Any:
        places = {id(p): place for place, stage in enumerate(self.stages) for p in stage.parameters()}
        parameters = dict(self.module.named_parameters())
        owners = [places[id(parameters[name])] for names in self.groups.names for name in names]
        lengths = [shape.numel() for shapes in self.groups.shapes for shape in shapes]
        return np.repeat(owners, lengths)


def _n_parameters(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())
