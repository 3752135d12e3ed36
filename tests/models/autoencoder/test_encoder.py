import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tacit import Budget, read_release, write_release
from tacit.errors import BudgetError, BudgetExceededError, InputError, ReleaseError
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.bounded_rows import public_row_norm, scaled_rows
from tacit.privacy import accounting
from tacit.privacy.account import plan_event
from tacit.privacy.ledger import Ledger


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X, y


def test_with_little_noise_it_keeps_nearly_as_much_as_principal_components_do(
    digits: tuple[np.ndarray, np.ndarray],
) -> None:
    X, _ = digits
    model = PrivateAutoencoder(90.0, bounds=(0, 16), hidden=(12,), random_state=0).fit(X)
    rows = scaled_rows(X.astype(float), (0, 16), 8.0)
    best = PCA(12).fit(rows)
    lost = ((rows - best.inverse_transform(best.transform(rows))) ** 2).sum(axis=1).mean()
    everything = ((rows - rows.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert lost <= -model.score(X) < 2 * lost < 0.6 * everything
    noisy = PrivateAutoencoder(0.05, bounds=(0, 16), hidden=(12,), random_state=0).fit(X)
    assert noisy.score(X) < 1.3 * model.score(X)  # scores are negative: much worse


def test_its_code_serves_a_pipeline(digits: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = digits
    encoder = PrivateAutoencoder(4.0, bounds=(0, 16), hidden=(20,), random_state=0)
    model = make_pipeline(encoder, LogisticRegression(max_iter=300)).fit(X[:1200], y[:1200])
    assert model.score(X[1200:], y[1200:]) > 0.75
    assert list(encoder.get_feature_names_out()) == [f"privateautoencoder{k}" for k in range(20)]


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_plan_costs_what_was_promised_however_many_layers(delta: float) -> None:
    model = PrivateAutoencoder(1.5, bounds=(0, 1), delta=delta, hidden=(8, 4, 2))
    steps = model.plan(10)
    assert len(steps) == (3 if delta else 6)  # under pure epsilon the centre is asked for on its own
    assert math.isclose(accounting.epsilon(plan_event(steps), delta=delta), 1.5, rel_tol=1e-3)


def test_the_release_survives_its_file(digits: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    model = PrivateAutoencoder(1.0, bounds=(0, 16), hidden=(5, 3)).fit(digits[0])
    write_release(model.release(), tmp_path / "code.tacit")
    release = read_release(tmp_path / "code.tacit")
    assert release.arrays["weights_2"].shape == (5, 3)
    assert release.card.holds
    assert len(release.card.parts) == 2


def test_rows_are_scaled_into_the_unit_ball() -> None:
    X = np.array([[0.0, 10.0, 99.0], [0.0, 0.0, 0.0]])
    rows = scaled_rows(X, (0, 10), 1.0)
    assert np.allclose(rows, [[0.0, math.sqrt(0.5), math.sqrt(0.5)], [0.0, 0.0, 0.0]], atol=1e-6)
    assert public_row_norm(None, 9) == 3.0


def test_one_row_and_constant_features_are_learned_from() -> None:
    for X in (np.full((1, 3), 0.5), np.full((20, 3), 0.5), np.zeros((5, 3), dtype=np.float32)):
        code = PrivateAutoencoder(1.0, bounds=(0, 1), hidden=(2,)).fit(X).transform(X)
        assert np.isfinite(code).all()


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"hidden": ()}, "hidden"),
        ({"hidden": (0,)}, "hidden"),
        ({"hidden": 5}, "hidden"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": 1e9}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"row_norm": 0.0}, "row_norm"),
        ({"bounds": (1, 0)}, "bounds"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_charged(
    settings: dict[str, object], problem: str, tmp_path: Path
) -> None:
    ledger = Ledger.create(tmp_path / "t.ledger", Budget(5.0, 1e-4, unit="record"))
    given: dict[str, object] = {"epsilon": 1.0, "bounds": (0, 1), "hidden": (2,), "ledger": ledger, **settings}
    with pytest.raises(InputError, match=problem):
        PrivateAutoencoder(**given).fit(np.ones((4, 3)) / 2)  # type: ignore[arg-type]
    assert not ledger.lines()


def test_a_refused_charge_leaves_no_layers(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "t.ledger", Budget(0.5, 1e-4, unit="record"))
    model = PrivateAutoencoder(1.0, bounds=(0, 1), hidden=(2,), ledger=ledger)
    with pytest.raises(BudgetExceededError):
        model.fit(np.ones((4, 3)) / 2)
    assert not hasattr(model, "layers_")


def test_an_epsilon_that_is_no_number_is_refused() -> None:
    with pytest.raises(BudgetError):
        PrivateAutoencoder(float("nan"), bounds=(0, 1)).plan(3)


def test_a_receiver_codes_its_rows_as_the_owner_would(digits: tuple[np.ndarray, np.ndarray]) -> None:
    owner = PrivateAutoencoder(1.0, bounds=(0, 16), hidden=(9, 5), delta=0.0, row_norm=3.0).fit(digits[0][:900])
    adopted = PrivateAutoencoder.from_release(owner.release())
    assert np.array_equal(adopted.transform(digits[0][900:]), owner.transform(digits[0][900:]))
    assert (adopted.hidden, adopted.epsilon, adopted.delta) == ((9, 5), 1.0, 0.0)
    assert len(adopted.get_feature_names_out()) == 5
    with pytest.raises(ValueError, match="features"):
        adopted.transform(np.ones((2, 3)))


@pytest.mark.parametrize(
    "broken",
    [
        {"weights_1": np.ones((3, 2))},
        {"weights_2": np.ones((7, 2))},
        {"centre_2": np.ones((5, 1))},
        {"other": np.ones(2)},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_malformed_encoder_is_refused(broken: dict[str, np.ndarray], digits: tuple[np.ndarray, np.ndarray]) -> None:
    release = PrivateAutoencoder(1.0, bounds=(0, 16), hidden=(5, 3)).fit(digits[0][:50]).release()
    with pytest.raises(ReleaseError, match="malformed"):
        PrivateAutoencoder.from_release(replace(release, arrays={**release.arrays, **broken}))


def test_another_kind_of_release_is_no_encoder(digits: tuple[np.ndarray, np.ndarray]) -> None:
    release = PrivateAutoencoder(1.0, bounds=(0, 16), hidden=(5,)).fit(digits[0][:50]).release()
    with pytest.raises(ReleaseError, match="kind 'linear'"):
        PrivateAutoencoder.from_release(replace(release, kind="linear"))
    with pytest.raises(ReleaseError, match="row_norm"):
        PrivateAutoencoder.from_release(replace(release, settings={"low": 0.0, "high": 16.0}))


def test_a_plan_made_before_is_the_one_that_is_drawn(digits: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X = digits[0][:200]
    model = PrivateAutoencoder(1.0, bounds=(0, 16), hidden=(5,))
    planned = model.plan_layers(64)
    assert list(planned.steps) == model.plan(64)
    ledger = Ledger.create(tmp_path / "t.ledger", Budget(1.0, 1e-6, unit="record"), allow=["no-guarantee"])
    copy = planned.estimator(ledger=ledger, random_state=3)
    copy.fit(X, plan=planned, purpose="an encoder")
    assert [line.purpose for line in ledger.lines()] == ["an encoder"]
    again = clone(model).set_params(random_state=3).fit(X)
    assert np.array_equal(copy.transform(X), again.transform(X))
