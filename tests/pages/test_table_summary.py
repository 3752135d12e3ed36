"""Class means of the receiver and previews of its releases: computed, stored, and laid side by side."""

import tracemalloc
from dataclasses import replace

import numpy as np

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.pages.class_means import classes_side_by_side
from tacit.pages.table_summary import stored_summary, summarise_table, with_summary
from tacit.releases.file import Model, Release


def table_schema(names: str, classes: tuple[str, ...] = ("no", "yes"), high: float = 1.0) -> Schema:
    return Schema((*(Numeric(name, (0, high)) for name in names), Label("ill", classes)))


def rows(schema: Schema, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    y = np.arange(n) % len(schema.classes)
    centres = generator.uniform(0.2, 0.8, (len(schema.classes), len(schema.encoded_names)))
    return np.clip(generator.normal(centres[y], 0.05), 0, 1), y


def released(schema: Schema, unit: str = "record", **settings: object) -> Release:
    X, y = rows(schema, 300)
    return CLASS_MOMENTS.release(X, y, schema, unit=unit, epsilon=1, delta=1e-6, **settings)  # type: ignore[arg-type]


def test_released_means_are_laid_beside_the_receivers_in_the_same_units() -> None:
    owner, ours = table_schema("ab", high=2.0), table_schema("b", high=1.0)
    release = released(owner, "entry")
    means = release.arrays["means"] * 0 + 0.25
    release = replace(release, arrays={**release.arrays, "means": means})
    summary = summarise_table(np.full((4, 1), 0.5), [0, 1, -1, -1], [0, 1, 0, 1], 2, [release])
    preview = summary.previews[0]
    assert preview is not None
    # 0.25 of [0, 2] is 0.5 of [0, 1].
    assert "as released 0.50, your labelled rows 0.50" in classes_side_by_side(preview, summary, ours)


def test_means_of_a_large_class_copy_no_rows() -> None:
    X = np.random.default_rng(0).random((20_000, 30))
    tracemalloc.start()
    try:
        summarise_table(X, np.zeros(len(X), dtype=int), np.zeros(len(X), dtype=int), 2, [])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 8


def test_a_summary_holds_means_and_survive_the_model_file() -> None:
    release = released(table_schema("abc"))
    X, y = rows(table_schema("bcd"), 40)
    labels = np.where(np.arange(40) < 10, y, -1)
    summary = summarise_table(X, labels, y, 2, [release])
    assert np.allclose(summary.labelled[1], X[:10][y[:10] == 1].mean(axis=0))
    assert np.allclose(summary.predicted[0], X[y == 0].mean(axis=0))
    model = with_summary(Model("m", {"w": np.zeros(2)}, {"s": 1}), summary)
    again = stored_summary(model)
    assert again is not None
    assert np.array_equal(again.predicted, summary.predicted)
    assert again.previews[0] is not None
    assert summary.previews[0] is not None
    assert again.previews[0].to_dict() == summary.previews[0].to_dict()
    assert model.settings["s"] == 1
    assert stored_summary(Model("m", {"w": np.zeros(2)}, {})) is None
