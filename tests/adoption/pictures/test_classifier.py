from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit import Release, Schema
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.self_training import self_train
from tacit.adoption.pictures.views import PrincipalAxes, RowView
from tacit.data.public.datasets import load_breast_cancer, load_digits
from tacit.data.public.schemas import image_schema
from tacit.data.schemas.columns import Label, Numeric
from tacit.errors import InputError, ReleaseError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.numerics.images import resample
from tacit.releases.file import read_model, write_model

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def few(y: np.ndarray, per_class: int) -> np.ndarray:
    codes = np.full(len(y), -1)
    for code in np.unique(y):
        codes[np.flatnonzero(y == code)[:per_class]] = code
    return codes


@pytest.fixture(scope="module")
def digits_release() -> Release:
    digits = load_digits()
    rows = slice(0, 900)
    return CLASS_MOMENTS.release(
        digits.X_train[rows],
        digits.y_train[rows],
        digits.schema,
        unit="record",
        epsilon=4.0,
        delta=1e-6,
        random_state=0,
    )


@pytest.fixture(scope="module")
def receiver() -> Split:
    digits = load_digits()
    X, y = digits.X_train[900:], digits.y_train[900:]
    return X, few(y, 3), digits.X_test, digits.y_test


@pytest.mark.filterwarnings("ignore:y holds -1 and 1 alone")
@parametrize_with_checks([TransferClassifier(random_state=0)])
def test_scikit_learn_accepts_it(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def test_a_release_that_knows_helps(digits_release: Release, receiver: Split) -> None:
    X, y, X_test, y_test = receiver
    model = TransferClassifier([digits_release], schema=load_digits().schema, random_state=0).fit(X, y)
    alone, adopted = (model.target_only_predict(X_test) == y_test).mean(), (model.predict(X_test) == y_test).mean()
    assert adopted > alone + 0.02
    assert model.evidence_.weights[0] > 0
    assert np.allclose(model.predict_proba(X_test).sum(axis=1), 1)


def test_a_release_of_noise_does_no_harm(receiver: Split) -> None:
    digits = load_digits()
    X, y, X_test, y_test = receiver
    noise = CLASS_MOMENTS.release(
        digits.X_train[:300],
        digits.y_train[:300],
        digits.schema,
        unit="record",
        epsilon=1e-3,
        delta=1e-9,
        random_state=1,
    )
    model = TransferClassifier([noise], schema=digits.schema, random_state=0).fit(X, y)
    alone, adopted = (model.target_only_predict(X_test) == y_test).mean(), (model.predict(X_test) == y_test).mean()
    assert adopted >= alone - 0.02


def test_several_releases_are_adopted_together(digits_release: Release, receiver: Split) -> None:
    digits = load_digits()
    X, y, X_test, y_test = receiver
    second = CLASS_MOMENTS.release(
        digits.X_train[:600], digits.y_train[:600], digits.schema, unit="entry", epsilon=8.0, delta=1e-9, random_state=2
    )
    model = TransferClassifier([digits_release, second], schema=digits.schema, random_state=0).fit(X, y)
    assert len(model.evidence_.weights) == 2
    assert max(model.evidence_.weights) > 0
    assert (model.predict(X_test) == y_test).mean() > (model.target_only_predict(X_test) == y_test).mean()


def test_images_of_another_size_are_resampled(receiver: Split) -> None:
    digits = load_digits()
    X, y, X_test, y_test = receiver
    release = CLASS_MOMENTS.release(
        digits.X_train[:900], digits.y_train[:900], digits.schema, unit="entry", epsilon=8.0, delta=1e-9, random_state=0
    )
    larger = image_schema((12, 12), digits.classes)
    model = TransferClassifier([release], schema=larger, random_state=0).fit(resample(X, (8, 8), (12, 12)), y)
    assert "placed in a frame of 8 x 8" in model.evidence_.notes[0]
    test = resample(X_test, (8, 8), (12, 12))
    assert (model.predict(test) == y_test).mean() >= (model.target_only_predict(test) == y_test).mean() - 0.02


def test_tables_that_share_some_columns_meet_by_name() -> None:
    cancer = load_breast_cancer()
    table = cancer.encode(labels="required")
    names = [column.name for column in cancer.schema.features]
    label = cancer.schema.label
    owners = Schema(tuple(c for c in cancer.schema.columns if c.name in names[:20] or c is label))
    ours = Schema(tuple(c for c in cancer.schema.columns if c.name in names[10:] or c is label))
    release = CLASS_MOMENTS.release(
        table.X[:300, :20], table.y[:300], owners, unit="record", epsilon=3.0, delta=1e-6, random_state=0
    )
    X, y = table.X[300:450, 10:], few(table.y[300:450], 5)
    model = TransferClassifier([release], schema=ours, random_state=0).fit(X, y)
    assert model.evidence_.notes == ("10 columns shared by name",)


def test_where_nothing_is_shared_no_harm_is_done(digits_release: Release) -> None:
    digits = load_digits()
    nameless = Schema((*(Numeric(f"z{k}", (0, 1)) for k in range(64)), Label("digit", digits.classes)))
    X, y = digits.X_train[900:], few(digits.y_train[900:], 5)
    model = TransferClassifier([digits_release], schema=nameless, random_state=0).fit(X, y)
    alone = (model.target_only_predict(digits.X_test) == digits.y_test).mean()
    assert "nothing is shared" in model.evidence_.notes[0]
    assert (model.predict(digits.X_test) == digits.y_test).mean() >= alone - 0.02


def test_a_model_that_learned_in_the_owners_frame_survives_its_file(receiver: Split, tmp_path: Path) -> None:
    digits = load_digits()
    X, y, X_test, _ = receiver
    release = CLASS_MOMENTS.release(
        digits.X_train[:300], digits.y_train[:300], digits.schema, unit="entry", epsilon=8.0, delta=1e-9, random_state=0
    )
    rows, test = resample(X, (8, 8), (12, 12)), resample(X_test, (8, 8), (12, 12))
    model = TransferClassifier([release], schema=image_schema((12, 12), digits.classes), random_state=0).fit(rows, y)
    source, labelled = model.sources_[0], np.flatnonzero(y >= 0)
    model.axes_ = PrincipalAxes.of(rows, RowView("gradients", source.scores.frame))  # type: ignore[attr-defined]
    scores = source(rows)
    model.in_view_ = self_train(model.axes_(rows), labelled, y[labelled], n_classes=10)
    model.joined_ = self_train(
        model.axes_(rows), labelled, y[labelled], n_classes=10, sources=[scores], sources_labelled=[scores[labelled]]
    )
    write_model(model.to_model(), tmp_path / "model.tacit")
    again = TransferClassifier.from_model(read_model(tmp_path / "model.tacit"))
    assert again.axes_.view.frame is not None
    assert np.allclose(again.predict_proba(test), model.predict_proba(test), atol=1e-4)


@pytest.mark.parametrize("kind", ["record", "entry", "nothing shared"])
def test_a_model_file_predicts_as_the_model_did(kind: str, receiver: Split, tmp_path: Path) -> None:
    digits = load_digits()
    X, y, X_test, _ = receiver
    unit = "entry" if kind == "entry" else "record"
    release = CLASS_MOMENTS.release(
        digits.X_train[:300], digits.y_train[:300], digits.schema, unit=unit, epsilon=5.0, delta=1e-9, random_state=0
    )
    nameless = Schema((*(Numeric(f"z{k}", (0, 1)) for k in range(64)), Label("digit", digits.classes)))
    schema = nameless if kind == "nothing shared" else digits.schema
    model = TransferClassifier([release], schema=schema, random_state=0).fit(X, y)
    write_model(model.to_model(), tmp_path / "model.tacit")
    again = TransferClassifier.from_model(read_model(tmp_path / "model.tacit"))
    assert np.allclose(again.predict_proba(X_test), model.predict_proba(X_test), atol=1e-4)
    assert np.array_equal(again.target_only_predict(X_test), model.target_only_predict(X_test))
    assert again.evidence_ == model.evidence_
    assert Evidence.from_dict(model.evidence_.to_dict()) == model.evidence_


def test_what_the_view_alone_is_worth_is_told_apart(digits_release: Release, receiver: Split) -> None:
    X, y, X_test, y_test = receiver
    model = TransferClassifier([digits_release], schema=load_digits().schema, random_state=0).fit(X, y)
    assert "oriented gradients" in model.evidence_.view
    alone, viewed = (
        (predicted(X_test) == y_test).mean() for predicted in (model.target_only_predict, model.view_only_predict)
    )
    assert viewed != alone
    again = TransferClassifier.from_model(model.to_model())
    assert np.array_equal(again.view_only_predict(X_test), model.view_only_predict(X_test))


def test_what_no_label_bears_out_leaves_the_model_as_it_was(receiver: Split) -> None:
    digits = load_digits()
    X, y, X_test, _ = receiver
    shuffled = np.random.RandomState(3).permutation(digits.y_train[:900])
    release = CLASS_MOMENTS.release(
        digits.X_train[:900], shuffled, digits.schema, unit="record", epsilon=4.0, delta=1e-6, random_state=0
    )
    model = TransferClassifier([release], schema=digits.schema, evidence=False, random_state=0).fit(X, y)
    assert model.evidence_.weights == (0.0,)
    in_view = model.in_view_.scores(model.axes_(X_test), [])
    assert np.array_equal(model.decision_function(X_test), in_view)
    assert model.evidence_.truth == ()


def test_a_model_written_before_scores_were_pooled_predicts_by_the_joined_ones(
    digits_release: Release, receiver: Split
) -> None:
    X, y, X_test, _ = receiver
    model = TransferClassifier([digits_release], schema=load_digits().schema, evidence=False, random_state=0).fit(X, y)
    file = model.to_model()
    old = TransferClassifier.from_model(
        replace(file, arrays={name: array for name, array in file.arrays.items() if name != "pool"})
    )
    joined = model.joined_.scores(model.axes_(X_test), [source(X_test) for source in model.sources_])
    assert np.allclose(old.decision_function(X_test), joined)


def test_with_very_few_labels_no_rounds_are_played(receiver: Split) -> None:
    X, y, _, _ = receiver
    model = TransferClassifier(schema=load_digits().schema, random_state=0).fit(X, y)
    assert model.alone_.last is model.alone_.first
    assert model.alone_.weights[0] == 0
    more = TransferClassifier(schema=load_digits().schema, random_state=0).fit(X, few(load_digits().y_train[900:], 5))
    assert more.alone_.last is not more.alone_.first


def test_reconstructions_have_the_shape_of_the_rows(digits_release: Release, receiver: Split) -> None:
    X, y, X_test, _ = receiver
    model = TransferClassifier([digits_release], schema=load_digits().schema, random_state=0).fit(X, y)
    assert model.reconstruct_layers(X_test[:4]).shape[1:] == (4, 64)


def test_bad_input_is_refused(digits_release: Release, receiver: Split) -> None:
    X, y, _, _ = receiver
    schema = load_digits().schema
    with pytest.raises(InputError, match="at least two classes"):
        TransferClassifier([digits_release], schema=schema).fit(X, np.full(len(X), -1))
    with pytest.raises(InputError, match="encoded columns"):
        TransferClassifier([digits_release], schema=schema).fit(X[:, :10], y)
    with pytest.raises(InputError, match="class codes"):
        TransferClassifier([digits_release], schema=schema).fit(X, np.where(y == 0, 77, y))
    other = Schema((Numeric("a", (0, 1)), Label("b", ("left", "right"))))
    with pytest.raises(InputError, match="share at least two classes"):
        TransferClassifier([digits_release], schema=other).fit(X[:, :1], np.arange(len(X)) % 2)


def test_a_foreign_model_file_is_refused(digits_release: Release, receiver: Split) -> None:
    X, y, _, _ = receiver
    model = TransferClassifier([digits_release], schema=load_digits().schema, random_state=0).fit(X, y).to_model()
    broken = type(model)(model.kind, {"own_centre": model.arrays["own_centre"]}, model.settings, (), model.schema)
    with pytest.raises(ReleaseError, match="misses a part"):
        TransferClassifier.from_model(broken)
