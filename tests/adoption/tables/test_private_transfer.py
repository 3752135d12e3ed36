"""Private adoption: the source's scores, and a correction that costs epsilon once."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from tacit.adoption.sources.public_scores import public_scores
from tacit.adoption.tables.private_transfer import (
    NOISE_IN_SCORES,
    PrivateTransfer,
    correction_curvature,
    uses_columns,
)
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError, InputError, ReleaseError
from tacit.kinds.additive import KIND as ADDITIVE
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.linear import KIND as LINEAR
from tacit.kinds.marginals import KIND as MARGINALS
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release, read_model, write_model
from tacit.releases.kind import ReleaseKind

NAMES = ("a", "b", "c")
SCHEMA = Schema((*(Numeric(name, (0, 1)) for name in NAMES), Label("ill", ("no", "yes"))))
THREE = Schema((*(Numeric(name, (0, 1)) for name in NAMES), Label("ill", ("no", "some", "yes"))))
KINDS = [ADDITIVE, LINEAR, MARGINALS]


def people(n: int, seed: int, *, shift: float = 0.0, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(seed)
    X = random.rand(n, 3)
    scores = 8 * (X[:, 0] - X[:, 1]) + shift + random.logistic(size=n)
    return X, np.digitize(scores, [0] if n_classes == 2 else [-2, 2])


@cache
def release(kind: ReleaseKind, n_classes: int = 2) -> Release:
    X, y = people(3000, 0, n_classes=n_classes)
    schema = SCHEMA if n_classes == 2 else THREE
    return kind.release(X, y, schema, unit="record", epsilon=2.0, delta=1e-6, random_state=0)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_scores_of_a_release_are_those_of_its_rows_alone(kind: ReleaseKind) -> None:
    scores, note = public_scores(release(kind), SCHEMA)
    X, y = people(500, 1)
    assert "shared" in note
    assert scores(X)[:7] == pytest.approx(scores(X[:7]))
    assert (scores(X).argmax(axis=1) == y).mean() > 0.8


def test_a_release_read_with_the_receivers_rows_is_refused() -> None:
    with pytest.raises(InputError, match="made with your own rows"):
        public_scores(release(CLASS_MOMENTS), SCHEMA)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_small_tables_leave_the_source_about_as_good_as_it_was(kind: ReleaseKind) -> None:
    X, y = people(100, 2)
    X_test, y_test = people(3000, 3)
    found = []
    for seed in range(5):
        model = PrivateTransfer(0.5, releases=[release(kind)], schema=SCHEMA, random_state=seed).fit(X, y)
        source = (model.released_proba(X_test).argmax(axis=1) == y_test).mean()
        found.append((model.predict(X_test) == y_test).mean() - source)
        assert (model.target_only_predict(X_test) == y_test).mean() == source
    assert np.mean(found) > -0.01


def test_a_large_table_corrects_what_differs_from_the_owner() -> None:
    X, y = people(5000, 4, shift=4.0)
    X_test, y_test = people(3000, 5, shift=4.0)
    model = PrivateTransfer(3.0, releases=[release(ADDITIVE)], schema=SCHEMA, random_state=0).fit(X, y)
    source = (model.released_proba(X_test).argmax(axis=1) == y_test).mean()
    assert (model.predict(X_test) == y_test).mean() > source + 0.05


def test_scores_are_the_released_ones_and_the_correction() -> None:
    X, y = people(200, 6)
    model = PrivateTransfer(1.0, releases=[release(ADDITIVE)], schema=SCHEMA, random_state=0).fit(X, y)
    released = model.released_proba(X)
    odds = np.log(released[:, 1] / released[:, 0])
    phi = np.column_stack([np.full(len(X), 0.5), 0.5 * odds / 8])
    assert np.linalg.norm(model._features(X, odds[:, None]), axis=1).max() <= 1
    if model.with_columns_:
        phi = model._features(X, odds[:, None])
    assert model.predict_proba(X)[:, 1] == pytest.approx(expit(odds + phi @ model.coef_[0]), abs=1e-6)


def test_several_classes_and_several_releases() -> None:
    X, y = people(2000, 7, n_classes=3)
    model = PrivateTransfer(
        3.0, releases=[release(ADDITIVE, 3), release(MARGINALS, 3)], schema=THREE, random_state=0
    ).fit(X, y)
    assert model.coef_.shape[0] == 3
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))
    source = (model.released_proba(X).argmax(axis=1) == y).mean()
    assert (model.predict(X) == y).mean() > source - 0.02


def test_the_noise_of_a_score_is_what_the_curvature_promises() -> None:
    X, y = people(400, 8)
    odds = []
    for seed in range(40):
        model = PrivateTransfer(1.0, releases=[release(ADDITIVE)], schema=SCHEMA, random_state=seed).fit(X, y)
        odds.append(model.decision_function(X))
    assert np.std(odds, axis=0).mean() < 1.5 * NOISE_IN_SCORES
    assert correction_curvature(4, 2.0) == pytest.approx(2 * 2 / (2.0 * NOISE_IN_SCORES))
    assert uses_columns(10, 1000, 0.2)
    assert not uses_columns(10, 999, 0.2)


def test_the_ledger_is_charged_once_before_anything_is_drawn(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ours.ledger", Budget(1, unit="record", relation="replace"))
    X, y = people(200, 9)
    PrivateTransfer(0.6, releases=[release(ADDITIVE)], schema=SCHEMA, ledger=ledger).fit(X, y)
    assert ledger.spent() == pytest.approx(0.6)
    with pytest.raises(BudgetExceededError):
        PrivateTransfer(0.6, releases=[release(ADDITIVE)], schema=SCHEMA, ledger=ledger).fit(X, y)
    assert ledger.spent() == pytest.approx(0.6)


def test_the_card_says_what_is_protected() -> None:
    X, y = people(200, 10)
    card = PrivateTransfer(0.5, releases=[release(ADDITIVE)], schema=SCHEMA, random_state=0).fit(X, y).card_
    assert card.epsilon == 0.5
    assert card.delta == 0
    assert "the number of rows" in card.not_protected
    bounded = PrivateTransfer(0.5, releases=[release(ADDITIVE)], schema=SCHEMA, n_rows=300, random_state=0).fit(X, y)
    assert "the number of rows" not in bounded.card_.not_protected


def test_a_hidden_number_of_rows_costs_the_columns_and_is_not_stated() -> None:
    X, y = people(5000, 10)
    hidden = PrivateTransfer(
        3.0, releases=[release(ADDITIVE)], schema=SCHEMA, relation="add-remove", random_state=0
    ).fit(X, y)
    assert not hidden.with_columns_
    assert "the number of rows" not in hidden.card_.not_protected
    guessed = PrivateTransfer(
        3.0, releases=[release(ADDITIVE)], schema=SCHEMA, relation="add-remove", n_rows=4000, random_state=0
    ).fit(X, y)
    assert guessed.with_columns_


def test_a_model_file_predicts_as_the_classifier_did(tmp_path: Path) -> None:
    X, y = people(3000, 11)
    model = PrivateTransfer(2.0, releases=[release(ADDITIVE), release(LINEAR)], schema=SCHEMA, random_state=0).fit(X, y)
    write_model(model.to_model(), tmp_path / "model.tacit")
    again = PrivateTransfer.from_model(read_model(tmp_path / "model.tacit"))
    assert again.predict_proba(X) == pytest.approx(model.predict_proba(X))
    assert again.card_.to_dict() == model.card_.to_dict()


def test_bad_input_is_refused() -> None:
    X, y = people(50, 12)
    with pytest.raises(InputError, match="at least one release"):
        PrivateTransfer(1.0, schema=SCHEMA).fit(X, y)
    with pytest.raises(InputError, match="schema must be given"):
        PrivateTransfer(1.0, releases=[release(ADDITIVE)]).fit(X, y)
    with pytest.raises(InputError, match="encoded columns"):
        PrivateTransfer(1.0, releases=[release(ADDITIVE)], schema=SCHEMA).fit(X[:, :2], y)
    foreign = Schema((Numeric("z", (0, 1)), Label("ill", ("no", "yes"))))
    with pytest.raises(InputError, match="says nothing"):
        public_scores(release(LINEAR), foreign)
    model = PrivateTransfer(1.0, releases=[release(ADDITIVE)], schema=SCHEMA, random_state=0).fit(X, y).to_model()
    with pytest.raises(ReleaseError, match="--epsilon"):
        PrivateTransfer.from_model(replace(model, kind="other"))
