"""Releases of a numeric target are adopted, kept in a file, and predict with an interval."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import r2_score

from tacit.adoption.evidence.target_evidence import TargetEvidence
from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.data.schemas.columns import Label, Numeric, Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.kinds.registry import kind_by_name
from tacit.releases.file import Model, Release

COLUMNS = tuple(Numeric(f"x{place}", (0.0, 1.0)) for place in range(4))
SCHEMA = Schema((*COLUMNS, Target("cost", (0.0, 100.0))))


def rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    X = draw.random((n, len(COLUMNS)))
    return X, np.clip(30 + 40 * X[:, 0] - 20 * np.sin(3 * X[:, 1]) + draw.normal(0, 5, n), 0, 100)


@cache
def released(shuffled: bool = False) -> Release:
    X, y = rows(3000, 0)
    y = np.random.default_rng(1).permutation(y) if shuffled else y
    return kind_by_name("additive").release(X, y, SCHEMA, epsilon=2.0, delta=1e-6, random_state=0)


def fitted(n_known: int, *releases: Release, evidence: bool = False) -> TargetTransfer:
    X, y = rows(400, 2)
    y[n_known:] = np.nan
    return TargetTransfer(releases, schema=SCHEMA, evidence=evidence, random_state=0).fit(X, y)


def score(model: TargetTransfer) -> float:
    X, y = rows(1000, 3)
    return float(r2_score(y, model.predict(X)))


@pytest.mark.parametrize("n_known", [0, 15, 60])
def test_a_release_helps_at_every_number_of_known_values(n_known: int) -> None:
    adopted = fitted(n_known, released())
    assert score(adopted) > 0.75
    X, y = rows(1000, 3)
    assert score(adopted) > r2_score(y, adopted.alone_predict(X)) - 0.01
    assert r2_score(y, adopted.releases_predict(X)) > 0.75


def test_intervals_cover_about_nine_of_ten_values() -> None:
    X, y = rows(1000, 3)
    low, high = fitted(60, released(), evidence=True).predict_interval(X).T
    assert 0.8 < ((low <= y) & (y <= high)).mean() < 0.99


def test_a_release_of_shuffled_values_is_refused_without_values_and_costs_little_with_some() -> None:
    with pytest.raises(InputError, match="no release says more"):
        fitted(0, released(shuffled=True))
    assert score(fitted(40, released(shuffled=True))) > score(fitted(40)) - 0.02


def test_a_model_comes_back_from_its_file_to_the_last_bit() -> None:
    model = fitted(120, released(), evidence=True)
    file = model.to_model()
    again = TargetTransfer.from_model(replace(file, settings=json.loads(json.dumps(file.settings)), cards=()))
    X, _ = rows(200, 3)
    for method in ("predict", "predict_interval", "alone_predict", "releases_predict"):
        assert getattr(again, method)(X).tobytes() == getattr(model, method)(X).tobytes()
    assert again.evidence_ == model.evidence_
    with pytest.raises(ReleaseError, match="of kind 'other'"):
        TargetTransfer.from_model(Model("other", file.arrays, file.settings, (), file.schema))


def test_evidence_and_test_rows_show_every_way_to_learn() -> None:
    model = fitted(60, released(), evidence=True)
    names = ["constant", "alone", "releases", "adopted"]
    assert [each.name for each in model.evidence_.methods] == names
    assert TargetEvidence.from_dict(json.loads(json.dumps(model.evidence_.to_dict()))) == model.evidence_
    X, y = rows(1000, 3)
    on_test = {each.name: each for each in model.figures(X, y)}
    assert list(on_test) == names
    # The constant is the mean of the known values: of other rows it explains nothing.
    assert on_test["constant"].r_squared.value == pytest.approx(0)
    assert on_test["adopted"].r_squared.value == pytest.approx(score(model), abs=0.02)
    assert on_test["adopted"].coverage.value > 0.8
    assert len(on_test["adopted"].calibration) == 5


def test_a_release_of_another_column_or_of_classes_is_refused() -> None:
    X, y = rows(400, 2)
    other = Schema((*COLUMNS, Target("price", (0.0, 100.0))))
    with pytest.raises(InputError, match="the target 'cost', and your schema has the target 'price'"):
        TargetTransfer([released()], schema=other).fit(X, y)
    classes = Schema((*COLUMNS, Label("ill", ("no", "yes"))))
    of_classes = kind_by_name("additive").release(
        X, (y > 40).astype(np.intp), classes, epsilon=2.0, delta=1e-6, random_state=0
    )
    with pytest.raises(InputError, match="is of classes, no number"):
        TargetTransfer([of_classes], schema=SCHEMA).fit(X, y)


def test_the_schema_comes_from_the_release_or_must_be_given() -> None:
    X, y = rows(400, 2)
    assert TargetTransfer([released()], evidence=False, random_state=0).fit(X, y).schema_ == SCHEMA
    with pytest.raises(InputError, match="schema must be given"):
        TargetTransfer().fit(X, y)
    with pytest.raises(InputError, match='kind "target"'):
        TargetTransfer(schema=Schema(COLUMNS)).fit(X, y)
    with pytest.raises(InputError, match="4 encoded columns"):
        TargetTransfer(schema=SCHEMA).fit(X[:, :2], y)
