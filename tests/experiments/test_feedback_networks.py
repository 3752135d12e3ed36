"""The networks of the feedback tables and the faults of their pictures."""

import copy

import numpy as np
import torch
from numpy.testing import assert_allclose
from torch import nn

from tacit.experiments.feedback_networks import convolutional, corrupt, deep, tent, train, tune_by_gradient
from tacit.situations.feedback.networks import BATCH_NORMS, batch_norm_groups

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 8)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)


def accuracy(network: nn.Module) -> float:
    with torch.no_grad():
        return float((network(torch.as_tensor(X)).argmax(dim=1).numpy() == Y).mean())


def test_faults_are_what_they_are_called() -> None:
    pictures, generator = np.random.default_rng(0).uniform(0.3, 0.7, (200, 64)), np.random.RandomState(0)
    noisy = corrupt(pictures, "gaussian", 0.05, generator) - pictures
    assert abs(noisy.std() - 0.05) < 0.002
    struck = corrupt(pictures, "impulse", 0.2, generator)
    assert abs((struck != pictures).mean() - 0.2) < 0.02
    assert set(np.unique(struck[struck != pictures])) == {0.0, 1.0}
    flat = corrupt(pictures, "contrast", 0.25, generator)
    assert_allclose(flat.mean(axis=1), pictures.mean(axis=1))
    assert_allclose(flat.std(axis=1), 0.25 * pictures.std(axis=1))


def test_faulty_pictures_stay_within_their_bounds() -> None:
    pictures = np.random.default_rng(1).uniform(0, 1, (50, 64))
    for fault in ("gaussian", "impulse", "contrast"):
        faulty = corrupt(pictures, fault, 0.4, np.random.RandomState(0))
        assert faulty.min() >= 0
        assert faulty.max() <= 1


def test_the_deep_network_has_many_groups_and_the_convolutional_one_three() -> None:
    sizes = batch_norm_groups(deep(64)).sizes
    assert len(sizes) >= 20
    assert sum(sizes) >= 2000
    assert batch_norm_groups(convolutional()).sizes == (16, 32, 64)


def test_training_teaches_and_a_seed_repeats_it() -> None:
    networks = []
    for _ in range(2):
        torch.manual_seed(0)
        networks.append(train(deep(8, width=16, depth=2), X, Y, epochs=30, seed=0))
    assert accuracy(networks[0]) > 0.9
    assert not networks[0].training
    for first, second in zip(networks[0].parameters(), networks[1].parameters(), strict=True):
        assert torch.equal(first, second)


def test_tuning_by_gradient_moves_the_chosen_layers_alone() -> None:
    torch.manual_seed(0)
    start = deep(8, width=16, depth=2).eval()
    tuned = tune_by_gradient(copy.deepcopy(start), BATCH_NORMS, X, Y)
    chosen = {
        f"{name}.{part}"
        for name, layer in start.named_modules()
        if isinstance(layer, BATCH_NORMS)
        for part, _ in layer.named_parameters()
    }
    moved = {
        name
        for (name, before), after in zip(start.named_parameters(), tuned.parameters(), strict=True)
        if not torch.equal(before, after)
    }
    assert moved == chosen
    assert accuracy(tuned) > accuracy(start) + 0.1


def test_tent_makes_predictions_surer_and_moves_batch_normalisations_alone() -> None:
    torch.manual_seed(0)
    network = train(deep(8, width=16, depth=2), X, Y, epochs=5, seed=0)
    surer = tent(copy.deepcopy(network), BATCH_NORMS, X)

    def entropy(module: nn.Module) -> float:
        module.train()
        with torch.no_grad():
            chances = module(torch.as_tensor(X)).softmax(dim=1)
        module.eval()
        return float(-(chances * chances.log()).sum(dim=1).mean())

    assert entropy(surer) < entropy(network) - 0.01
    tuned = {name for groups in batch_norm_groups(network).names for name in groups}
    before, after = dict(network.named_parameters()), dict(surer.named_parameters())
    assert {name for name in before if not torch.equal(before[name], after[name])} == tuned


def test_a_convolutional_network_takes_colours() -> None:
    outputs = convolutional(4, channels=3)(torch.zeros(2, 3, 32, 32))
    assert outputs.shape == (2, 10)
