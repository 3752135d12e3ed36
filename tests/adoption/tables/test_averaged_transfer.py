"""Tables learned from releases of any kinds and any number of labels, kept in a file."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.laws.test_kind_laws import SCHEMA, made, people

from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence
from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.data.schemas.columns import Label
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.kinds.registry import kind_by_name
from tacit.releases.file import Model, Release, read_model, write_model
from tacit.workflows.adopt import chosen_learner

X, Y = people(300, 2)
NEW, TRUTH = people(500, 3)


@pytest.mark.filterwarnings("ignore:y holds -1 and 1 alone")
@parametrize_with_checks([AveragedTransfer(evidence=False, random_state=0)])
def test_scikit_learn_accepts_it(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


@pytest.fixture(scope="module")
def sums() -> Release:
    return made(kind_by_name("class_moments"))


def few(n: int) -> np.ndarray:
    return np.where(np.arange(len(Y)) < n, Y, -1)


def learned(releases: list[Release], y: np.ndarray, **settings: object) -> AveragedTransfer:
    return AveragedTransfer(releases, schema=SCHEMA, random_state=0, **settings).fit(X, y)  # type: ignore[arg-type]


def test_without_labels_the_releases_alone_predict(sums: Release) -> None:
    model = learned([sums], few(0))
    assert (model.predict(NEW) == TRUTH).mean() > 0.9
    assert (model.predict_proba(NEW) == model.releases_proba(NEW)).all()
    assert model.evidence_.methods == ()
    assert model.evidence_.classes_without_labels == ("well", "ill")
    agreement = model.evidence_.releases[0].agreement
    assert agreement is not None
    assert not agreement.at_chance


def test_labels_of_one_class_do_not_make_every_row_of_that_class(sums: Release) -> None:
    y = np.where((np.arange(len(Y)) < 20) & (Y == 1), 1, -1)
    model = learned([sums], y)
    assert (model.predict(NEW) == TRUTH).mean() > 0.9
    assert model.evidence_.classes_without_labels == ("well",)


def test_without_labels_a_release_of_nothing_is_refused() -> None:
    rows, labels = people(400, 1)
    shuffled = np.random.default_rng(0).permutation(labels)
    nothing = kind_by_name("class_moments").release(rows, shuffled, SCHEMA, epsilon=0.5, delta=1e-4, random_state=0)
    with pytest.raises(InputError, match="no release says more of your rows than chance"):
        learned([nothing], few(0))
    with pytest.raises(InputError, match="single class"):
        learned([nothing], np.where(few(20) == 1, 1, -1))


def test_without_labels_features_are_no_answer() -> None:
    with pytest.raises(InputError, match="no labels"):
        learned([made(kind_by_name("encoder"))], few(0))


def test_stated_shares_move_the_probabilities(sums: Release) -> None:
    rare = learned([sums], few(0), shares={"well": 0.95, "ill": 0.05})
    plain = learned([sums], few(0))
    assert rare.predict_proba(NEW)[:, 1].mean() < plain.predict_proba(NEW)[:, 1].mean() - 0.1
    first, second = (np.argsort(each.predict_proba(NEW)[:, 1], kind="stable") for each in (rare, plain))
    assert (first == second).mean() > 0.9


def test_estimated_shares_are_near_the_truth(sums: Release) -> None:
    kept = np.concatenate([np.flatnonzero(Y == 0), np.flatnonzero(Y == 1)[:30]])
    y = np.full(len(kept), -1)
    curves = kind_by_name("additive").release(*people(3000, 1), SCHEMA, epsilon=4.0, delta=1e-4, random_state=0)
    model = AveragedTransfer([curves], schema=SCHEMA, shares="estimated", random_state=0).fit(X[kept], y)
    with pytest.raises(InputError, match="centred on your rows"):
        learned([sums], few(0), shares="estimated")
    assert model.predict_proba(X[kept])[:, 1].mean() == pytest.approx(30 / len(kept), abs=0.06)


@pytest.mark.parametrize(
    ("shares", "match"),
    [
        ({"well": 1.0}, "each of the classes"),
        ({"well": -1.0, "ill": 2.0}, "at least 0"),
        ("guessed", "'estimated'; got 'guessed'"),
    ],
)
def test_shares_that_are_none_are_refused(sums: Release, shares: object, match: str) -> None:
    with pytest.raises(InputError, match=match):
        learned([sums], few(0), shares=shares)


def test_shares_are_estimated_only_with_a_release_that_states_its_own() -> None:
    with pytest.raises(InputError, match="states its own"):
        learned([made(kind_by_name("linear"))], few(0), shares="estimated")


@pytest.mark.parametrize(
    "kinds",
    [("class_moments",), ("linear",), ("additive",), ("fabricated_rows",), ("pair_metric", "encoder"), ("noisy_rows",)],
    ids="+".join,
)
@pytest.mark.parametrize("n_labels", [30, 120])
def test_a_stored_model_predicts_the_same(kinds: tuple[str, ...], n_labels: int, tmp_path: Path) -> None:
    model = learned([made(kind_by_name(kind)) for kind in kinds], few(n_labels), evidence=False)
    write_model(model.to_model(), tmp_path / "m.tacit")
    again = AveragedTransfer.from_model(read_model(tmp_path / "m.tacit"))
    assert (again.predict_proba(NEW) == model.predict_proba(NEW)).all()
    assert (again.alone_proba(NEW) == model.alone_proba(NEW)).all()
    assert (again.releases_proba(NEW) == model.releases_proba(NEW)).all()
    assert (model.predict(NEW) == TRUTH).mean() > 0.9


def test_models_of_several_classes_are_stored(tmp_path: Path) -> None:
    y = np.where(X[:, 1] > 0.7, 2, Y)
    schema = Schema((*SCHEMA.columns[:-1], Label("outcome", ("well", "ill", "other"))))
    rows, labels = people(800, 1)
    release = kind_by_name("class_moments").release(
        rows, np.where(rows[:, 1] > 0.7, 2, labels), schema, epsilon=2.0, delta=1e-4, random_state=0
    )
    model = AveragedTransfer([release], schema=schema, random_state=0).fit(X, np.where(few(40) >= 0, y, -1))
    write_model(model.to_model(), tmp_path / "m.tacit")
    again = AveragedTransfer.from_model(read_model(tmp_path / "m.tacit"))
    assert (again.predict_proba(NEW) == model.predict_proba(NEW)).all()
    assert again.evidence_ == model.evidence_


def test_the_evidence_is_stored_with_every_figure(sums: Release) -> None:
    model = learned([sums, made(kind_by_name("linear"))], few(40))
    assert AdoptionEvidence.from_dict(model.evidence_.to_dict()) == model.evidence_
    assert [each.name for each in model.evidence_.methods] == ["majority", "alone", "releases", "adopted"]
    assert all(each.gain is not None for each in model.evidence_.releases)
    right = np.mean(np.array(model.evidence_.adopted) == model.evidence_.truth)
    assert right == pytest.approx(model.evidence_.methods[-1].accuracy.value, abs=0.1)


def test_a_model_that_lacks_a_part_is_refused(sums: Release) -> None:
    model = learned([sums], few(30), evidence=False).to_model()
    arrays = {name: array for name, array in model.arrays.items() if name != "columns_knots"}
    with pytest.raises(ReleaseError, match="knots"):
        AveragedTransfer.from_model(Model(model.kind, arrays, model.settings, model.cards, model.schema))


def test_a_release_that_labels_speak_against_changes_no_bit() -> None:
    rows, labels = people(400, 1)
    shuffled = np.random.default_rng(0).permutation(labels)
    release = kind_by_name("class_moments").release(rows, shuffled, SCHEMA, epsilon=0.5, delta=1e-4, random_state=0)
    model, alone = learned([release], few(60)), learned([], few(60))
    assert model.evidence_.weights == (0.0,)
    assert (model.predict_proba(NEW) == alone.predict_proba(NEW)).all()
    assert (model.alone_proba(NEW) == alone.predict_proba(NEW)).all()


def test_the_learner_is_chosen_by_table_and_labels(sums: Release) -> None:
    assert chosen_learner("auto", [sums], SCHEMA) == "averaged"
    assert chosen_learner("auto", [sums], SCHEMA, combine="paper") == "membership"
    assert chosen_learner("membership", [sums], SCHEMA) == "membership"
    other = Schema.from_dict(
        {"version": 1, "columns": [{"name": "a", "kind": "numeric", "bounds": [0, 1]}]}, source="test"
    )
    assert chosen_learner("auto", [sums], other) == "membership"
