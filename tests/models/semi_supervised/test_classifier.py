"""The classifier as people use it: few labels, scikit-learn's tools, guides, and input that is refused."""

import io
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from tacit import SharpenedClassifier
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.models.semi_supervised.recipe import ALGORITHMS, DISTILLATIONS, LossSettings, TrainingSettings

Table = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


@pytest.fixture(scope="module")
def moons() -> Table:
    X, truth = make_moons(300, noise=0.08, random_state=0)
    y = truth.copy()
    y[12:] = -1
    return X, y, truth


@pytest.fixture(scope="module")
def digits() -> Table:
    X, truth = load_digits(return_X_y=True)
    y = truth.copy()
    y[60:] = -1
    return X, y, truth


def quick(**settings: Any) -> SharpenedClassifier:
    usual = {"n_steps": 60, "training": TrainingSettings(batch_size=16), "unlabelled_ratio": 2, "random_state": 0}
    return SharpenedClassifier(**{**usual, **settings})


@pytest.mark.filterwarnings("ignore:y holds -1 and 1 alone")
@parametrize_with_checks(
    [quick(distillation="sh", training=TrainingSettings(batch_size=16, learning_rate=0.01))],
)
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("distillation", DISTILLATIONS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_learns_with_every_distillation(moons: Table, algorithm: str, distillation: str) -> None:
    X, y, truth = moons
    losses = LossSettings(vat_radius=0.3)
    model = quick(algorithm=algorithm, distillation=distillation, n_steps=100, losses=losses).fit(X, y)
    assert model.score(X, truth) > 0.8
    P = model.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1, atol=1e-6)
    assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("distillation", ["ads", "sh"])
def test_unlabelled_pictures_help(digits: Table, distillation: str) -> None:
    X, y, truth = digits
    training = TrainingSettings(batch_size=32)
    settings = {"image_shape": (8, 8), "distillation": distillation, "n_steps": 200, "training": training}
    alone = quick(algorithm="supervised", **settings).fit(X, y).score(X, truth)
    assert quick(**settings).fit(X, y).score(X, truth) > alone + 0.03


def test_a_seed_repeats_the_fit_and_leaves_torchs_own_generator_alone(moons: Table) -> None:
    X, y, _ = moons
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    first = quick().fit(X, y).logits(X)
    assert torch.equal(torch.rand(3), expected)
    assert_array_equal(first, quick().fit(X, y).logits(X))
    assert not np.array_equal(first, quick(random_state=1).fit(X, y).logits(X))


def test_pictures_may_be_flat_or_not_and_are_checked_later(digits: Table) -> None:
    X, y, _ = digits
    flat = quick(image_shape=(8, 8), n_steps=10).fit(X, y)
    for shape in ((-1, 8, 8), (-1, 1, 8, 8)):  # of one channel, so that flat rows are the same
        pictures = X.reshape(shape)
        shaped = quick(n_steps=10).fit(pictures, y)
        assert_array_equal(shaped.logits(pictures), flat.logits(X))
        assert_array_equal(shaped.predict(X), flat.predict(pictures))
    assert shaped.n_features_in_ == 64
    with pytest.raises(InputError, match=r"pictures of shape \(8, 8, 1\).*got \(4, 16, 1\)"):
        flat.predict(X.reshape(-1, 4, 16))
    with pytest.raises(InputError, match="image_shape must be that of X"):
        quick(image_shape=(4, 16)).fit(X.reshape(-1, 8, 8), y)


def test_it_clones_pickles_pipes_and_is_searched(moons: Table) -> None:
    X, y, truth = moons
    network = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
    model = clone(quick(network=network)).fit(X, y)
    again = pickle.load(io.BytesIO(pickle.dumps(model)))
    assert_array_equal(again.logits(X), model.logits(X))
    assert make_pipeline(StandardScaler(), quick()).fit(X, y).score(X, truth) > 0.7
    search = GridSearchCV(quick(), {"distillation": ["ads", "sh"]}, cv=2).fit(X[:60], truth[:60])
    assert search.best_score_ > 0.7


def test_a_network_of_ones_own_is_copied_and_used(moons: Table) -> None:
    X, y, _ = moons
    network = nn.Linear(2, 2).double()
    before = [each.detach().clone() for each in network.parameters()]
    model = quick(network=network).fit(X, y)
    assert isinstance(model.network_, nn.Linear)
    assert all(torch.equal(old, new) for old, new in zip(before, network.parameters(), strict=True))
    with pytest.raises(InputError, match=r"network does not fit.*logits of shape \(1, 2\), not \(1, 3\)"):
        quick(network=nn.Linear(2, 3)).fit(X, y)


def test_names_of_classes_may_be_words_and_all_rows_labelled(moons: Table) -> None:
    X, _, truth = moons
    words = np.array(["no", "yes"])[truth]
    model = quick(n_steps=150).fit(X, words)
    assert model.score(X, words) > 0.8
    assert model.classes_.tolist() == ["no", "yes"]


def test_a_schema_names_classes_that_no_label_has(moons: Table) -> None:
    X, y, _ = moons
    schema = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("c", ("x", "y", "z"))))
    model = quick(schema=schema).fit(np.clip(X, 0, 1), y)
    assert model.predict_proba(np.clip(X, 0, 1)).shape == (300, 3)
    with pytest.raises(InputError, match="class codes 0 to 2"):
        quick(schema=schema).fit(np.clip(X, 0, 1), y + 5)


