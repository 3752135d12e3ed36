from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from tacit import Budget, Ledger
from tacit.audit.card_audit import audit_card
from tacit.audit.replay import replay
from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError, InputError, ReleaseError
from tacit.models.linear.logistic import PrivateLogisticRegression, expected_noise
from tacit.models.linear.release import read_scores
from tacit.models.two_class_problems import (
    unit_rows,
)
from tacit.privacy.accounting import epsilon as cost
from tacit.privacy.mechanisms import AgainstRest, ObjectivePerturbation, TunedPerturbation
from tacit.releases.file import Release, read_release, write_release

Table = tuple[np.ndarray, np.ndarray]


def blobs(n: int = 400, d: int = 5, n_classes: int = 2, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(0, 0.5, (n, d)) + 2 * np.eye(n_classes, d)[y] - 2 / d, y


@pytest.mark.parametrize("n_classes", [2, 4])
def test_it_learns_at_a_modest_budget(n_classes: int) -> None:
    model = PrivateLogisticRegression(4.0, random_state=0).fit(*blobs(2000, n_classes=n_classes))
    X, y = blobs(500, n_classes=n_classes, seed=1)
    assert model.score(X, y) > 0.9
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert model.coef_.shape == ((1 if n_classes == 2 else n_classes), 5)


def test_with_hardly_any_noise_it_is_regularised_logistic_regression() -> None:
    from sklearn.linear_model import LogisticRegression

    X, y = blobs(500)
    n = len(X)
    ours = PrivateLogisticRegression(99.0, regularization=0.5, random_state=0).fit(X, y).coef_
    theirs = LogisticRegression(C=1 / (0.5 * n), fit_intercept=False, tol=1e-10).fit(unit_rows(X), y).coef_
    noise = expected_noise(ObjectivePerturbation.for_epsilon(99.0, curvature=0.5 * n, dimension=5))
    assert np.linalg.norm(ours - theirs) < 4 * noise < 0.01


def test_the_default_regularisation_lets_noise_have_length_one_and_is_at_most_one() -> None:
    for epsilon, n_rows, n_features in ((1.0, 5000, 20), (0.1, 40_000, 108)):
        (step,) = PrivateLogisticRegression(epsilon).plan(n_features, n_rows=n_rows)
        assert isinstance(step.mechanism, ObjectivePerturbation)
        assert expected_noise(step.mechanism) == pytest.approx(1.0, rel=1e-3)
    (few,) = PrivateLogisticRegression(0.001).plan(1, n_rows=500)
    assert getattr(few.mechanism, "curvature", 0.0) == pytest.approx(2 / 0.001, rel=1e-3), "what the accounting needs"


def test_of_bounded_columns_the_plan_has_the_ridge_of_least_error_or_what_the_accounting_needs() -> None:
    (step,) = PrivateLogisticRegression(1.0, bounds=(0, 1)).plan(108, n_rows=30_000)
    assert getattr(step.mechanism, "curvature", 0.0) == pytest.approx(1500 * 108 / 30_000, rel=1e-3)
    (many,) = PrivateLogisticRegression(1.0, bounds=(0, 1)).plan(2, n_rows=10**7)
    assert getattr(many.mechanism, "curvature", 0.0) == pytest.approx(2.0, rel=1e-3)


def test_a_release_says_its_regularisation_where_the_number_of_rows_is_public() -> None:
    X, y = blobs(500)
    assert PrivateLogisticRegression(1.0, regularization=0.5).fit(X, y).release().settings["regularization"] == [
        pytest.approx(0.5, rel=1e-3)
    ]
    hidden = PrivateLogisticRegression(1.0, relation="add-remove").fit(X, y).release()
    tuned = PrivateLogisticRegression(1.0, regularization=[0.1, 1.0]).fit(X, y).release()
    assert hidden.settings["regularization"] is None
    assert tuned.settings["regularization"] is None


def mixed(n_rows: int, seed: int) -> tuple[pl.DataFrame, np.ndarray]:
    """Return a table of a number with wide bounds, one of many categories, and labels of which a tenth is 1."""
    random = np.random.default_rng(seed)
    amount, job = random.gamma(1.0, 200.0, n_rows), random.integers(0, 12, n_rows)
    margin = amount / 150 + 0.8 * (job < 4) - 4.5
    labels = (random.random(n_rows) < 1 / (1 + np.exp(-margin))).astype(int)
    return pl.DataFrame({"amount": amount, "job": [f"job {code}" for code in job]}), labels


JOBS = Schema((Numeric("amount", (0, 5000)), Categorical("job", tuple(f"job {code}" for code in range(12)))))


def test_numbers_with_wide_bounds_are_learned_from_a_frame_with_a_schema() -> None:
    model = PrivateLogisticRegression(1.0, bounds=JOBS, classes=[0, 1], random_state=0).fit(*mixed(20_000, 0))
    frame, y = mixed(5000, 1)
    best = roc_auc_score(y, frame["amount"] / 150 + 0.8 * frame["job"].is_in([f"job {code}" for code in range(4)]))
    assert roc_auc_score(y, model.decision_function(frame)) > best - 0.05
    # A regularisation at which noise has length 1 forgets the number, which varies by a tenth of its bounds.
    before = PrivateLogisticRegression(1.0, regularization=2 * 13 / 20_000, bounds=JOBS, random_state=0)
    assert roc_auc_score(y, before.fit(*mixed(20_000, 0)).decision_function(frame)) < best - 0.08
    assert "the schema: columns, bounds and categories" in model.card_.assumptions


def test_frames_and_encoded_rows_give_the_same_weights() -> None:
    frame, y = mixed(500, 0)
    encoded = encode(frame, JOBS).X
    first, second = (
        PrivateLogisticRegression(1.0, bounds=JOBS, random_state=0).fit(rows, y) for rows in (frame, encoded)
    )
    assert (first.coef_ == second.coef_).all()
    assert (first.decision_function(encoded) == second.decision_function(frame)).all()
    scores = read_scores(first.release())
    assert scores(encoded)[:, 0] == pytest.approx(first.decision_function(frame))


def test_what_does_not_fit_the_schema_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(2.0, unit="record", relation="replace"))
    frame, y = mixed(50, 0)
    for rows, labels in ((frame, y[:-1]), (np.zeros((50, 5)), y)):
        with pytest.raises(InputError, match="the 13 encoded columns of the schema"):
            PrivateLogisticRegression(1.0, bounds=JOBS, ledger=ledger).fit(rows, labels)
    assert ledger.spent() == 0


