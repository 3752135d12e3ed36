"""Targets that predictions are made into, against the closed-form gradients of the losses they stand for."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import Tensor

from tacit.errors import InputError
from tacit.models.semi_supervised.distillation import balanced, distillation_loss, distilled, imbalance, link_of
from tacit.models.semi_supervised.recipe import DISTILLATIONS, LossSettings, Recipe
from tacit.numerics import sharpening as plain
from tacit.numerics.sparsemax import sparsemax


def recipe(distillation: str, **losses: Any) -> Recipe:
    return Recipe(distillation=distillation, losses=LossSettings(**losses))


def logits(n: int = 50, n_classes: int = 6) -> Tensor:
    torch.manual_seed(0)
    return 2.0 * torch.randn(n, n_classes, dtype=torch.float64)


@pytest.mark.parametrize("name", ["sh", "pl", "ns"])
def test_learning_its_own_target_moves_softmax_as_the_distillation_loss_does(name: str) -> None:
    settings = recipe(distillation=name, confidence=0.5, negligible=0.05, temperature=0.4)
    link, z = link_of(settings), logits().requires_grad_()
    targets = distilled(link.probabilities(z).detach(), settings)
    (slope,) = torch.autograd.grad((targets.weights * link.fit(z, targets.probabilities)).sum(), z)
    loss = distillation_loss(settings)
    assert loss is not None
    (expected,) = torch.autograd.grad(loss(z).sum(), z)
    assert_allclose(slope, expected, atol=1e-9)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.5])
def test_adaptive_sharpening_teaches_the_power_of_sparsemax(power: float) -> None:
    settings = recipe(distillation="ads", power=power)
    p = link_of(settings).probabilities(logits())
    expected = p.numpy() ** power
    found = distilled(p, settings)
    assert_allclose(found.probabilities, expected / expected.sum(axis=1, keepdims=True), atol=1e-12)
    assert (found.weights == 1).all()


@pytest.mark.parametrize("name", ["me", "none"])
def test_what_makes_no_target_teaches_predictions_as_they_are(name: str) -> None:
    p = logits().softmax(dim=1)
    assert_allclose(distilled(p, recipe(distillation=name)).probabilities, p)


def test_nothing_is_distilled_by_none_and_entropy_by_me() -> None:
    assert distillation_loss(recipe(distillation="none")) is None
    loss = distillation_loss(recipe(distillation="me"))
    assert loss is not None
    assert_allclose(loss(logits()), plain.entropy_loss(logits().numpy()).values, atol=1e-12)


@pytest.mark.parametrize("name", DISTILLATIONS)
def test_targets_are_probabilities_even_of_uniform_and_of_certain_predictions(name: str) -> None:
    settings = recipe(distillation=name, negligible=0.4)
    p = torch.cat([torch.full((1, 4), 0.25), torch.eye(4), torch.tensor([[1.0, 1e-30, 1e-38, 0.0]])])
    found = distilled(p, settings)
    assert_allclose(found.probabilities.sum(dim=1), 1, atol=1e-6)
    assert found.probabilities.isfinite().all()


SPARSE_LOSSES: dict[str, Callable[[list[float]], float]] = {
    "me": lambda p: -sum(value * math.log(value) for value in p if value > 0),
    "pl": lambda p: -math.log(max(p)) if max(p) > 0.5 else 0.0,
    "ns": lambda p: -math.log(1 - sum(value for value in p if value < 0.05)),
}


@pytest.mark.parametrize("name", SPARSE_LOSSES)
def test_losses_on_sparsemax_are_their_formulas_on_its_probabilities(name: str) -> None:
    """[sharpening] Table 4.3: the losses of softmax predictions, of sparsemax predictions."""
    settings = recipe(name, link="sparsemax", confidence=0.5, negligible=0.05)
    loss, z = distillation_loss(settings), logits(200)
    assert loss is not None
    expected = [SPARSE_LOSSES[name](row) for row in sparsemax(z.numpy()).tolist()]
    assert_allclose(loss(z), expected, atol=1e-12)
    assert max(expected) > 0
    # Another loss than on softmax.
    plain_loss = distillation_loss(recipe(name, confidence=0.5, negligible=0.05))
    assert plain_loss is not None
    assert not np.allclose(plain_loss(z), expected, atol=1e-3)


@pytest.mark.parametrize("name", SPARSE_LOSSES)
def test_gradients_on_sparsemax_are_finite_differences(name: str) -> None:
    loss = distillation_loss(recipe(name, link="sparsemax", confidence=0.5, negligible=0.05))
    assert loss is not None
    z = (0.3 * logits(20, 4)).requires_grad_()
    (slope,) = torch.autograd.grad(loss(z).sum(), z)
    step, base = 1e-6, z.detach()
    for k in range(4):
        there, here = base.clone(), base.clone()
        there[:, k] += step
        here[:, k] -= step
        assert_allclose((loss(there) - loss(here)) / (2 * step), slope[:, k], atol=1e-4)


def test_certain_predictions_on_sparsemax_cost_nothing_and_have_finite_slopes() -> None:
    for name in SPARSE_LOSSES:
        loss = distillation_loss(recipe(name, link="sparsemax"))
        assert loss is not None
        z = torch.tensor([[9.0, 0.0, -3.0], [1.0, 0.0, 0.0]], requires_grad=True)
        values = loss(z)
        (slope,) = torch.autograd.grad(values.sum(), z)
        assert_allclose(values.detach(), 0, atol=1e-6)
        assert slope.isfinite().all()


def test_sharpening_belongs_to_one_link() -> None:
    for name, link in (("ads", "softmax"), ("sh", "sparsemax"), ("me", "argmax")):
        with pytest.raises(InputError, match="link"):
            recipe(name, link=link)
    assert recipe("ads", link="sparsemax").sparse
    assert recipe("none", link="sparsemax").sparse
    assert not recipe("sh", link="softmax").sparse


def test_sparsemax_is_for_adaptive_sharpening_only() -> None:
    zeros = {
        name: bool((link_of(recipe(distillation=name)).probabilities(logits()) == 0).any()) for name in DISTILLATIONS
    }
    assert [name for name, found in zeros.items() if found] == ["ads"]


def test_balance_turns_the_mean_prediction_to_the_prior() -> None:
    torch.manual_seed(0)
    p = torch.rand(4000, 3).softmax(dim=1)
    usual, prior = p.mean(dim=0), torch.tensor([0.5, 0.3, 0.2])
    assert torch.equal(balanced(p, usual=usual, prior=prior, strength=0.0), p)
    turned = balanced(p, usual=usual, prior=prior, strength=1.0).mean(dim=0)
    assert (turned - prior).abs().max() < 0.05 < (usual - prior).abs().max()


def test_balance_keeps_a_class_that_was_never_predicted_in_bounds() -> None:
    p = torch.tensor([[0.9, 0.1, 0.0]])
    q = balanced(p, usual=torch.tensor([1.0, 0.0, 0.0]), prior=torch.full((3,), 1 / 3), strength=1.0)
    assert q.isfinite().all()
    assert q[0, 2] == 0
    assert q[0, 1] <= 10 * 0.1 / (0.9 / 3)


def test_imbalance_is_the_divergence_of_the_mean_prediction_from_the_prior() -> None:
    z, prior = logits(), np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1])
    mean = z.softmax(dim=1).mean(dim=0).numpy()
    assert float(imbalance(z, torch.from_numpy(prior))) == pytest.approx(float((prior * np.log(prior / mean)).sum()))
    assert float(imbalance(torch.zeros(4, 3), torch.full((3,), 1 / 3))) == pytest.approx(0.0, abs=1e-6)
