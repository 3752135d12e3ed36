"""The loop around the losses: batches, ramps, averaged weights, and when it stops."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tacit.models.semi_supervised import training
from tacit.models.semi_supervised.inputs import lay_out
from tacit.models.semi_supervised.networks import default_network
from tacit.models.semi_supervised.recipe import Recipe, TrainingSettings
from tacit.models.semi_supervised.training import (
    Trained,
    TrainingData,
    augmentation_of,
    follow,
    guide_certainty,
    ramp,
    train,
)


def recipe(n_steps: int = 50, **settings: Any) -> Recipe:
    training = {name: settings.pop(name) for name in {"optimizer", "learning_rate", "early_stopping"} & settings.keys()}
    return Recipe(n_steps=n_steps, training=TrainingSettings(batch_size=8, **training), **settings)


def data(n_labelled: int = 20, n_unlabelled: int = 30, n_held: int = 0, guide: Any = None) -> TrainingData:
    rng = np.random.default_rng(0)
    codes = np.arange(n_labelled + n_unlabelled + n_held) % 2
    rows = (rng.normal(size=(len(codes), 2)) + 4 * codes[:, None]).astype(np.float32)
    first, last = n_labelled, n_labelled + n_unlabelled
    prior = np.array([0.5, 0.5])
    return TrainingData(rows[:first], codes[:first], rows[first:last], guide, rows[last:], codes[last:], prior)


def trained(given: TrainingData, settings: Recipe) -> Trained:
    torch.manual_seed(0)
    layout = lay_out(given.rows, image_shape=None, schema=None)
    return train(default_network((2,), 2), given, settings, augmentation_of(layout))


@pytest.mark.parametrize("optimizer", ["adam", "nesterov"])
def test_training_lowers_the_loss(optimizer: str) -> None:
    result = trained(data(), recipe(optimizer=optimizer, learning_rate=0.02))
    losses = [check["labelled"] for check in result.history]
    assert losses[-1] < 0.5 * losses[0]
    assert not result.network.training


def test_batches_go_through_all_rows_before_any_comes_again() -> None:
    given = replace(data(), guide=np.full((30, 2), 0.5))
    batches = list(itertools.islice(training._batches(given, recipe(unlabelled_ratio=2)), 15))
    assert {len(batch.rows) for batch in batches} == {8}
    assert {len(batch.unlabelled) for batch in batches} == {16}
    seen = torch.cat([batch.unlabelled[:, 0] for batch in batches])[:30]
    assert sorted(seen.tolist()) == sorted(given.unlabelled[:, 0].tolist())
    for batch in batches:
        for row, code in zip(batch.rows, batch.codes, strict=True):
            assert int(code) == given.codes[int(np.flatnonzero((given.rows == row.numpy()).all(axis=1))[0])]


def test_few_rows_make_small_batches_and_supervised_ones_take_no_unlabelled_rows() -> None:
    batch = next(training._batches(data(n_labelled=3, n_unlabelled=5), recipe()))
    assert (len(batch.rows), len(batch.unlabelled)) == (3, 5)
    alone = next(training._batches(data(), recipe(algorithm="supervised")))
    assert len(alone.unlabelled) == 0
    none = next(training._batches(data(n_unlabelled=0), recipe()))
    assert len(none.unlabelled) == 0


def test_the_ramp_rises_from_near_0_to_1_and_no_further() -> None:
    values = [ramp(moment, 0.4) for moment in (0.0, 0.1, 0.2, 0.4, 0.9)]
    assert values == sorted(values)
    assert values[0] == pytest.approx(np.exp(-5))
    assert values[-2:] == [1.0, 1.0]
    assert ramp(0.0, 0.0) == 1.0


def test_the_average_follows_parameters_and_statistics() -> None:
    average, network = (nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)) for _ in range(2))
    network(torch.rand(5, 2))
    before, goal = average[0].weight.detach().clone(), network[0].weight.detach()  # type: ignore[operator]
    follow(average, network, share=0.25)
    assert torch.allclose(average[0].weight, 0.75 * before + 0.25 * goal)  # type: ignore[arg-type]
    assert torch.allclose(average[1].running_mean, 0.25 * network[1].running_mean)  # type: ignore[arg-type,operator]
    assert int(average[1].num_batches_tracked) == 1  # type: ignore[arg-type]


def test_the_certainty_of_a_soft_label_is_0_if_uniform_and_1_if_certain() -> None:
    guide = torch.tensor([[0.25] * 4, [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    assert torch.allclose(guide_certainty(guide), torch.tensor([0.0, 1.0, 0.5]), atol=1e-6)


def test_the_guide_fades_out_by_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    weighted: list[float] = []
    real = torch.stack

    def stack(parts: list[Tensor]) -> Tensor:
        if len(parts) == 3:
            weighted.append(float(parts[2].detach()))
        return real(parts)

    monkeypatch.setattr(torch, "stack", stack)
    guide = np.tile([0.9, 0.1], (30, 1))
    trained(data(guide=guide), recipe(distillation="sh", early_stopping=False))
    assert len(weighted) == 50
    assert weighted[0] > weighted[15] > 0
    assert weighted[25:] == [0.0] * 25


def test_training_stops_once_predictions_have_settled() -> None:
    settings = recipe(500, learning_rate=0.01)
    stopped = trained(data(), settings)
    assert stopped.stopped == "predictions have settled"
    assert 250 <= stopped.n_steps < 500
    assert all(check["changed"] <= training.SETTLED for check in stopped.history[-training.PATIENCE :])
    assert trained(data(), recipe(60, learning_rate=0.01, early_stopping=False)).n_steps == 60


def test_the_weights_that_were_best_on_held_out_rows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[dict[str, Tensor]] = []
    measured = training.StoppingRule.measured

    def watch(rule: training.StoppingRule, network: nn.Module) -> dict[str, float]:
        measures = measured(rule, network)
        if rule.waited == 0:
            kept.append({name: value.clone() for name, value in network.state_dict().items()})
        return measures

    monkeypatch.setattr(training.StoppingRule, "measured", watch)
    given = data(n_held=10)
    wrong = replace(given, held_codes=1 - given.held_codes)  # learning makes held-out rows worse and worse
    result = trained(wrong, recipe(n_steps=300, learning_rate=0.01))
    assert result.stopped == "held-out rows no longer improve"
    assert result.n_steps < 300
    for name, value in result.network.state_dict().items():
        assert torch.equal(value, kept[-1][name])


def test_without_unlabelled_rows_training_goes_on_with_labels() -> None:
    for algorithm in ("supervised", "vat", "mixmatch", "fixmatch"):
        result = trained(data(n_unlabelled=0), recipe(algorithm=algorithm, learning_rate=0.02))
        assert result.history[-1]["labelled"] < result.history[0]["labelled"]


def test_logits_do_not_depend_on_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    network, rows = default_network((2,), 3), data().rows
    whole = training.logits_of(network, rows)
    monkeypatch.setattr(training, "BLOCK", 7)
    np.testing.assert_allclose(training.logits_of(network, rows), whole, atol=1e-6)
