import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression

Table = tuple[np.ndarray, np.ndarray]


def blobs(n: int, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, 20)) + 0.5 * np.where(y, 1, -1)[:, None], y


def test_the_simple_combination_starts_from_the_source() -> None:
    X, y = blobs(80, seed=3)
    handed = PrivateLogisticRegression(4.0, random_state=1).fit(*blobs(3000)).release()
    model = HypothesisTransfer(0.2, source=handed, prior_weight=1.0, regularization=1e6, random_state=0).fit(X, y)
    assert model.coef_ == pytest.approx(handed.arrays["weights"], abs=1e-3)
    none = HypothesisTransfer(0.2, source=handed, prior_weight=0.0, regularization=1e6, random_state=0).fit(X, y)
    assert none.coef_ == pytest.approx(0.0, abs=1e-3)
    assert model.release().settings["adopted"] == ["weights of a logistic regression, epsilon 4"]


def test_labels_of_the_source_may_come_in_another_order() -> None:
    X, y = blobs(3000)
    handed = PrivateLogisticRegression(4.0, random_state=1).fit(X, np.where(y, "a", "b")).release()
    model = HypothesisTransfer(1.0, source=handed, classes=["a", "b"], random_state=0)
    model.fit(X[:50], np.where(y[:50], "a", "b"))
    assert model.score(X, np.where(y, "a", "b")) > 0.9
    with pytest.raises(InputError, match="classes"):
        HypothesisTransfer(1.0, source=handed).fit(X, y)


def test_it_predicts_as_its_release_does() -> None:
    X, y = blobs(300)
    model = HypothesisTransfer(4.0, random_state=0).fit(X, y)
    margins = model.decision_function(X)
    assert model.predict(X).tolist() == (margins > 0).astype(int).tolist()
    assert model.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(-margins)))
    assert np.array_equal(model.release().arrays["weights"], model.coef_)


def test_wrong_settings_are_refused_when_it_is_fitted() -> None:
    for name, model in {
        "prior_weight": HypothesisTransfer(1.0, prior_weight=2.0),
        "regularization": HypothesisTransfer(1.0, regularization=-1.0),
    }.items():
        with pytest.raises(InputError, match=name):
            model.fit(*blobs(40))
