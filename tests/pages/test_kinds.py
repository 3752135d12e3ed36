"""The sections of each kind of release, and the generic page of a kind without any."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.linear import KIND as LINEAR
from tacit.kinds.marginals import KIND as MARGINALS
from tacit.kinds.pair_metric import KIND as PAIR_METRIC
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.models.linear.release import read_scores
from tacit.pages.kinds import MOST_WEIGHTS, SECTIONS
from tacit.pages.release_page import release_page
from tacit.releases.file import Release

SCHEMA = Schema(
    (Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Numeric("dose", (0, 1)), Label("ill", ("no", "yes")))
)
THREE = replace(SCHEMA, columns=(*SCHEMA.features, Label("state", ("well", "ill", "worse"))))


def rows(schema: Schema, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    y = np.arange(n) % len(schema.classes)
    X = np.clip(generator.normal(0.3 + 0.2 * y[:, None], 0.1, (n, len(schema.encoded_names))), 0, 1)
    X[:, 2] = 1 - y / y.max()
    return X, y


def linear(schema: Schema = SCHEMA) -> Release:
    return LINEAR.release(*rows(schema), schema, unit="record", epsilon=20, delta=0.0, random_state=0)


def headings(page: str) -> list[str]:
    return re.findall("<h2>(.*?)</h2>", page)


def moments(unit: str) -> Release:
    return CLASS_MOMENTS.release(*rows(SCHEMA), SCHEMA, unit=unit, epsilon=1, delta=1e-6)


def metric() -> Release:
    return PAIR_METRIC.release(*rows(SCHEMA), SCHEMA, unit="pair", epsilon=1, delta=1e-6)


def tables(table: tuple[np.ndarray, np.ndarray], epsilon: float = 5) -> Release:
    return MARGINALS.release(*table, SCHEMA, epsilon=epsilon, delta=1e-6, random_state=0)


def test_the_page_of_tables_lists_impossible_combinations() -> None:
    y = np.arange(4000) % 2
    age = np.where(y == 1, 0.9, 0.1)
    X = np.column_stack([age, np.eye(2)[y], np.linspace(0, 1, 4000)])
    page = release_page(tables((X, y)))
    assert "Impossible combinations" in headings(page)
    assert "with sex" in page


@pytest.mark.parametrize(
    ("make", "sections"),
    [
        (partial(moments, "record"), ["Noise", "Classes"]),
        (partial(moments, "entry"), ["Noise", "Classes"]),
        (linear, ["Weights"]),
        (metric, ["Metric"]),
        (lambda: tables(rows(SCHEMA, 60), epsilon=0.5), ["Tables"]),
    ],
)
def test_a_page_has_the_sections_of_its_kind_between_guarantee_and_columns(
    make: Callable[[], Release], sections: list[str]
) -> None:
    release = make()
    assert release.kind in SECTIONS
    assert headings(release_page(release)) == ["Guarantee", "Card", *sections, "Columns", "Signature"]


def test_a_kind_without_an_entry_gets_the_guarantee_and_the_columns() -> None:
    release = replace(linear(), kind="something_new")
    assert headings(release_page(release)) == ["Guarantee", "Card", "Columns", "Signature"]


def test_a_release_without_a_schema_gets_the_guarantee_alone() -> None:
    X, y = rows(SCHEMA)
    release = PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1]).fit(X, y).release()
    assert release.schema is None
    assert headings(release_page(release)) == ["Guarantee", "Card", "Signature"]


def test_the_linear_page_shows_the_released_weight_of_each_column() -> None:
    release = linear()
    page, weights = release_page(release), read_scores(release).weights[0]
    shown = dict(re.findall(r'aria-label="([^":]+): weight ([+−][^"]+)"', page))
    assert set(shown) == set(SCHEMA.encoded_names)
    for name, weight in zip(SCHEMA.encoded_names, weights, strict=True):
        assert float(shown[name].replace("−", "-")) == pytest.approx(weight, rel=0.01)
    assert "yes rather than no" in page
    # Rows of the second class have higher ages and doses.
    assert shown["age"].startswith("+")


def test_of_more_than_two_classes_each_has_its_weights_and_of_many_columns_the_largest_are_shown() -> None:
    wide = Schema((*(Numeric(f"c{k}", (0, 1)) for k in range(20)), Label("state", THREE.classes)))
    page = release_page(linear(wide))
    assert re.findall("<h3>(.*?)</h3>", page)[1:] == ["well", "ill", "worse"]
    assert page.count(": weight ") == 3 * MOST_WEIGHTS
    assert "the 12 largest of 20" in page


def test_a_linear_release_without_a_schema_numbers_its_columns() -> None:
    page = release_page(replace(linear(), schema=None))
    assert headings(page) == ["Guarantee", "Card", "Weights", "Signature"]
    assert "column 4" in page


def test_a_linear_release_whose_schema_has_other_columns_is_refused() -> None:
    other = Schema((Numeric("age", (0, 100)), Label("ill", ("no", "yes"))))
    with pytest.raises(ReleaseError, match="differ in their columns"):
        release_page(replace(linear(), schema=other.to_dict()))