def test_a_guide_teaches_what_labels_do_not(moons: Table) -> None:
    X, _, truth = moons
    y = np.full(300, -1)
    for code in (0, 1):
        y[np.flatnonzero(truth == code)[0]] = code
    guide = np.where(truth[:, None] == [0, 1], 0.9, 0.1)
    settings = {"algorithm": "supervised", "distillation": "sh", "n_steps": 150}
    alone, guided = quick(**settings).fit(X, y), quick(**settings).fit(X, y, guide=guide)
    assert guided.score(X, truth) > alone.score(X, truth) + 0.08
    assert "guide" in guided.history_[0]


def test_a_guide_that_knows_nothing_changes_nothing(moons: Table) -> None:
    X, y, _ = moons
    plain = quick(distillation="sh").fit(X, y)
    guided = quick(distillation="sh").fit(X, y, guide=np.full((300, 2), 0.5))
    assert_allclose(guided.logits(X), plain.logits(X), atol=1e-4)


@pytest.mark.parametrize(
    ("guide", "rule"),
    [
        (np.full((299, 2), 0.5), r"row for each row of X.*\(300, 2\); got \(299, 2\)"),
        (np.full((300, 3), 1 / 3), r"\(300, 2\); got \(300, 3\)"),
        (np.full((300, 2), 0.7), "guide must hold probabilities"),
        (np.full((300, 2), [1.5, -0.5]), "guide must hold probabilities"),
        (np.full((300, 2), np.nan), "guide must hold finite numbers"),
    ],
)
def test_a_guide_that_is_none_is_refused(moons: Table, guide: NDArray[Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        quick().fit(*moons[:2], guide=guide)


def test_with_many_labels_some_are_held_out_and_set_the_temperature(digits: Table) -> None:
    X, _, truth = digits
    model = quick(image_shape=(8, 8), distillation="sh", n_steps=100).fit(X[:1200], truth[:1200])
    assert "held_out_error" in model.history_[-1]
    assert model.temperature_ != 1.0
    assert_allclose(
        model.predict_proba(X), nn.Softmax(1)(torch.tensor(model.logits(X) / model.temperature_)), atol=1e-9
    )
    few = quick(image_shape=(8, 8), distillation="sh").fit(*digits[:2])
    assert "changed" in few.history_[-1]
    assert few.temperature_ == 1.0


def test_a_network_trained_on_sparsemax_is_as_sure_as_it_was_taught_to_be(moons: Table) -> None:
    X, y, truth = moons
    model = quick(n_steps=200).fit(X, y)
    raw = np.asarray(torch.tensor(model.logits(X)).softmax(dim=1))
    right = model.score(X, truth)
    assert model.temperature_ < 1
    assert abs(model.predict_proba(X).max(axis=1).mean() - right) < abs(raw.max(axis=1).mean() - right)


@pytest.mark.parametrize(
    ("settings", "change", "rule"),
    [
        ({}, lambda X, y: (X, np.full(300, -1)), "at least two classes; got 0 classes"),
        ({}, lambda X, y: (X, np.where(y == 1, -1, y)), "at least two classes; got 1 class"),
        ({}, lambda X, y: (np.where(X[3, 0] == X, np.nan, X), y), "NaN"),
        ({}, lambda X, y: (X[:200], y), "inconsistent numbers of samples"),
        ({"image_shape": (2, 2)}, lambda X, y: (X, y), "as many values as X has columns, 2"),
        ({"algorithm": "pi"}, lambda X, y: (X, y), "algorithm must be one of"),
        ({"validation_fraction": 1.0}, lambda X, y: (X, y), "validation_fraction must be in"),
        ({"losses": LossSettings(class_prior=[1.0])}, lambda X, y: (X, y), "class_prior must hold a number"),
        ({"losses": LossSettings(class_prior=[1.0, -1.0])}, lambda X, y: (X, y), "class_prior must hold a number"),
        ({"losses": {"power": 2.0}}, lambda X, y: (X, y), "losses must be a LossSettings or None; got a dict"),
        ({"training": LossSettings()}, lambda X, y: (X, y), "training must be a TrainingSettings or None"),
    ],
)
def test_what_cannot_be_learned_is_refused(moons: Table, settings: dict[str, Any], change: Any, rule: str) -> None:
    X, y, _ = moons
    with pytest.raises(ValueError, match=rule):
        quick(**settings).fit(*change(X, y))


def test_torch_is_loaded_when_fitting_and_its_absence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys, tacit; tacit.SharpenedClassifier(); print('torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "tacit.models.semi_supervised.training", raising=False)
    monkeypatch.delattr("tacit.models.semi_supervised.training", raising=False)
    with pytest.raises(TacitError, match=r"pip install \"tacit-knowledge\[deep\]\""):
        SharpenedClassifier().fit([[0.0], [1.0]], [0, 1])


def test_progress_is_shown_on_request(moons: Table, capsys: pytest.CaptureFixture[str]) -> None:
    quick(verbose=True, n_steps=5).fit(*moons[:2])
    assert "5 steps" in capsys.readouterr().err
