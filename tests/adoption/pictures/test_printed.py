from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tacit import Release, Schema
from tacit.adoption.pictures import printed
from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.printed import DIMENSIONS, LAYERS, _rank_matching, learn_printed
from tacit.data.public.datasets import load_digits
from tacit.data.public.splits import few_labels
from tacit.data.schemas.columns import Label, Numeric
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.models.membership.classifier import MembershipClassifier
from tacit.releases.file import read_model, write_model
from tacit.releases.lesson import ReceiverTable

OWNED = 400


def release(epsilon: float, classes: tuple[str, ...] | None = None) -> Release:
    digits = load_digits()
    schema = (
        digits.schema if classes is None else replace(digits.schema, columns=(*_features(), Label("digit", classes)))
    )
    wanted = np.isin(digits.y_train[:OWNED], np.arange(len(schema.classes)))
    X, y = digits.X_train[:OWNED][wanted], digits.y_train[:OWNED][wanted]
    return NOISY_ROWS.release(X, y, schema, unit="entry", epsilon=epsilon, delta=1e-9, random_state=0)


def _features() -> tuple[Numeric, ...]:
    return tuple(column for column in load_digits().schema.columns if isinstance(column, Numeric))


def receiver(schema: Schema | None = None, columns: int = 64) -> ReceiverTable:
    digits = load_digits()
    X = digits.X_train[900:1200, :columns]
    y = few_labels(digits.y_train[900:1200], per_class=5, random_state=0)
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


def test_the_source_is_algorithm_6_on_the_noisy_rows_themselves() -> None:
    noisy, table = release(5.0), receiver()
    model = learn_printed(noisy, table, random_state=0)
    handed_out = private_rows(noisy)
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    algorithm = MembershipClassifier(
        n_components=20, n_layers=5, part_size=1000, overlap=1, max_landmarks=0.5, random_state=seed
    ).fit(handed_out.rows, handed_out.codes)
    rows = table.X[:20].astype(np.float32)
    np.testing.assert_array_equal(model.source.reconstruction_errors(rows), algorithm.reconstruction_errors(rows))


def test_autoencoders_have_the_printed_layers_and_dimensions() -> None:
    model = learn_printed(release(5.0), receiver(), random_state=0)
    assert {len(part.layers) for parts in model.source.autoencoders_ for part in parts} == {LAYERS} == {5}
    assert {len(part.layers) for parts in model.target.autoencoders_ for part in parts} == {LAYERS}
    assert model.target.n_components == DIMENSIONS[-1] == 20


def test_classes_that_the_receiver_lacks_are_left_out_of_the_source() -> None:
    known = tuple(load_digits().classes[:4])
    model = learn_printed(release(50.0, known), receiver(), random_state=0)
    assert model.source.classes_.tolist() == [0, 1, 2, 3]


def test_other_widths_are_matched_by_rank() -> None:
    columns = (Numeric(f"x{k}", (0, 1)) for k in range(32))
    schema = Schema((*columns, Label("digit", load_digits().classes)))
    source, table = release(50.0), receiver(schema, columns=32)
    matched = _rank_matching(private_rows(source).rows, table.X)
    assert matched is not None
    assert matched.shape == (32, 64)
    assert np.allclose(matched @ matched.T, np.eye(32), atol=1e-6)
    assert learn_printed(source, table, random_state=0)(table.X, 10).shape == (len(table.X), 10)


@pytest.mark.parametrize("unit", ["entry", "record"])
def test_a_release_without_rows_is_refused_with_the_way_out(unit: str) -> None:
    digits = load_digits()
    moments = CLASS_MOMENTS.release(
        digits.X_train[:OWNED],
        digits.y_train[:OWNED],
        digits.schema,
        unit=unit,
        epsilon=1.0,
        delta=1e-9,
        random_state=0,
    )
    with pytest.raises(InputError, match=r"--method rows.*calibrated"):
        learn_printed(moments, receiver())


def test_a_printed_model_survives_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "LAYERS", 2)
    monkeypatch.setattr(printed, "DIMENSIONS", (5,))
    digits = load_digits()
    rows = slice(900, 1100)
    y = few_labels(digits.y_train[rows], per_class=5, random_state=0)
    model = TransferClassifier(
        [release(5.0)], schema=digits.schema, combine="paper", evidence=False, random_state=0
    ).fit(digits.X_train[rows], y)
    write_model(model.to_model(), tmp_path / "model.tacit")
    again = TransferClassifier.from_model(read_model(tmp_path / "model.tacit"))
    assert np.array_equal(again.predict(digits.X_test), model.predict(digits.X_test))
    assert (model.predict(digits.X_test) == digits.y_test).mean() > 0.5
