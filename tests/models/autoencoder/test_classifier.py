import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from tacit import Budget
from tacit.arrays import FloatArray
from tacit.audit.replay import replay
from tacit.errors import InputError, ReleaseError
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.privacy import accounting
from tacit.privacy.account import observed_by, plan_event
from tacit.privacy.mechanisms import Mechanism
from tacit.releases.file import Release


@pytest.fixture(scope="module")
def cancer() -> tuple[FloatArray, FloatArray]:
    X, y = load_breast_cancer(return_X_y=True)
    return np.asarray(X / X.max(axis=0)), y


@pytest.mark.parametrize("hidden", [(), (10,), (12, 8)])
def test_with_hardly_any_noise_it_learns(hidden: tuple[int, ...], cancer: tuple[FloatArray, FloatArray]) -> None:
    model = PrivateAutoencoderClassifier(90.0, bounds=(0, 1), hidden=hidden, random_state=0).fit(*cancer)
    assert model.score(*cancer) > 0.9
    assert np.allclose(model.predict_proba(cancer[0]).sum(axis=1), 1.0)


def test_ten_classes_are_told_apart() -> None:
    X, y = load_digits(return_X_y=True)
    model = PrivateAutoencoderClassifier(8.0, bounds=(0, 16), row_norm=3.0, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.output_.shape == (10, 31)


def test_pure_epsilon_is_kept_with_delta_zero(cancer: tuple[FloatArray, FloatArray]) -> None:
    model = PrivateAutoencoderClassifier(5.0, bounds=(0, 1), delta=0.0, hidden=(4,)).fit(*cancer)
    assert model.card_.delta == 0.0
    assert [part.mechanism["mechanism"] for part in model.card_.parts] == ["laplace"] * 2 + ["objective perturbation"]
    assert accounting.epsilon(model.card_.event, delta=0.0) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("settings", "n_classes", "last"),
    [
        ({"delta": 0.0}, 2, "objective perturbation"),
        ({"delta": 0.0}, 3, "laplace"),
        ({"delta": 0.0, "output": "functional"}, 2, "laplace"),
        ({"delta": 0.0, "output": "objective"}, 3, "objective perturbation, each class against the rest"),
        ({}, 2, "gaussian"),
    ],
)
def test_the_output_layer_follows_the_promise_and_the_classes(
    settings: dict[str, Any], n_classes: int, last: str
) -> None:
    steps = PrivateAutoencoderClassifier(1.0, bounds=(0, 1), hidden=(4,), **settings).plan(6, n_classes)
    assert steps[-1].mechanism.name == last
    budget = Budget(1.0, settings.get("delta", 1e-6), unit="record")
    assert accounting.fits(plan_event(steps), budget)


def test_under_pure_epsilon_layers_get_a_tenth() -> None:
    *layers, output = PrivateAutoencoderClassifier(2.0, bounds=(0, 1), delta=0.0, hidden=(4, 3)).plan(6, 2)
    assert [accounting.epsilon(step.event, delta=0.0) for step in layers] == pytest.approx([0.05] * 4)
    assert accounting.epsilon(output.event, delta=0.0) == pytest.approx(1.8)


def test_ten_classes_may_share_a_perturbed_objective() -> None:
    X, y = load_digits(return_X_y=True)
    model = PrivateAutoencoderClassifier(
        80.0, bounds=(0, 16), delta=0.0, output="objective", row_norm=3.0, random_state=0
    ).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.output_.shape == (10, 31)


