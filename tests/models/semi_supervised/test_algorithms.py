"""Steps of each algorithm: what they cost, what they learn from, and what they leave alone."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tacit.models.semi_supervised import algorithms
from tacit.models.semi_supervised.algorithms import STEPS, TrainingBatch, TrainingState, guide_loss, mix, steadied
from tacit.models.semi_supervised.augmentation import PictureAugmentation
from tacit.models.semi_supervised.losses import adaptive_sharpening_loss
from tacit.models.semi_supervised.networks import default_network
from tacit.models.semi_supervised.recipe import ALGORITHMS, DISTILLATIONS, LossSettings, Recipe
from tacit.models.semi_supervised.sparsemax import sparsemax

N_CLASSES = 4
COMBINATIONS = pytest.mark.parametrize("distillation", DISTILLATIONS)
EVERY = pytest.mark.parametrize("algorithm", ALGORITHMS)


def learner(algorithm: str = "fixmatch", distillation: str = "ads", **losses: Any) -> TrainingState:
    torch.manual_seed(0)
    recipe = Recipe(algorithm=algorithm, distillation=distillation, losses=LossSettings(**losses))
    prior = torch.full((N_CLASSES,), 1 / N_CLASSES)
    return TrainingState(default_network((1, 8, 8), N_CLASSES), recipe, PictureAugmentation(), prior)


def batch(n_unlabelled: int = 16) -> TrainingBatch:
    torch.manual_seed(1)
    codes = torch.arange(8) % N_CLASSES
    rows = 0.1 * torch.rand(8 + n_unlabelled, 1, 8, 8)
    for place, code in enumerate(torch.arange(8 + n_unlabelled) % N_CLASSES):
        rows[place, 0, 2 * code : 2 * code + 2] += 0.8  # a class is a bar at its own height
    return TrainingBatch(rows[:8], codes, rows[8:])


def loss(made: TrainingState, given: TrainingBatch) -> Tensor:
    torch.manual_seed(2)
    parts, _ = STEPS[made.recipe.algorithm](made, given)
    return torch.stack(list(parts.values())).sum()


@EVERY
@COMBINATIONS
def test_a_few_steps_lower_the_loss(algorithm: str, distillation: str) -> None:
    made, given = learner(algorithm=algorithm, distillation=distillation, confidence=0.3), batch()
    optimizer = torch.optim.SGD(made.network.parameters(), lr=0.05)
    before = float(loss(made, given).detach())
    for _ in range(5):
        optimizer.zero_grad()
        loss(made, given).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    assert float(loss(made, given).detach()) < before


@EVERY
def test_without_unlabelled_rows_only_labels_count(algorithm: str) -> None:
    torch.manual_seed(0)
    parts, others = STEPS[algorithm](learner(algorithm=algorithm), batch(n_unlabelled=0))
    assert set(parts) == {"labelled"}
    assert len(others) == 0


@EVERY
def test_unlabelled_rows_teach_every_algorithm_but_the_supervised(algorithm: str) -> None:
    made = learner(algorithm=algorithm, distillation="sh")
    made.network.eval()  # batch normalisation would let any row act on all others
    torch.manual_seed(0)
    parts, _ = STEPS[algorithm](made, batch())
    assert ("consistency" in parts) == (algorithm != "supervised")


def test_targets_of_fixmatch_get_no_gradient_and_come_from_weak_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    made, given = learner(algorithm="fixmatch", distillation="pl", confidence=0.0, class_balance=0.0), batch()
    seen: list[Tensor] = []
    monkeypatch.setattr(PictureAugmentation, "weak", lambda _, rows: rows)
    made.network.register_forward_hook(lambda _, inputs, logits: seen.extend([inputs[0], logits]))
    parts, others = algorithms.fixmatch(made, given)
    assert seen[0] is given.unlabelled
    assert not seen[1].requires_grad
    expected = nn.functional.cross_entropy(others, seen[1].argmax(dim=1))
    assert float(parts["consistency"].detach()) == pytest.approx(float(expected.detach()), rel=1e-5)


def test_unsure_rows_teach_no_pseudo_label() -> None:
    made = learner(algorithm="fixmatch", distillation="pl", confidence=0.999)
    parts, _ = algorithms.fixmatch(made, batch())
    assert float(parts["consistency"].detach()) == 0.0


def test_the_adversarial_step_leaves_running_statistics_and_is_as_long_as_asked() -> None:
    made, given = learner(algorithm="vat", vat_radius=0.7), batch()
    steps: list[Tensor] = []
    made.network.register_forward_pre_hook(lambda _, inputs: steps.append(inputs[0].detach()))
    means = {name: value.clone() for name, value in made.network.named_buffers() if name.endswith("running_mean")}
    algorithms.vat(made, given)
    moved = (steps[-1] - given.unlabelled).flatten(1).norm(dim=1)
    assert torch.allclose(moved, torch.full((16,), 0.7), atol=1e-4)
    with torch.no_grad():
        fresh = learner()
        fresh.network(torch.cat([given.rows, given.unlabelled]))
    for name, value in made.network.named_buffers():
        if name in means:
            assert not torch.equal(value, means[name])
            assert torch.allclose(value, dict(fresh.network.named_buffers())[name], atol=1e-6)


def test_statistics_move_again_afterwards() -> None:
    network = nn.Sequential(nn.BatchNorm1d(3))
    rows = torch.rand(10, 3) + 5
    with steadied(network) as was_random:
        network(rows)
    assert not was_random
    assert torch.equal(network[0].running_mean, torch.zeros(3))  # type: ignore[arg-type]
    network(rows)
    assert network[0].running_mean.min() > 0  # type: ignore[operator]


@COMBINATIONS
def test_vat_balances_classes_only_beside_a_loss_that_tells_them_apart(distillation: str) -> None:
    parts, _ = algorithms.vat(learner(algorithm="vat", distillation=distillation), batch())
    assert ("balance" in parts) == (distillation in {"ads", "sh", "me"})
    free, _ = algorithms.vat(learner(algorithm="vat", distillation=distillation, class_balance=0.0), batch())
    assert "balance" not in free


@pytest.mark.parametrize(("distillation", "steepness"), [("sh", 1.0), ("ads", 4.0)])
def test_vat_compares_predictions_as_a_softmax_as_certain_as_the_link_would(
    distillation: str, steepness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, given = learner(algorithm="vat", distillation=distillation), batch()
    made.network = nn.Sequential(nn.Flatten(), nn.Linear(64, N_CLASSES))
    searched: list[Tensor] = []

    def fixed_direction(network: Callable[[Tensor], Tensor], rows: Tensor) -> Tensor:
        searched.append(network(rows))
        return torch.ones_like(rows) / 8

    monkeypatch.setattr(algorithms, "vat_direction", fixed_direction)
    parts, here = algorithms.vat(made, given)
    there = made.network(given.unlabelled + 1 / 8).detach().requires_grad_()
    assert torch.allclose(searched[0], steepness * here)
    divergence = made.link.divergence(there, here)
    assert float(parts["consistency"].detach()) == pytest.approx(
        steepness * float(divergence.detach().mean()), rel=1e-5
    )
    (slope,) = torch.autograd.grad(divergence.sum(), there)
    expected = made.link.probabilities(there) - made.link.probabilities(here)
    assert torch.allclose(slope, expected, atol=1e-6)


def test_adaptive_sharpening_pulls_an_unsure_prediction_k_times_as_hard_as_its_target_would() -> None:
    logits = torch.tensor([[0.02, 0.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(adaptive_sharpening_loss(logits).sum(), logits)
    p = sparsemax(logits.detach())
    q = p.square() / p.square().sum()
    assert torch.allclose(slope, N_CLASSES * (p - q), rtol=0.05)


def test_chance_does_not_tell_predictions_of_an_adversarial_step_apart() -> None:
    made, given = learner(algorithm="vat", distillation="none", class_balance=0.0, vat_radius=1e-6), batch()
    made.network = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(64, N_CLASSES))
    parts, _ = algorithms.vat(made, given)
    assert float(parts["consistency"].detach()) == pytest.approx(0.0, abs=1e-6)
    assert made.network[1].training
    with steadied(made.network.eval()) as was_random:
        assert not was_random
    assert not made.network[1].training


def test_mixtures_are_mostly_their_own_row_and_mix_targets_alike() -> None:
    torch.manual_seed(0)
    rows = torch.eye(20)
    mixed, wanted = mix(rows, rows)
    assert torch.equal(mixed, wanted)
    assert (mixed.diagonal() >= 0.5).all()
    assert torch.allclose(mixed.sum(dim=1), torch.ones(20))
    assert (mixed.diagonal() < 1).any()


def test_the_mean_prediction_is_remembered() -> None:
    made = learner(distillation="none", class_balance=0.0)
    made.network = nn.Identity()
    certain = torch.tensor([[9.0, 0.0, 0.0, 0.0]])
    for _ in range(400):
        made.expected([certain])
    assert made.usual[0] > 0.95


def test_several_variants_are_averaged_as_probabilities() -> None:
    made = learner(distillation="none", class_balance=0.0)
    made.network = nn.Identity()
    variants = [torch.tensor([[9.0, 0.0, 0.0, 0.0]]), torch.zeros(1, 4)]
    expected = (variants[0].softmax(dim=1) + 0.25) / 2
    assert torch.allclose(made.expected(variants).probabilities, expected)


def test_a_guide_counts_by_what_its_rows_know() -> None:
    made, given = learner(distillation="sh"), batch()
    _, others = algorithms.fixmatch(made, given)
    soft = torch.full((16, N_CLASSES), 1 / N_CLASSES)
    soft[0] = torch.tensor([0.0, 1.0, 0.0, 0.0])
    weights = torch.zeros(16)
    weights[0] = 1.0
    guided = TrainingBatch(given.rows, given.codes, given.unlabelled, soft, weights)
    expected = nn.functional.cross_entropy(others[:1], torch.tensor([1])) / 16
    assert float(guide_loss(made, guided, others).detach()) == pytest.approx(float(expected.detach()), rel=1e-5)
    assert float(guide_loss(made, given, others).detach()) == 0.0
