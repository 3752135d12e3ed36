"""Laws of data frames: every estimator takes those of three libraries, names in and names out, and quotes no cell."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import tacit
from tacit.adoption.tables.adopted_classifier import AdoptedClassifier
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.models.schema_rows import SchemaEncoder

pa = pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
SIDE = RNG.integers(0, 2, 160)
NUMBERS = {"age": np.clip(0.25 + 0.5 * SIDE + 0.1 * RNG.normal(size=160), 0, 1), "dose": RNG.random(160)}
NAMES = np.array(["healthy", "ill"])[SIDE]
LIBRARIES: dict[str, Callable[[Any], Any]] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
BOUNDED: Any = {"epsilon": 50.0, "bounds": (0.0, 1.0), "random_state": 0}
CLASSIFIERS = [
    tacit.AffineHullClassifier(),
    tacit.AveragedTransfer(evidence=False, random_state=0),
    tacit.FeatureSplitClassifier(**BOUNDED, split=2),
    tacit.HypothesisTransfer(**BOUNDED),
    tacit.MembershipClassifier(random_state=0),
    tacit.MetricNeighbours(),
    tacit.PrivateAdditiveClassifier(**BOUNDED),
    tacit.PrivateAutoencoderClassifier(**BOUNDED, hidden=(2,)),
    tacit.PrivateLogisticRegression(**BOUNDED),
    tacit.PrivateNearestMean(**BOUNDED),
    tacit.TransferClassifier(random_state=0),
]
REGRESSORS = [
    tacit.PrivateAdditiveRegressor(**BOUNDED, target_bounds=(0, 1)),
    tacit.PrivateLinearRegression(**BOUNDED, target_bounds=(0, 1)),
    tacit.MembershipMapping(random_state=0),
]
TRANSFORMERS = [
    tacit.AffineHull(),
    tacit.MembershipAutoencoder(random_state=0),
    tacit.PairMetric(**BOUNDED),
    tacit.PrivateAutoencoder(**BOUNDED, hidden=(2,)),
]
# Those that learn from rows without a label too.
PARTIAL = [each for each in CLASSIFIERS if "Transfer" in type(each).__name__ or "Neighbours" in type(each).__name__]
PARTIAL = [each for each in PARTIAL if not isinstance(each, tacit.HypothesisTransfer)]
PARTIAL += [tacit.PrivateAutoencoderClassifier(**BOUNDED, hidden=(2,)), AdoptedClassifier(evidence=False)]


def named(estimators: list[Any]) -> Any:
    return pytest.mark.parametrize("estimator", estimators, ids=lambda each: type(each).__name__)


frames = pytest.mark.parametrize("frame", LIBRARIES.values(), ids=LIBRARIES.keys())


@frames
@named(CLASSIFIERS)
def test_class_names_go_in_and_come_out_and_columns_keep_theirs(estimator: Any, frame: Callable[[Any], Any]) -> None:
    model = clone(estimator).fit(frame(NUMBERS), NAMES)
    assert model.feature_names_in_.tolist() == ["age", "dose"]
    assert model.classes_.tolist() == ["healthy", "ill"]
    predicted = model.predict(frame(NUMBERS))
    assert (predicted == NAMES).mean() > 0.9


@frames
@named(REGRESSORS)
def test_regressors_take_frames(estimator: Any, frame: Callable[[Any], Any]) -> None:
    model = clone(estimator).fit(frame(NUMBERS), NUMBERS["age"])
    assert model.feature_names_in_.tolist() == ["age", "dose"]
    assert model.predict(frame(NUMBERS)).shape == (160,)


@named(TRANSFORMERS)
def test_transformers_give_frames_back_when_asked(estimator: Any) -> None:
    rows = pd.DataFrame(NUMBERS, index=range(5, 165))
    model = clone(estimator).set_output(transform="pandas").fit(rows, SIDE)
    transformed = model.transform(rows)
    assert transformed.index.tolist() == rows.index.tolist()
    assert list(transformed.columns) == list(model.get_feature_names_out())


@named([*CLASSIFIERS, *REGRESSORS, *TRANSFORMERS])
def test_a_text_among_numbers_is_refused_by_its_column_and_not_quoted(estimator: Any) -> None:
    for rows in (pd.DataFrame(NUMBERS), pl.DataFrame(NUMBERS).to_pandas(use_pyarrow_extension_array=False)):
        bad = rows.astype(object)
        bad.loc[3, "dose"] = "4711 secret"
        with pytest.raises(InputError, match=r"column 'dose' holds text") as caught:
            clone(estimator).fit(bad, SIDE)
        assert "4711" not in str(caught.value)
        with pytest.raises(InputError, match="column 1 holds text"):
            clone(estimator).fit(bad.to_numpy(), SIDE)


def first_names(blank: Any) -> Any:
    """Return the names of the first twenty rows, and ``blank`` for all others."""
    return np.array([*NAMES[:20].tolist(), *[blank] * 140], dtype=object)


MISSING = [
    first_names(None),
    first_names(" ").astype(str),
    pd.Series(first_names(np.nan)),
    pd.Categorical(first_names(None)),
    pl.Series([*NAMES[:20].tolist(), *[None] * 140]),
    pa.chunked_array([[*NAMES[:20].tolist(), *[None] * 140]]),
]


@pytest.mark.parametrize("y", MISSING, ids=["None", "blank", "NaN", "categorical", "polars", "pyarrow"])
@named(PARTIAL)
def test_rows_without_a_label_are_none_nan_or_blank(estimator: Any, y: Any) -> None:
    model = clone(estimator).fit(pd.DataFrame(NUMBERS), y)
    assert model.classes_.tolist() == ["healthy", "ill"]
    assert (model.predict(pd.DataFrame(NUMBERS)) == NAMES).mean() > 0.8


@named([each for each in PARTIAL if not isinstance(each, tacit.PrivateAutoencoderClassifier)])
def test_minus_one_marks_a_row_without_a_label_unless_the_only_other_is_one(estimator: Any) -> None:
    few = np.where(np.arange(160) < 20, SIDE, -1)
    assert clone(estimator).fit(pd.DataFrame(NUMBERS), few).classes_.tolist() == [0, 1]
    with pytest.warns(UserWarning, match="taken for two classes"):
        model = clone(estimator).fit(pd.DataFrame(NUMBERS), 2 * SIDE - 1)
    assert model.classes_.tolist() == [-1, 1]


@named([each for each in CLASSIFIERS if not any(type(each) is type(other) for other in PARTIAL)])
def test_learners_of_labels_alone_refuse_rows_without_one(estimator: Any) -> None:
    with pytest.raises(InputError, match="label for every row"):
        clone(estimator).fit(pd.DataFrame(NUMBERS), MISSING[0])


SCHEMA = Schema((Numeric("age", (0, 1)), Categorical("sex", ("f", "m")), Label("state", ("healthy", "ill"))))
MIXED = {"age": NUMBERS["age"], "sex": np.array(["f", "m"])[RNG.integers(0, 2, 160)]}


@frames
@pytest.mark.parametrize("receiver", [tacit.AveragedTransfer, tacit.TransferClassifier, tacit.MetricNeighbours])
def test_with_a_schema_frames_are_encoded_and_classes_have_names(receiver: Any, frame: Callable[[Any], Any]) -> None:
    model = receiver(schema=SCHEMA).fit(frame(MIXED), first_names(None))
    assert model.feature_names_in_.tolist() == ["age", "sex"]
    assert model.classes_.tolist() == ["healthy", "ill"]
    by_frame = model.predict(frame(MIXED))
    by_rows = model.predict(tacit.encode(frame(MIXED), SCHEMA).X)
    assert (by_frame == by_rows).all()
    assert (by_frame == NAMES).mean() > 0.8
    kept = receiver.from_model(model.to_model())
    assert (np.array(SCHEMA.classes)[kept.predict(frame(MIXED))] == by_frame).all()


def test_a_name_that_is_no_class_of_the_schema_is_refused_and_not_quoted() -> None:
    with pytest.raises(InputError, match="names of the 2 classes") as caught:
        tacit.AveragedTransfer(schema=SCHEMA).fit(pd.DataFrame(MIXED), np.where(SIDE == 0, "secret", NAMES))
    assert "secret" not in str(caught.value)
    with pytest.raises(SchemaError, match="lacks 'sex'"):
        tacit.AveragedTransfer(schema=SCHEMA).fit(pd.DataFrame({"age": MIXED["age"]}), NAMES)


@frames
def test_frames_are_encoded_alike_by_function_and_step(frame: Callable[[Any], Any]) -> None:
    encoded = tacit.encode(frame(MIXED), SCHEMA)
    assert encoded.names == ("age", "sex = f", "sex = m")
    assert np.array_equal(SchemaEncoder(SCHEMA).fit_transform(frame(MIXED)), encoded.X)


def test_the_step_names_its_columns_and_learns_nothing() -> None:
    step = SchemaEncoder(SCHEMA).set_output(transform="pandas").fit(pd.DataFrame(MIXED))
    other: Any = step.transform(pd.DataFrame({"age": [9.0], "sex": ["m"]}, index=[7]))
    assert other.to_dict("index") == {7: {"age": 1.0, "sex = f": 0.0, "sex = m": 1.0}}


def test_pipelines_column_transformers_and_searches_work_on_frames() -> None:
    columns = ColumnTransformer([("age", "passthrough", ["age"]), ("sex", OneHotEncoder(), ["sex"])])
    models = [
        make_pipeline(SchemaEncoder(SCHEMA), tacit.PrivateLogisticRegression(**BOUNDED)),
        make_pipeline(columns, tacit.AffineHullClassifier()),
        GridSearchCV(tacit.MetricNeighbours(schema=SCHEMA), {"n_neighbors": [1, 5]}, cv=2),
    ]
    for model in models:
        assert model.fit(pd.DataFrame(MIXED), NAMES).score(pd.DataFrame(MIXED), NAMES) > 0.9


def test_columns_are_inferred_in_frames_of_any_library() -> None:
    cells = NAMES.astype(object)
    cells[::4] = None
    for frame in (pd.DataFrame({**MIXED, "state": cells}), pl.DataFrame({**MIXED, "state": cells.tolist()})):
        inferred = tacit.infer_column(frame, SCHEMA, "state", learner="logistic")
        assert (inferred.answers().to_numpy() == NAMES[::4]).mean() > 0.8
