"""Groups of a network's parameters, and fast scores against copy-and-forward."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from torch import Tensor, nn

from tacit.errors import InputError
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.metrics import accuracy, top_accuracy
from tacit.situations.feedback.networks import (
    Groups,
    NetworkScorer,
    batch_norm_groups,
    chosen_groups,
    last_layer_groups,
    layer_norm_groups,
    stages_of,
)
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import tune

GENERATOR = np.random.default_rng(0)
X = GENERATOR.standard_normal((80, 1, 6, 6)).astype(np.float32)
Y = (X.mean(axis=(1, 2, 3)) > 0).astype(int) + (X[:, 0, 0, 0] > 1)


def network(outputs: int = 3) -> nn.Sequential:
    torch.manual_seed(0)
    # Written over in place, the activations that the scorer keeps would be lost.
    first = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
    second = nn.Sequential(nn.Conv2d(4, 5, 3), nn.BatchNorm2d(5), nn.ReLU())
    return nn.Sequential(first, second, nn.Flatten(), nn.LayerNorm(20), nn.Linear(20, outputs)).eval()


class Opaque(nn.Module):
    """A network that is no sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = network()

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of the inner network."""
        return self.inner(x)  # type: ignore[no-any-return]


def copied_and_forwarded(module: nn.Module, groups: Groups, candidates: Any, rows: Any = X) -> Any:
    codes = []
    for candidate in candidates:
        own = copy.deepcopy(module)
        groups.load(own, candidate)
        with torch.no_grad():
            outputs = own(torch.as_tensor(rows))
        codes.append((outputs[:, 0] > 0).long() if outputs.shape[1] == 1 else outputs.argmax(dim=1))
    return np.array([code.numpy() for code in codes])


def test_groups_are_named_and_sized_by_layer() -> None:
    module = network()
    norms = batch_norm_groups(module)
    assert norms.layers == ("0.1", "1.1")
    assert norms.sizes == (8, 10)
    assert layer_norm_groups(module).sizes == (40,)
    assert last_layer_groups(module).names == (("4.weight", "4.bias"),)
    assert chosen_groups(module, ["1.0", "4"]).sizes == (4 * 5 * 9 + 5, 63)
    assert chosen_groups(module[4], [""]).names == (("weight", "bias"),)


def test_a_vector_goes_in_and_comes_out() -> None:
    module = network()
    groups = chosen_groups(module, ["4", "0.1"])
    vector = GENERATOR.standard_normal(sum(groups.sizes)).astype(np.float32).astype(np.float64)
    groups.load(module, vector)
    assert_array_equal(groups.vector(module), vector)
    assert_array_equal(
        dict(module.named_parameters())["4.weight"].detach().numpy().ravel(), vector[:60].astype(np.float32)
    )
    with pytest.raises(InputError, match="71 parameters"):
        groups.load(module, vector[1:])


@pytest.mark.parametrize("layers", [["nowhere"], ["0.2"], ["4", "4"], ["0", "0.1"]])
def test_layers_that_make_no_groups_are_refused(layers: list[str]) -> None:
    with pytest.raises(InputError, match="layer"):
        chosen_groups(network(), layers)


def test_a_network_without_such_a_layer_is_refused() -> None:
    with pytest.raises(InputError, match="batch normalisation"):
        batch_norm_groups(nn.Sequential(nn.Linear(2, 2)))


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("layers", [["4"], ["3"], ["1.1"], ["0.1", "1.1"], ["0.0", "4"]])
def test_fast_scores_are_those_of_copy_and_forward(layers: list[str], outputs: int) -> None:
    module = network(outputs)
    groups = chosen_groups(module, layers)
    scorer = NetworkScorer(module, groups, X, accuracy(Y))
    for _ in range(3):
        candidates = groups.vector(module) + 0.5 * GENERATOR.standard_normal((6, sum(groups.sizes)))
        assert_array_equal(scorer.predict(candidates), copied_and_forwarded(module, groups, candidates))


def test_candidates_of_one_layer_after_another_are_scored_right() -> None:
    module = network()
    groups = chosen_groups(module, ["0.1", "1.1", "3", "4"])
    scorer = NetworkScorer(module, groups, X, accuracy(Y))
    search = LayerwiseSearch(groups.vector(module), queries=150, sigma=0.3, sizes=groups.sizes, unit=4, random_state=0)
    while not search.done:
        candidates = search.ask()
        expected = copied_and_forwarded(module, groups, candidates)
        assert_array_equal(scorer.predict(candidates), expected)
        search = search.tell((expected == Y).mean(axis=1))


def test_part_of_a_last_layer_and_equal_candidates_are_scored_right() -> None:
    module = network()
    bias_only = Groups(("4",), (("4.bias",),), ((torch.Size([3]),),))
    candidates = GENERATOR.standard_normal((4, 3))
    scorer = NetworkScorer(module, bias_only, X, accuracy(Y))
    assert_array_equal(scorer.predict(candidates), copied_and_forwarded(module, bias_only, candidates))
    same = np.repeat(candidates[:1], 3, axis=0)
    assert_array_equal(scorer.predict(same), copied_and_forwarded(module, bias_only, same))


def test_a_network_that_is_no_sequence_is_scored_as_a_whole() -> None:
    module = Opaque().eval()
    groups = batch_norm_groups(module)
    candidates = groups.vector(module) + GENERATOR.standard_normal((5, sum(groups.sizes)))
    assert len(stages_of(module)) == 1
    assert_array_equal(
        NetworkScorer(module, groups, X, accuracy(Y)).predict(candidates),
        copied_and_forwarded(module, groups, candidates),
    )


def test_statistics_of_the_rows_can_take_the_place_of_stored_ones() -> None:
    module = network()
    groups = batch_norm_groups(module)
    shifted = 3 * X + 1
    scorer = NetworkScorer(module, groups, shifted, accuracy(Y), statistics="rows")
    candidates = groups.vector(module) + 0.3 * GENERATOR.standard_normal((4, sum(groups.sizes)))
    expected = copied_and_forwarded(copy.deepcopy(module).train(), groups, candidates, shifted)
    assert_array_equal(scorer.predict(candidates), expected)
    assert_array_equal(scorer.predict(candidates), expected)
    with pytest.raises(InputError, match="statistics"):
        NetworkScorer(module, groups, X, accuracy(Y), statistics="mine")


@pytest.mark.parametrize("groups", [batch_norm_groups, last_layer_groups])
def test_the_best_few_classes_come_in_their_order(groups: Any) -> None:
    module = network(outputs=4)
    chosen = groups(module)
    candidates = chosen.vector(module) + 0.1 * np.random.default_rng(1).standard_normal((3, sum(chosen.sizes)))
    scorer = NetworkScorer(module, chosen, X, top_accuracy(Y), top=2)
    single = NetworkScorer(module, chosen, X, accuracy(Y))
    best = scorer.predict(candidates)
    assert best.shape == (3, len(X), 2)
    assert_array_equal(best[:, :, 0], single.predict(candidates))
    assert (scorer(candidates) >= single(candidates)).all()
    for candidate, codes in zip(candidates, best, strict=True):
        copied = copy.deepcopy(module)
        chosen.load(copied, candidate)
        with torch.no_grad():
            outputs = copied(torch.as_tensor(X)).numpy()
        assert_array_equal(np.argsort(-outputs, axis=1, kind="stable")[:, :2], codes)


def test_the_module_given_stays_as_it_is() -> None:
    module = network()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    scorer = NetworkScorer(module, batch_norm_groups(module), X, accuracy(Y), statistics="rows")
    scorer(GENERATOR.standard_normal((3, 18)))
    assert not module.training
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())


def test_scores_raise_the_accuracy_of_a_network() -> None:
    module = network()
    groups = last_layer_groups(module)
    score = NetworkScorer(module, groups, X, accuracy(Y))
    start = groups.vector(module)
    found = tune(PerformanceSearch(start, queries=400, sigma=0.1, random_state=0), score)
    assert score(found.mean[None])[0] > score(start[None])[0] + 0.2


@pytest.mark.parametrize("candidates", [np.zeros((0, 63)), np.zeros((2, 62)), np.zeros(63), np.full((1, 63), np.nan)])
def test_candidates_that_are_none_are_refused(candidates: Any) -> None:
    module = network()
    with pytest.raises(InputError, match="candidates"):
        NetworkScorer(module, last_layer_groups(module), X, accuracy(Y))(candidates)


@pytest.mark.parametrize("rows", [X[:0], np.full((2, 1, 6, 6), np.inf)])
def test_rows_that_are_none_are_refused(rows: Any) -> None:
    module = network()
    with pytest.raises(InputError, match="X must"):
        NetworkScorer(module, last_layer_groups(module), rows, accuracy(Y))


def test_a_first_stage_that_writes_in_place_leaves_the_rows_as_they_are() -> None:
    module = nn.Sequential(nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(36, 3))
    groups, rows = last_layer_groups(module), torch.tensor(X)
    candidates = GENERATOR.standard_normal((3, sum(groups.sizes)))
    NetworkScorer(module, groups, rows, accuracy(Y)).predict(candidates)
    assert torch.equal(rows, torch.tensor(X))
