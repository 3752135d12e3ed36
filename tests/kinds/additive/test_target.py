"""Releases that predict a number."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.arrays import FloatArray
from tacit.data.schemas.columns import Categorical, Label, Numeric, Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError, SchemaError
from tacit.kinds.additive import KIND
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.registry import default_kind
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable
from tacit.workflows.report import report_release

SCHEMA = Schema((Numeric("size", (0, 10)), Categorical("cut", ("fair", "good")), Target("price", (0, 200))))
NO_ROWS = np.zeros(0, np.intp)


def rows(n_rows: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(seed)
    size, good = random.random(n_rows), random.integers(0, 2, n_rows)
    price = 100 * size + 40 * good + random.normal(0, 10, n_rows)
    return np.column_stack([size, 1 - good, good]), np.clip(price, 0, 200)


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(*rows(6000), SCHEMA, epsilon=2.0, delta=1e-6, random_state=0)


def taught(release: Release, schema: Schema = SCHEMA) -> Lesson:
    X = np.zeros((3, len(schema.encoded_names)))
    return KIND.teach(release, ReceiverTable(schema, X, NO_ROWS, NO_ROWS))


def test_a_release_predicts_the_owners_target_with_its_spread(release: Release) -> None:
    predictions = taught(release).predictions
    assert predictions is not None
    X, price = rows(3000, 1)
    mean, spread = predictions(X)
    assert 1 - ((mean - price) ** 2).mean() / price.var() > 0.8
    assert 0.5 < np.sqrt((((price - mean) / spread) ** 2).mean()) < 1.3


def test_its_quality_has_no_class_shares(release: Release) -> None:
    quality = taught(release).quality
    assert quality is not None
    assert quality.class_shares is None
    assert 0.8 < quality.separation <= 1
    assert quality.separation_z > 5
    assert quality.size > 1000


def test_its_quality_is_said_in_a_sentence(release: Release) -> None:
    assert "of the target's variance explained" in KIND.quality_words(release)


def test_predictions_survive_the_receivers_file(release: Release) -> None:
    predictions = taught(release).predictions
    assert predictions is not None
    again = KIND.stored_predictions(*predictions.to_parts())
    X = rows(50, 2)[0]
    np.testing.assert_allclose(again(X), predictions(X))
    with pytest.raises(ReleaseError, match="classifier"):
        KIND.stored_scores(*predictions.to_parts())


def test_a_receiver_needs_only_some_of_the_columns(release: Release) -> None:
    ours = Schema((Numeric("size", (0, 20)), Label("kind", ("a", "b"))))
    predictions = taught(release, ours).predictions
    assert predictions is not None
    mean, _ = predictions(np.array([[0.05], [0.45]]))
    # From size 1 to size 9 of 10: 80; the cut that we lack counts with its mean.
    assert mean[1] - mean[0] == pytest.approx(80, abs=15)


def test_a_receiver_that_shares_no_column_gets_none(release: Release) -> None:
    lesson = taught(release, Schema((Numeric("height", (0, 3)),)))
    assert lesson.predictions is None
    assert "no column is shared" in lesson.note


def test_a_table_with_a_target_is_released_by_the_workflow(tmp_path: Path) -> None:
    X, price = rows(500)
    frame = pl.DataFrame({"size": 10 * X[:, 0], "cut": np.where(X[:, 2] > 0, "good", "fair"), "price": price})
    frame = frame.with_columns(price=pl.when(pl.col("size") < 0.2).then(None).otherwise(pl.col("price")))
    with pytest.warns(UserWarning, match="without a label left out"):
        made = tacit.release(frame, SCHEMA, epsilon=2.0, random_state=0, output=tmp_path / "price.tacit")
    assert made.kind == "additive"
    page = report_release(tacit.read_release(tmp_path / "price.tacit"))
    assert "share of the variance explained" in page


def test_a_target_takes_the_additive_kind_and_other_kinds_refuse_it() -> None:
    assert default_kind(SCHEMA) is KIND
    with pytest.raises(SchemaError, match="two classes"):
        CLASS_MOMENTS.plan(SCHEMA, unit="record", epsilon=1.0, delta=1e-6)


@pytest.mark.parametrize("broken", [[np.nan, 1.0], ["a", "b"], [1.0]])
def test_targets_that_are_no_finite_numbers_are_refused(broken: list[object]) -> None:
    with pytest.raises(InputError, match="a finite number for each"):
        KIND.release(rows(2)[0], np.array(broken), SCHEMA, epsilon=1.0, delta=1e-6)
