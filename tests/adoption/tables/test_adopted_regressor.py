"""The engine for a numeric target."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit.adoption.sources.source import Reliability, Source
from tacit.adoption.tables.adopted_regressor import WEIGHT_SD, AdoptedRegressor, clean_targets, weight_sd
from tacit.errors import InputError

GOOD = Reliability(separation=1.5, separation_z=40.0, rows_times_mu=3000.0)


@parametrize_with_checks([AdoptedRegressor(evidence=False, random_state=0)])
def test_the_regressor_follows_scikit_learn(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


class Table:
    """Rows in [0, 1] in random order; a source that learned from 200 other rows."""

    def __init__(self) -> None:
        X, y = load_diabetes(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(y))
        X = ((X - X.min(axis=0)) / np.ptp(X, axis=0))[order]
        self.X, self.y = X[200:], y[order][200:]
        self.owner = LinearRegression().fit(X[:200], y[order][:200])

    def source(self, sign: float = 1.0) -> Source:
        return Source("clinic", lambda rows: sign * self.owner.predict(rows)[:, None], GOOD, residual=55.0)

    def fit(self, n_known: int, *sources: Source, evidence: bool = False) -> AdoptedRegressor:
        y = np.where(np.arange(len(self.y)) < n_known, self.y, np.nan)
        return AdoptedRegressor(sources, bounds=(0, 400), evidence=evidence, random_state=0).fit(self.X, y)

    def score(self, model: AdoptedRegressor, n_known: int) -> float:
        return float(r2_score(self.y[n_known:], model.predict(self.X[n_known:])))


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


def test_without_any_value_a_release_predicts_with_the_interval_that_it_states(table: Table) -> None:
    model = table.fit(0, table.source())
    assert table.score(model, 0) > 0.4
    ends = model.predict_interval(table.X)
    assert ((ends[:, 0] <= table.y) & (table.y <= ends[:, 1])).mean() > 0.85


def test_without_values_and_releases_learning_is_refused(table: Table) -> None:
    with pytest.raises(InputError, match="there is no release"):
        table.fit(0)


def test_a_few_values_and_a_release_beat_the_values_alone(table: Table) -> None:
    adopted, alone = table.fit(20, table.source()), table.fit(20)
    assert table.score(adopted, 20) > table.score(alone, 20) + 0.1
    assert adopted.alone_predict(table.X).tobytes() == alone.predict(table.X).tobytes()


def test_a_release_of_another_target_is_ignored(table: Table) -> None:
    wrong = Source("wrong", lambda rows: 400 * np.abs(np.sin(1e4 * rows[:, :1])), GOOD)
    adopted, alone = table.fit(80, wrong), table.fit(80)
    assert adopted.evidence_.releases[0].used == 0
    assert adopted.predict(table.X).tobytes() == alone.predict(table.X).tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, 7.0])
def test_hostile_scores_do_no_harm(table: Table, value: float) -> None:
    hostile = Source("hostile", lambda rows: np.full((len(rows), 1), value), GOOD)
    assert table.score(table.fit(60, hostile), 60) > table.score(table.fit(60), 60) - 0.03


def test_the_evidence_shows_every_method(table: Table) -> None:
    model = table.fit(60, table.source(), evidence=True)
    evidence = model.evidence_
    assert [each.name for each in evidence.methods] == ["constant", "alone", "releases", "adopted"]
    assert evidence.methods[0].r_squared.value == pytest.approx(0)
    assert evidence.methods[3].r_squared.value > 0.3
    assert json.loads(json.dumps(evidence.to_dict()))["known"] == 60
    ends = model.predict_interval(table.X[60:])
    assert ((ends[:, 0] <= table.y[60:]) & (table.y[60:] <= ends[:, 1])).mean() == pytest.approx(0.9, abs=0.06)


def test_random_targets_show_no_gain(table: Table) -> None:
    y = np.where(np.arange(len(table.y)) < 60, np.random.default_rng(0).permutation(table.y), np.nan)
    evidence = AdoptedRegressor([table.source()], random_state=0).fit(table.X, y).evidence_
    assert evidence.methods[3].r_squared.low < 0
    assert evidence.methods[3].r_squared.value < 0.1


def test_scores_of_another_shape_are_refused() -> None:
    with pytest.raises(InputError, match=r"must have shape \(3, 1\); got \(3,\)"):
        clean_targets(np.zeros(3), 3, None)


def test_targets_that_are_no_numbers_are_refused(table: Table) -> None:
    with pytest.raises(InputError, match="infinity"):
        AdoptedRegressor().fit(table.X, np.full(len(table.X), np.inf))


def test_the_weight_of_a_release_of_many_rows_is_known_better() -> None:
    assert 0.04 < weight_sd(10_000.0) < 0.05 < weight_sd(1000.0) < weight_sd(100.0) < weight_sd(1.0) == 0.3
    assert weight_sd(None) == WEIGHT_SD


def test_values_far_off_that_a_good_release_foretold_do_not_cost_what_it_knows() -> None:
    changes = []
    for seed in range(5):
        draw = np.random.default_rng(seed)
        X = draw.standard_t(2, size=(2200, 2)).clip(-30, 30)
        y = X.sum(axis=1) + draw.normal(size=2200)
        source = Source("airport", lambda rows: 0.98 * rows.sum(axis=1, keepdims=True), GOOD, residual=1.0)
        known = np.where(np.arange(2200) < 200, y, np.nan)
        model = AdoptedRegressor([source], evidence=False, random_state=0).fit(X, known)
        predictions = model.predict(X[200:]), model.releases_predict(X[200:])
        changes.append(np.subtract(*(r2_score(y[200:], each) for each in predictions)))
    # With all values brought near to their mean: -.060.
    assert np.mean(changes) > -0.001
