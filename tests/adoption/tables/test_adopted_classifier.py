"""The engine for classes: any number of labels, unlabelled classes, stated shares, evidence."""

import json
from types import ModuleType

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_info, threadpool_limits

from tacit.adoption.average.class_members import probabilities as class_probabilities
from tacit.adoption.average.representation import Representation, represent
from tacit.adoption.evidence.receiver_evidence import CANNOT_TELL
from tacit.adoption.sources.source import Reliability, Source
from tacit.adoption.tables import adopted_classifier, adopted_regressor
from tacit.adoption.tables.adopted_classifier import AdoptedClassifier
from tacit.adoption.tables.adopted_regressor import AdoptedRegressor
from tacit.errors import InputError

GOOD = Reliability(separation=1.5, separation_z=40.0, rows_times_mu=3000.0)


@pytest.mark.filterwarnings("ignore:y holds -1 and 1 alone")
@parametrize_with_checks([AdoptedClassifier(evidence=False, random_state=0)])
def test_the_classifier_follows_scikit_learn(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


class Table:
    """Rows in [0, 1] in random order; a source that learned from 300 other rows."""

    def __init__(self, load=load_breast_cancer, n_owner: int = 300) -> None:  # type: ignore[no-untyped-def]
        X, y = load(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(y))
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
        self.X, self.y = X[order][n_owner:], y[order][n_owner:]
        self.owner = LogisticRegression(C=10).fit(X[order][:n_owner], y[order][:n_owner])
        self.classes = [f"class {each}" for each in range(y.max() + 1)]

    def scores(self, rows: np.ndarray) -> np.ndarray:
        margin = self.owner.decision_function(rows)
        return np.stack([-margin / 2, margin / 2], axis=1) if margin.ndim == 1 else margin

    def source(self, *, sign: float = 1.0, reliability: Reliability = GOOD) -> Source:
        return Source("clinic", lambda rows: sign * self.scores(rows), reliability)

    def labels(self, n: int) -> np.ndarray:
        return np.where(np.arange(len(self.y)) < n, self.y, -1)

    def fit(self, n_labels: int, *sources: Source, **settings: object) -> AdoptedClassifier:
        settings = {"evidence": False, "random_state": 0, "classes": self.classes} | settings
        return AdoptedClassifier(sources, **settings).fit(self.X, self.labels(n_labels))  # type: ignore[arg-type]

    def accuracy(self, model: AdoptedClassifier, n_labels: int) -> float:
        return float(model.score(self.X[n_labels:], self.y[n_labels:]))


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


def test_without_any_label_a_good_release_predicts(table: Table) -> None:
    model = table.fit(0, table.source())
    assert table.accuracy(model, 0) > 0.93
    assert model.evidence_.methods == ()
    assert model.evidence_.verdict == CANNOT_TELL
    assert model.evidence_.classes_without_labels == ("class 0", "class 1")


def test_without_labels_releases_at_chance_are_refused(table: Table) -> None:
    weak = Reliability(separation=0.1, separation_z=0.5, rows_times_mu=20.0)
    with pytest.raises(InputError, match="no labels, and no release says more"):
        table.fit(0, table.source(reliability=weak))
    with pytest.raises(InputError, match="there is no release"):
        table.fit(0)


def test_without_labels_halves_that_agree_by_chance_are_refused(table: Table) -> None:
    draw = np.random.default_rng(0)

    def halves(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return draw.normal(size=(len(rows), 2)), draw.normal(size=(len(rows), 2))

    noise = Source("noise", lambda rows: draw.normal(size=(len(rows), 2)), GOOD, halves=halves)
    with pytest.raises(InputError, match="no release says more"):
        table.fit(0, noise)


def test_labels_of_one_class_do_not_make_it_the_only_one(table: Table) -> None:
    y = np.full(len(table.y), -1)
    y[np.flatnonzero(table.y == 1)[:15]] = 1
    model = AdoptedClassifier([table.source()], classes=table.classes, random_state=0).fit(table.X, y)
    assert model.score(table.X, table.y) > 0.9
    assert model.evidence_.labels == (0, 15)


def test_classes_without_a_label_are_predicted_through_the_release() -> None:
    iris = Table(load_iris, 75)
    y = iris.labels(40)
    y[iris.y == 2] = -1
    model = AdoptedClassifier([iris.source()], classes=iris.classes, evidence=False, random_state=0).fit(iris.X, y)
    right = model.predict(iris.X)[iris.y == 2] == 2
    assert right.mean() > 0.85
    assert model.evidence_.classes_without_labels == ("class 2",)


def test_a_release_that_lacks_a_class_still_tells_the_others_apart() -> None:
    iris = Table(load_iris, 75)

    def two_classes(rows: np.ndarray) -> np.ndarray:
        scores = iris.scores(rows)
        scores[:, 0] = np.nan
        return scores

    model = iris.fit(20, Source("two", two_classes, GOOD))
    assert model.evidence_.releases[0].unknown_classes == ("class 0",)
    assert iris.accuracy(model, 20) > iris.accuracy(iris.fit(20), 20) + 0.03


def test_a_few_labels_and_a_release_beat_either_or_equal_it(table: Table) -> None:
    alone, adopted = table.fit(20), table.fit(20, table.source())
    assert table.accuracy(adopted, 20) >= table.accuracy(alone, 20)
    assert adopted.evidence_.releases[0].used > 0.9


def test_a_release_of_weight_zero_leaves_the_bytes_of_learning_alone(table: Table) -> None:
    draw = np.random.default_rng(0)
    hostile = Source("hostile", lambda rows: 1e9 * draw.normal(size=(len(rows), 2)), GOOD)
    adopted, alone = table.fit(90, hostile), table.fit(90)
    assert adopted.evidence_.releases[0].used == 0
    assert adopted.predict_proba(table.X).tobytes() == alone.predict_proba(table.X).tobytes()
    assert adopted.alone_proba(table.X).tobytes() == alone.predict_proba(table.X).tobytes()


def test_predicting_asks_only_the_releases_that_members_read(table: Table) -> None:
    asked = []

    def noise(rows: np.ndarray) -> np.ndarray:
        asked.append(len(rows))
        return np.sin(1e5 * rows[:, :2])

    good, bad = table.source(), Source("bad", noise, GOOD)
    model = table.fit(60, good, bad)
    average, asked[:] = model.learned_.average, []
    probabilities = model.predict_proba(table.X)
    assert average.reads_release(0)
    assert bool(asked) == average.reads_release(1)
    everything = model.learned_.inputs(model._labelled(table.X, np.full(len(table.X), -1)))
    assert np.allclose(probabilities, class_probabilities(average, everything), rtol=0, atol=1e-6)


def test_what_is_learned_alone_has_the_same_bytes_beside_any_release(table: Table) -> None:
    adopted, alone = table.fit(30, table.source(), table.source(sign=-1.0)), table.fit(30)
    assert adopted.alone_proba(table.X).tobytes() == alone.predict_proba(table.X).tobytes()


def test_stated_shares_move_predictions(table: Table) -> None:
    rare, common = (table.fit(0, table.source(), shares=[1 - share, share]) for share in (0.05, 0.95))
    assert rare.predict(table.X).mean() < common.predict(table.X).mean()
    assert rare.predict_proba(table.X)[:, 1].mean() == pytest.approx(0.05, abs=0.03)


def test_shares_of_another_length_are_refused(table: Table) -> None:
    with pytest.raises(InputError, match="one number for each of the 2 classes; got 3"):
        table.fit(0, table.source(), shares=[0.1, 0.2, 0.7])


def test_the_evidence_shows_every_method_and_each_release(table: Table) -> None:
    noise = Source("noise", lambda rows: np.sin(1e4 * rows[:, :2]), GOOD)
    evidence = table.fit(40, table.source(), noise, evidence=True).evidence_
    assert [each.name for each in evidence.methods] == ["majority", "alone", "releases", "adopted"]
    assert all(0 <= each.accuracy.low <= each.accuracy.value <= each.accuracy.high <= 1 for each in evidence.methods)
    assert evidence.releases[0].gain is not None
    assert evidence.releases[1].gain is not None
    assert evidence.releases[0].gain.value > max(0, evidence.releases[1].gain.value)
    assert json.loads(json.dumps(evidence.to_dict()))["verdict"] == evidence.verdict
    assert evidence.n_labelled == 40
    assert evidence.n_unlabelled == len(table.y) - 40


def test_rows_are_predicted_the_same_in_any_company(table: Table) -> None:
    model = table.fit(120, table.source())
    assert model.predict_proba(table.X[5:9]) == pytest.approx(model.predict_proba(table.X)[5:9], abs=1e-5)


def test_fitting_does_not_change_parameters_and_a_seed_repeats_it(table: Table) -> None:
    first, second = table.fit(30, table.source()), table.fit(30, table.source())
    assert first.predict_proba(table.X).tobytes() == second.predict_proba(table.X).tobytes()


def test_codes_outside_the_classes_are_refused() -> None:
    X = np.zeros((3, 2))
    with pytest.raises(InputError, match="class codes 0 to 1"):
        AdoptedClassifier(classes=("a", "b")).fit(X, np.array([0, 1, 2]))
    with pytest.raises(InputError, match=r"at least two classes; got 1 class\. With fewer, name the classes"):
        AdoptedClassifier().fit(X, np.array([3, 3, -1]))


@pytest.mark.parametrize("module", [adopted_classifier, adopted_regressor])
def test_small_matrices_are_worked_on_by_one_thread(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
    threads = []

    def represented(rows: np.ndarray) -> Representation:
        threads.append(blas_threads())
        return represent(rows)

    monkeypatch.setattr(module, "represent", represented)
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    model = AdoptedClassifier if module is adopted_classifier else AdoptedRegressor
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads()
        model(evidence=False, random_state=0).fit(X[:60], y[:60])
        assert blas_threads() == before
    assert threads == [{1}]


def blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