def test_with_a_prior_the_default_regularisation_is_one() -> None:
    (step,) = PrivateLogisticRegression(1.0, prior=np.zeros(3)).plan(3, n_rows=500)
    assert getattr(step.mechanism, "curvature", 0.0) == 500


def test_a_large_table_of_overlapping_classes_is_not_predicted_as_its_majority() -> None:
    random = np.random.default_rng(0)
    yes = random.integers(0, 2, (20_000, 8)).astype(float)
    chances = 1 / (1 + np.exp(-(2 * yes[:, :4].sum(axis=1) - 5.5)))
    y = (random.random(20_000) < chances).astype(int)
    X = np.hstack([yes, 1 - yes])  # one-hot, as schemas encode
    settings: dict[str, Any] = {"bounds": (-1, 1), "classes": [0, 1], "random_state": 0}
    strong, default = (
        PrivateLogisticRegression(1.0, regularization=each, **settings).fit(X, y).score(X, y) for each in (1.0, None)
    )
    assert strong == pytest.approx(max(y.mean(), 1 - y.mean()), abs=0.01)
    assert default > strong + 0.05


def test_classes_share_the_budget_equally() -> None:
    (step,) = PrivateLogisticRegression(3.0).plan(4, n_rows=100, n_classes=3)
    assert isinstance(step.mechanism, AgainstRest)
    assert step.mechanism.problems == 3
    assert step.mechanism.each.event.epsilon == pytest.approx(1.0)
    assert cost(step.event, delta=0) == pytest.approx(3.0)


def test_several_classes_are_learned_as_if_one_by_one() -> None:
    """With hardly any noise, the weights of each class are those of a model that tells it alone from the rest."""
    X, y = blobs(2000, n_classes=3)
    prior = np.random.default_rng(1).standard_normal((3, X.shape[1]))
    settings: dict[str, Any] = {"regularization": 0.5, "random_state": 0}
    together = PrivateLogisticRegression(99.0, prior=prior, **settings).fit(X, y)
    noise = expected_noise(ObjectivePerturbation.for_epsilon(33.0, curvature=1000.0, dimension=5))
    assert noise < 1e-3
    for code in range(3):
        alone = PrivateLogisticRegression(33.0, prior=prior[[code]], **settings).fit(X, y == code)
        assert np.linalg.norm(together.coef_[code] - alone.coef_[0]) < 8 * noise
        assert np.linalg.norm(alone.coef_[0] - prior[code]) > 100 * noise


