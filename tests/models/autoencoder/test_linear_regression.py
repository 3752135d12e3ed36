import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.autoencoder.linear_regression import PrivateLinearRegression
from tacit.privacy import accounting


def test_with_hardly_any_noise_it_is_least_squares() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 3))
    y = X @ [0.3, -0.2, 0.1] + 0.3 + 0.05 * rng.normal(size=len(X))
    model = PrivateLinearRegression(99.0, bounds=(0, 1), target_bounds=(-1, 1), random_state=0).fit(X, y)
    assert np.allclose(model.predict(X), LinearRegression().fit(X, y).predict(X), atol=0.01)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_more_budget_predicts_better(delta: float) -> None:
    X, y = load_diabetes(return_X_y=True)
    scores = [
        np.mean(
            [
                PrivateLinearRegression(
                    epsilon, bounds=(-0.2, 0.2), target_bounds=(0, 350), delta=delta, row_norm=2.0, random_state=seed
                )
                .fit(X, y)
                .score(X, y)
                for seed in range(5)
            ]
        )
        for epsilon in (0.05, 50.0)
    ]
    assert scores[0] + 0.1 < scores[1] < 0.52


def test_targets_beyond_their_bounds_are_cut_and_bad_bounds_refused() -> None:
    X, y = np.linspace(0, 1, 50)[:, None], np.linspace(0, 1, 50)

    def fitted(targets: FloatArray, bounds: tuple[float, float] = (0, 1)) -> PrivateLinearRegression:
        return PrivateLinearRegression(1.0, bounds=(0, 1), target_bounds=bounds, random_state=0).fit(X, targets)

    wild, cut = (fitted(np.where(y > 0.9, high, y)).weights_ for high in (1e9, 1.0))
    assert np.array_equal(wild, cut)
    with pytest.raises(InputError, match="bounds"):
        fitted(y, (1, 0))
    assert fitted(y).release().card.epsilon == 1.0


def test_weights_are_those_of_the_released_moments() -> None:
    X, y = np.random.default_rng(0).random((200, 2)), np.random.default_rng(1).random(200)
    model = PrivateLinearRegression(1.0, bounds=(0, 1), target_bounds=(0, 1), random_state=0).fit(X, y)
    release = model.release()
    assert release.settings["target_bounds"] == [0.0, 1.0]
    assert (release.settings["low"], release.settings["high"]) == (0.0, 1.0)
    assert np.array_equal(release.arrays["weights"], model.weights_)
    # A row of zeros has the constant unit alone, 1/sqrt(p + 1); targets are scaled to [-1, 1].
    assert model.predict([[0.0, 0.0]])[0] == pytest.approx((model.weights_[2] / np.sqrt(3) + 1) / 2)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_plan_costs_epsilon(delta: float) -> None:
    (step,) = PrivateLinearRegression(1.5, bounds=(0, 1), target_bounds=(0, 1), delta=delta).plan(4)
    assert accounting.epsilon(step.event, delta=delta) == pytest.approx(1.5, rel=1e-3)
