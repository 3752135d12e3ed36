import os

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from tacit.checks import FloatArray
from tacit.errors import InputError
from tacit.evaluation.replay import replay
from tacit.models.private_autoencoder_classifier import PrivateAutoencoderClassifier, class_targets, output_query


@pytest.fixture(scope="module")
def cancer() -> tuple[FloatArray, FloatArray]:
    X, y = load_breast_cancer(return_X_y=True)
    return np.asarray(X / X.max(axis=0)), y


def test_targets_are_centred_and_as_long_as_declared() -> None:
    assert class_targets(np.array([0, 1]), 2).tolist() == [[-0.5], [0.5]]
    three = class_targets(np.arange(3), 3)
    assert np.allclose(three.sum(axis=1), 0.0)
    for delta, norm in ((0.0, 1), (1e-6, 2)):
        assert np.allclose(np.linalg.norm(three, ord=norm, axis=1), output_query(3, 4, delta).target_norm)
        assert np.allclose(np.abs(class_targets(np.array([1]), 2)), output_query(2, 4, delta).target_norm)


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
    assert {part.mechanism["mechanism"] for part in model.card_.parts} == {"laplace"}


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


def test_an_unlabelled_row_moves_no_label_query(cancer: tuple[FloatArray, FloatArray]) -> None:
    X, y = cancer[0][:50], cancer[1][:50]

    def run(table: tuple[FloatArray, FloatArray]) -> dict[str, object]:
        model = PrivateAutoencoderClassifier(
            1.0, bounds=(0, 1), hidden=(3,), classes=(0, 1), unlabelled=-1, random_state=0
        )
        return dict(model.fit(*table).release().arrays)

    replay(run, (X, y), (np.vstack([X, X[:1]]), np.append(y, -1))).require()


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
        ({"layer_share": 1.0}, ["a", "b"], "layer_share"),
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
def test_threes_and_fives_at_epsilon_one() -> None:
    from tacit.evaluation.tables.autoencoder_mnist import tasks

    task = tasks()[0]
    X, y = task.sample(0)
    model = PrivateAutoencoderClassifier(
        1.0, bounds=(0, 1), delta=1e-5, hidden=(40,), row_norm=1.0, classes=(0, 1), random_state=0
    )
    assert model.fit(X, y).score(task.X_test, task.y_test) > 0.93