def test_prior_weights_are_where_it_starts() -> None:
    X, y = blobs(50)
    prior = np.array([[7.0, -3.0, 0.0, 1.0, 2.0]])
    model = PrivateLogisticRegression(5.0, prior=prior, regularization=1e6, random_state=0).fit(X, y)
    assert model.coef_ == pytest.approx(prior, abs=1e-3)
    with pytest.raises(InputError, match="prior"):
        PrivateLogisticRegression(1.0, prior=prior[:, :2]).fit(X, y)


def test_tuning_pays_within_the_same_epsilon(tmp_path: Path) -> None:
    ledger = Ledger.create(
        tmp_path / "x.ledger", Budget(2.0, unit="record", relation="replace"), allow=["no-guarantee"]
    )
    X, y = blobs(900)
    model = PrivateLogisticRegression(2.0, regularization=[1.0, 1e5], ledger=ledger).fit(X, y)
    assert ledger.spent() == pytest.approx(2.0)
    (step,) = model.plan(5, n_rows=900)
    assert isinstance(step.mechanism, TunedPerturbation)
    assert [each.curvature for each in step.mechanism.settings] == [300, 300e5]
    assert model.score(X, y) > 0.9


def test_tuning_with_a_bound_on_the_rows_holds_for_rows_that_come_or_go() -> None:
    X, y = blobs(30)

    def run(table: Table) -> dict[str, object]:
        model = PrivateLogisticRegression(1.0, regularization=[1.0, 2.0], classes=[0, 1], n_rows=40)
        made = model.fit(*table)
        assert made.card_.relation == "add-remove"
        return dict(made.release().arrays)

    replay(run, (X, y), (np.vstack([X, [[1e9] * 5]]), np.append(y, 1))).require()
    replay(run, (X, y), (X[1:], y[1:])).require()


def test_a_bound_on_the_rows_hides_how_many_there_are() -> None:
    X, y = blobs(30)

    def run(table: Table) -> dict[str, object]:
        model = PrivateLogisticRegression(1.0, classes=[0, 1], n_rows=40, random_state=1)
        return dict(model.fit(*table).release().arrays)

    seen = replay(run, (X, y), (np.vstack([X, [[1e9] * 5]]), np.append(y, 1))).require()
    assert seen.largest_share == 1
    replay(run, (X, y), (X[1:], y[1:])).require()
    with pytest.raises(InputError, match="n_rows"):
        PrivateLogisticRegression(1.0, n_rows=29).fit(X, y)


def test_without_a_bound_the_card_says_that_the_number_of_rows_is_public() -> None:
    card = PrivateLogisticRegression(1.0).fit(*blobs(30)).card_
    assert "the number of rows" in card.not_protected
    assert card.holds
    assert audit_card(card, draws=2000, seed=0).passed


def test_a_refused_charge_leaves_no_model_behind(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(0.5, unit="record", relation="replace"))
    model = PrivateLogisticRegression(1.0, ledger=ledger)
    with pytest.raises(BudgetExceededError):
        model.fit(*blobs())
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("wrong", [{"regularization": 0.0}, {"accounting": "loose"}, {"row_norm": -1.0}, {"n_rows": 0}])
def test_wrong_settings_are_refused_before_anything_is_charged(wrong: dict[str, object], tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(5, unit="record", relation="replace"))
    with pytest.raises(InputError, match=next(iter(wrong))):
        PrivateLogisticRegression(1.0, ledger=ledger, **wrong).fit(*blobs())  # type: ignore[arg-type]
    assert not ledger.lines()


def test_a_release_predicts_what_the_model_does(tmp_path: Path) -> None:
    X, y = blobs(200, n_classes=3)
    model = PrivateLogisticRegression(2.0, bounds=(-5, 5), random_state=0).fit(X, y)
    write_release(model.release(), tmp_path / "x.tacit")
    scores = read_scores(read_release(tmp_path / "x.tacit"))
    assert scores(X) == pytest.approx(model.decision_function(X))


def test_malformed_releases_are_refused() -> None:
    made = PrivateLogisticRegression(2.0).fit(*blobs()).release()
    changes: list[dict[str, object]] = [{"positions": [[0, 9]]}, {"shares": []}, {"classes": [1, 2, 3]}]
    changes.append({"positions": "x"})
    for change in changes:
        with pytest.raises(ReleaseError, match="malformed"):
            read_scores(Release(made.kind, made.arrays, {**made.settings, **change}, made.card))
    with pytest.raises(ReleaseError, match="kind"):
        read_scores(Release("other", made.arrays, made.settings, made.card))


def test_rows_in_single_precision_and_one_constant_column_are_fine() -> None:
    X, y = blobs(100)
    X[:, 2] = 1.0
    assert PrivateLogisticRegression(1.0, random_state=0).fit(X.astype(np.float32), y).coef_.dtype == np.float64
