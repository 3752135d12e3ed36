from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit import Budget
from tacit.arrays import FloatArray
from tacit.audit.replay import replay
from tacit.data.rows.pairs import chain, pair_signs, random_pairs
from tacit.errors import BudgetExceededError, InputError
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.solvers import DescentSettings, DiagonalSettings, PrintedSettings, SolverSettings
from tacit.privacy import accounting
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release, write_release

SOLVERS: dict[str, dict[str, Any]] = {
    "gaussian": {},
    "laplace": {"mechanism": "laplace"},
    "staircase": {"mechanism": "staircase"},
    "duchi": {"mechanism": "duchi"},
    "input": {"mechanism": "input"},
    "sgd": {"solver": DescentSettings(passes=2)},
    "sgd-laplace": {"solver": DescentSettings(passes=2, batch_size=40), "mechanism": "laplace"},
    "sgd-staircase": {"solver": DescentSettings(passes=2, n_components=2), "mechanism": "staircase"},
}
every_solver = pytest.mark.parametrize("settings", SOLVERS.values(), ids=SOLVERS.keys())


def one_telling_feature(n_rows: int, seed: int) -> tuple[FloatArray, np.ndarray]:
    """Return rows in [0, 1]⁶ of which the first column tells the classes apart and the others do not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = rng.random((n_rows, 6))
    X[:, 0] = 0.12 * y + 0.2 + 0.12 * rng.random(n_rows)
    return X, y


@parametrize_with_checks(
    [
        PairMetric(epsilon=99.0, bounds=(-5.0, 5.0), random_state=0),
        PairMetric(epsilon=99.0, bounds=(-5.0, 5.0), solver=DescentSettings(passes=2), random_state=0),
    ]
)
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def test_three_shapes_of_input_give_one_metric() -> None:
    X, y = one_telling_feature(300, 0)
    pairs = chain(300, random_state=5).indices
    signs = pair_signs(y, pairs)
    settings: dict[str, Any] = {"bounds": (0, 1), "random_state": 5}
    rows = PairMetric(4.0, **settings).fit(X, y)
    indices = PairMetric(4.0, preprocessor=X, **settings).fit(pairs, signs)
    features = PairMetric(4.0, kappa=1, **settings).fit(X[pairs], signs)
    for other in (indices, features):
        assert np.array_equal(rows.components_, other.components_)
        assert other.kappa_ == rows.kappa_ == 1


def test_the_telling_feature_gets_the_largest_weight_and_neighbours_improve() -> None:
    X, y = one_telling_feature(1500, 1)
    new, truth = one_telling_feature(500, 2)
    metric = PairMetric(2.0, bounds=(0, 1), random_state=0).fit(X, y)
    assert metric.components_.diagonal().argmax() == 0
    assert not metric.fell_back_
    plain = KNeighborsClassifier(5).fit(X, y).score(new, truth)
    learned = KNeighborsClassifier(5).fit(metric.transform(X), y).score(metric.transform(new), truth)
    assert learned > plain + 0.05


def test_it_stands_before_neighbours_in_a_pipeline() -> None:
    X, y = load_iris(return_X_y=True)
    learner = make_pipeline(PairMetric(20.0, bounds=(0, 8), random_state=0), KNeighborsClassifier())
    assert cross_val_score(learner, X, y, cv=3).mean() > 0.85


def test_descent_learns_where_there_is_much_to_learn() -> None:
    X, y = one_telling_feature(3000, 3)
    X[:, 0] = 0.5 + 0.8 * (y - 0.5)
    solver = DescentSettings(rate=20.0, margin=0.5)
    model = PairMetric(20.0, bounds=(0, 1), solver=solver, random_state=0).fit(X, y)
    assert not model.fell_back_
    squares = np.diag(model.get_mahalanobis_matrix())
    assert squares.argmax() == 0


@every_solver
def test_noise_that_drowns_everything_leaves_the_plain_metric(settings: dict[str, Any]) -> None:
    X, y = one_telling_feature(60, 4)
    if settings.get("mechanism") == "input":
        pytest.skip("the published baseline takes noisy pairs for true ones and never falls back on purpose")
    fallen = [PairMetric(0.01, bounds=(0, 1), random_state=seed, **settings).fit(X, y) for seed in range(6)]
    plain = [np.allclose(each.components_ @ each.components_.T, np.eye(len(each.components_))) for each in fallen]
    assert [each.fell_back_ for each in fallen] == plain
    assert sum(plain) >= 3


@every_solver
def test_a_replay_on_a_neighbour_finds_nothing(settings: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    pairs, signs = rng.random((50, 2, 4)), rng.choice([-1, 1], 50)

    def run(data: tuple[FloatArray, FloatArray]) -> dict[str, Any]:
        model = PairMetric(1.0, bounds=(0, 1), kappa=3, random_state=1, **settings)
        return dict(model.fit(*data).release().arrays)

    for extreme in (1e9, -1e9):
        other, turned = pairs.copy(), signs.copy()
        other[[4, 17, 30], 0], turned[[4, 17]] = extreme, -signs[[4, 17]]
        replay(run, (pairs, signs), (other, turned)).require()


@every_solver
def test_the_ledger_is_charged_what_the_card_says(settings: dict[str, Any], tmp_path: Path) -> None:
    X, y = one_telling_feature(80, 5)
    ledger = Ledger.create(tmp_path / "pairs.ledger", Budget(1.2, 1e-6, unit="pair"))
    model = PairMetric(1.0, bounds=(0, 1), ledger=ledger, **settings)
    card = clone(model).fit(X, y).card_
    (line,) = ledger.lines()
    assert (card.unit, line.unit) == ("pair", "pair")
    assert accounting.epsilon(line.event, delta=card.delta) <= card.epsilon * (1 + 1e-9)
    assert card.delta == (1e-6 if settings.get("mechanism", "gaussian") == "gaussian" else 0.0)
    assert card.holds
    with pytest.raises(BudgetExceededError):
        model.fit(X, y)
    assert not hasattr(model, "card_")


def test_kappa_comes_from_the_graph_of_pairs_and_scales_the_noise() -> None:
    X, y = one_telling_feature(100, 6)
    pairs = random_pairs(100, 2.0, random_state=0)
    signs = pair_signs(y, pairs.indices)
    made = {
        kappa: PairMetric(1.0, bounds=(0, 1), preprocessor=X, kappa=kappa, random_state=0).fit(pairs.indices, signs)
        for kappa in ("second", "prime", "degree", 1)
    }
    bounds = pairs.bounds
    assert [made[k].kappa_ for k in ("second", "prime", "degree", 1)] == [
        bounds.second,
        bounds.prime,
        bounds.max_degree,
        1,
    ]
    sigmas = [made[k].card_.parts[0].mechanism["sigma"] for k in ("degree", 1)]
    assert sigmas[0] == pytest.approx(sigmas[1] * bounds.max_degree, rel=1e-4)
    lone = PairMetric(1.0, bounds=(0, 1), preprocessor=X, transitive=False).fit(pairs.indices, signs)
    assert lone.kappa_ == bounds.intransitive


def test_correlated_pairs_in_several_batches_cost_a_staircase_each_and_laplace_noise_once() -> None:
    for mechanism, draws in (("laplace", 2), ("staircase", 6)):
        solver = DescentSettings(passes=2, batch_size=10)
        model = PairMetric(1.0, bounds=(0, 1), solver=solver, mechanism=mechanism)
        gradients = model.plan(4, 100, kappa=3)[0]
        assert accounting.epsilon(gradients.event, delta=0.0) == pytest.approx(0.9)
        assert accounting.epsilon(gradients.mechanism.event, delta=0.0) == pytest.approx(0.9 / draws)


def test_the_metric_measures_what_its_matrix_says() -> None:
    X, y = load_iris(return_X_y=True)
    model = PairMetric(8.0, bounds=([4, 1, 0, 0], [8, 5, 8, 3]), random_state=0).fit(X, y)
    M, apart = model.get_mahalanobis_matrix(), X[3] - X[90]
    assert model.pair_distance([[X[3], X[90]]])[0] == pytest.approx(np.sqrt(apart @ M @ apart))
    moved = model.transform(X[[3, 90]])
    assert np.linalg.norm(moved[0] - moved[1]) == pytest.approx(np.sqrt(apart @ M @ apart))


def test_a_threshold_of_ones_own_pairs_tells_similar_from_dissimilar() -> None:
    X, y = one_telling_feature(400, 7)
    model = PairMetric(8.0, bounds=(0, 1), preprocessor=X, random_state=0)
    pairs = chain(400, random_state=1).indices
    signs = pair_signs(y, pairs)
    model.fit(pairs, signs).calibrate_threshold(pairs, signs)
    assert (model.predict_pairs(pairs) == signs).mean() > 0.8


def test_a_release_travels_and_transforms(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    model = PairMetric(3.0, bounds=(0, 8)).fit(X, y)
    write_release(model.release(), tmp_path / "metric.tacit")
    release = read_release(tmp_path / "metric.tacit")
    assert (release.kind, release.card.unit) == ("pair_metric", "pair")
    assert (release.settings["kappa"], release.settings["transitive"]) == (1, True)
    received = PairMetric.from_release(release)
    assert np.array_equal(received.transform(X), model.transform(X))
    assert received.release().arrays.keys() == {"components"}
    make_pipeline(received, KNeighborsClassifier())[:-1].transform(X)


def test_the_card_says_what_is_public_and_what_a_person_costs() -> None:
    X, y = load_iris(return_X_y=True)
    card = PairMetric(1.0, bounds=(0, 8)).fit(X, y).card_
    text = card.to_text()
    assert "κ = 1" in text
    assert "drawn at random" in text
    (person,) = card.coarser
    assert person.unit == "person in up to 2 pairs"
    # With a delta a group of two costs more than twice epsilon.
    group = accounting.at_group(card.event, 2)
    assert person.epsilon == accounting.epsilon(group, delta=card.delta)
    alone = PairMetric(1.0, bounds=(0, 8), topology="matching").fit(X, y).card_
    assert str(alone.coarser[0]).startswith("epsilon 1, ")
    assert alone.coarser[0].unit == "person in up to 1 pair"


@pytest.mark.parametrize("reduced", [False, True])
def test_the_printed_algorithms_run_and_their_cards_say_that_they_do_not_hold(reduced: bool, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    solver = PrintedSettings(reduced=reduced, passes=2)
    settings: dict[str, Any] = {"bounds": (0, 8), "solver": solver, "accounting": "paper"}
    model = PairMetric(2.0, random_state=0, **settings).fit(X, y)
    assert model.components_.shape == (4, 4)
    assert not model.card_.holds
    assert ("no epsilon holds" if reduced else "epsilon 8") in model.card_.warning
    assert model.release().settings["solver"] == ("dpp-s" if reduced else "dpp")
    with pytest.raises(InputError, match="ledger must be None"):
        PairMetric(2.0, ledger=tmp_path / "never.ledger", **settings).fit(X, y)
    with pytest.raises(InputError, match="solver must be one of 'diagonal', 'sgd'"):
        PairMetric(2.0, bounds=(0, 8), solver=solver).fit(X, y)


def test_wrong_input_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    X, y = load_digits(n_class=2, return_X_y=True)
    path = tmp_path / "pairs.ledger"
    ledger = Ledger.create(path, Budget(5.0, 1e-5, unit="pair"))

    def fit(X: Any, y: Any, **more: Any) -> None:
        PairMetric(**{"epsilon": 1.0, "bounds": (0, 16), "ledger": ledger, **more}).fit(X, y)

    pairs, signs = X[:20].reshape(10, 2, -1), np.tile([1, -1], 5)
    wrong: list[tuple[str, tuple[Any, Any], dict[str, Any]]] = [
        ("kappa must be a whole number", (pairs, signs), {}),
        ("signs_from_paper", (pairs, np.tile([0, 1], 5)), {"kappa": 1}),
        ("one label for each of 10 pairs", (pairs, signs[:4]), {"kappa": 1}),
        ("NaN", (np.full_like(pairs, np.nan), signs), {"kappa": 1}),
        ("two classes", (X, np.zeros(len(X))), {}),
        ("indices from 0 to", (np.array([[0, 10_000]]), [1]), {"preprocessor": X}),
        ("paired with themselves", (np.array([[3, 3]]), [1]), {"preprocessor": X}),
        ("solver='sgd'", (X, y), {"solver": "sgd", "mechanism": "duchi"}),
        ("mechanism must be one of", (X, y), {"mechanism": "cauchy"}),
        ("kappa must be one of", (X, y), {"kappa": "least"}),
        ("topology must be one of", (X, y), {"topology": "ring"}),
        ("solver must be one of", (X, y), {"solver": "newton"}),
        ("feature_scale must hold 64", (X, y), {"solver": DiagonalSettings(feature_scale=[1.0])}),
        ("indicators must hold 64", (X, y), {"solver": DiagonalSettings(indicators=[1.0])}),
        ("n_components must be at most", (X, y), {"solver": DescentSettings(n_components=65)}),
        ("epsilon must be", (X, y), {"epsilon": -1.0}),
        ("epsilon must be at most 12", (X, y), {"epsilon": 30.0, "mechanism": "staircase"}),
        ("bounds must", (X, y), {"bounds": (1, 0)}),
    ]
    for words, data, more in wrong:
        with pytest.raises(ValueError, match=words):
            fit(*data, **more)
    assert not ledger.lines()
    means = PrivateNearestMean(1.0, bounds=(0, 16)).fit(X, y).release()
    with pytest.raises(InputError, match="kind 'pair_metric'"):
        PairMetric.from_release(means)


def test_a_name_stands_for_the_default_settings() -> None:
    X, y = one_telling_feature(100, 9)
    objects: dict[str, SolverSettings] = {"diagonal": DiagonalSettings(), "sgd": DescentSettings()}
    for name, settings in objects.items():
        first, second = (
            PairMetric(3.0, bounds=(0, 1), solver=solver, random_state=0).fit(X, y) for solver in (name, settings)
        )
        assert np.array_equal(first.components_, second.components_)
        assert first.release().settings == second.release().settings


def test_float32_rows_and_constant_features_are_fine() -> None:
    X, y = one_telling_feature(200, 8)
    X[:, 3] = 0.5
    model = PairMetric(5.0, bounds=(0, 1), random_state=0).fit(X.astype(np.float32), y)
    assert np.isfinite(model.components_).all()
