from pathlib import Path

import numpy as np
import pytest

from tacit import Release, Schema
from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.printed import _rank_matching, _source_rows, learn_printed
from tacit.data.public.datasets import load_digits
from tacit.data.public.splits import few_labels
from tacit.data.schemas.columns import Label, Numeric
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.releases.file import read_model, write_model
from tacit.releases.lesson import ReceiverTable


def release(epsilon: float, unit: str = "entry") -> Release:
    digits = load_digits()
    return CLASS_MOMENTS.release(
        digits.X_train[:900],
        digits.y_train[:900],
        digits.schema,
        unit=unit,
        epsilon=epsilon,
        delta=1e-9,
        random_state=0,
    )


def receiver(schema: Schema | None = None, columns: int = 64) -> ReceiverTable:
    digits = load_digits()
    X = digits.X_train[900:, :columns]
    y = few_labels(digits.y_train[900:], per_class=5, random_state=0)
    labelled = np.flatnonzero(y >= 0)
    return ReceiverTable(schema or digits.schema, X, labelled, y[labelled])


def test_the_best_of_three_reconstructions_names_the_class() -> None:
    table = receiver()
    model = learn_printed(release(50.0), table, random_state=0)
    rows = table.X[:5].astype(np.float32)
    scores = model(rows, 10)
    for row, given in zip(rows, scores, strict=True):
        for code in range(10):
            seen = model.source.reconstruct(row[None], code)
            images = [seen[0], model.bridge.predict(seen)[0], model.target.reconstruct(row[None], code)[0]]
            assert given[code] == pytest.approx(
                -min(((row - image) ** 2).sum() for image in images), rel=1e-3, abs=1e-5
            )


def test_noise_puts_the_source_on_another_scale_so_that_the_target_decides() -> None:
    table = receiver()
    model = learn_printed(release(0.1), table, random_state=0)
    own = model.target.reconstruction_errors(table.X.astype(np.float32))
    assert np.mean(model(table.X, 10).argmax(axis=1) == own.argmin(axis=1)) > 0.95


def test_drawn_rows_have_the_released_moments() -> None:
    arrays = {
        "means": np.array([[0.0, 1.0], [2.0, 3.0]]),
        "counts": np.array([5000.0, 1.0]),
        "covariances": np.stack([np.diag([4.0, 1.0]), np.eye(2)]).astype(np.float32),
        "noise": np.array([2.0, 2.0]),
    }
    rows, labels = _source_rows(arrays, {1: 0}, np.random.RandomState(0))
    assert set(labels) == {1}
    assert rows.mean(axis=0) == pytest.approx([0, 1], abs=0.25)
    assert rows.var(axis=0) == pytest.approx([6, 3], rel=0.15)


def test_other_widths_are_matched_by_rank() -> None:
    columns = (Numeric(f"x{k}", (0, 1)) for k in range(32))
    schema = Schema((*columns, Label("digit", load_digits().classes)))
    source, table = release(50.0), receiver(schema, columns=32)
    matched = _rank_matching(source.arrays, table.X)
    assert matched is not None
    assert matched.shape == (32, 64)
    assert np.allclose(matched @ matched.T, np.eye(32), atol=1e-6)
    assert learn_printed(source, table, random_state=0)(table.X, 10).shape == (len(table.X), 10)


def test_a_record_level_release_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match="calibrated"):
        learn_printed(release(1.0, "record"), receiver())


def test_a_printed_model_survives_its_file(tmp_path: Path) -> None:
    digits = load_digits()
    y = few_labels(digits.y_train[900:], per_class=5, random_state=0)
    model = TransferClassifier([release(5.0)], schema=digits.schema, combine="paper", random_state=0)
    model.fit(digits.X_train[900:], y)
    write_model(model.to_model(), tmp_path / "model.tacit")
    again = TransferClassifier.from_model(read_model(tmp_path / "model.tacit"))
    assert np.array_equal(again.predict(digits.X_test), model.predict(digits.X_test))
    assert (model.predict(digits.X_test) == digits.y_test).mean() > 0.5