def test_layers_learn_from_rows_without_a_label(cancer: tuple[FloatArray, FloatArray]) -> None:
    """With 40 labels a layer of 10 units from all rows beats the same layer from the labelled rows alone."""
    X, y = cancer
    few = y.copy()
    few[40:] = -1
    scores: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(10):
        for everyone, measured in scores.items():
            rows = slice(None) if everyone else slice(40)
            model = PrivateAutoencoderClassifier(
                4.0, bounds=(0, 1), hidden=(6,), row_norm=1.0, classes=(0, 1), unlabelled=-1, random_state=seed
            )
            measured.append(model.fit(X[rows], few[rows]).score(X[40:], y[40:]))
    assert np.mean(scores[True]) > np.mean(scores[False])


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_an_unlabelled_row_moves_no_label_query(delta: float, cancer: tuple[FloatArray, FloatArray]) -> None:
    X, y = cancer[0][:50], cancer[1][:50]
    asked: list[int] = []

    def run(table: tuple[FloatArray, FloatArray]) -> dict[str, object]:
        model = PrivateAutoencoderClassifier(
            1.0, bounds=(0, 1), delta=delta, hidden=(3,), classes=(0, 1), unlabelled=-1, random_state=0
        )
        return dict(model.fit(*table).release().arrays)

    def count(mechanism: Mechanism, values: FloatArray, draw: Callable[[], FloatArray]) -> FloatArray:
        asked.append(len(values))
        return draw()

    more = np.vstack([X, X[:1]]), np.append(y, -1)
    replay(run, (X, y), more).require()
    with observed_by(count):
        run((X, y))
        run(more)
    assert asked[: len(asked) // 2] == asked[len(asked) // 2 :]


@pytest.mark.parametrize("settings", [{"hidden": (4, 3)}, {"hidden": (), "delta": 0.0}, {"classes": (0, 1, 2)}])
def test_what_is_handed_out_predicts_alike(settings: dict[str, Any], cancer: tuple[FloatArray, FloatArray]) -> None:
    given: dict[str, Any] = {"hidden": (4,), "row_norm": 2.0, **settings}
    model = PrivateAutoencoderClassifier(1.0, bounds=(0, 1), **given).fit(*cancer)
    adopted = PrivateAutoencoderClassifier.from_release(model.release())
    assert np.array_equal(adopted.predict_proba(cancer[0]), model.predict_proba(cancer[0]))
    assert adopted.predict(cancer[0]).tolist() == model.predict(cancer[0]).tolist()


def test_malformed_and_printed_networks_are_refused(cancer: tuple[FloatArray, FloatArray]) -> None:
    def released(**settings: Any) -> Release:
        return PrivateAutoencoderClassifier(1.0, bounds=(0, 1), hidden=(3,), **settings).fit(*cancer).release()

    whole = released()
    for name in ("output", "weights_1", "centre_1"):
        broken = replace(whole, arrays={**whole.arrays, name: np.ones((2, 2))})
        with pytest.raises(ReleaseError, match="malformed"):
            PrivateAutoencoderClassifier.from_release(broken)
    for other in (released(accounting="paper"), replace(whole, kind="linear")):
        with pytest.raises(ReleaseError, match="sound"):
            PrivateAutoencoderClassifier.from_release(other)


def test_as_printed_the_card_warns_and_a_replay_finds_the_leak(cancer: tuple[FloatArray, FloatArray]) -> None:
    def run(table: tuple[FloatArray, FloatArray]) -> dict[str, object]:
        model = PrivateAutoencoderClassifier(1.0, bounds=(0, 1), hidden=(4,), accounting="paper", random_state=0)
        return dict(model.fit(*table).release().arrays)

    X, y = cancer
    seen = replay(run, (X, y), (X[1:], y[1:]))
    assert not seen.passed
    model = PrivateAutoencoderClassifier(1.0, bounds=(0, 1), hidden=(4, 3), accounting="paper").fit(X, y)
    assert model.card_.to_text().startswith("THE STATED GUARANTEE DOES NOT HOLD")
    assert model.card_.epsilon == 3.0  # two layers and an output, each with the whole epsilon
    assert not model.card_.holds


@pytest.mark.parametrize(
    ("settings", "y", "problem"),
    [
        ({"classes": ["a", "b"]}, ["a", "c"], "classes"),
        ({}, ["a", "a"], "two classes"),
        ({"accounting": "paper"}, ["a", "b", "c"], "two classes"),
        ({"accounting": "hopeful"}, ["a", "b"], "accounting"),
        ({"output": "objective"}, ["a", "b"], "pure epsilon"),
        ({"output": "hopeful"}, ["a", "b"], "output"),
        ({"unlabelled": "a"}, ["a", "b"], "two classes"),
        ({"unlabelled": -1}, ["a", "a"], "two classes"),
    ],
)
def test_bad_labels_and_settings_are_refused(settings: dict[str, object], y: list[str], problem: str) -> None:
    X = np.linspace(0, 1, len(y))[:, None]
    with pytest.raises(InputError, match=problem):
        PrivateAutoencoderClassifier(1.0, bounds=(0, 1), hidden=(2,), **settings).fit(X, y)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.skipif("TACIT_DATA" not in os.environ, reason="TACIT_DATA is not set: MNIST is not at hand")
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_threes_and_fives_at_epsilon_one(delta: float) -> None:
    from tacit.experiments.tables.autoencoder_mnist import tasks

    task = tasks()[0]
    X, y = task.sample(0)
    model = PrivateAutoencoderClassifier(
        1.0, bounds=(0, 1), delta=delta, hidden=(40,), row_norm=1.0, classes=(0, 1), random_state=0
    )
    assert model.fit(X, y).score(task.X_test, task.y_test) > 0.93
