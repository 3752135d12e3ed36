"""Small stand-ins for the public data sets, so that each table of ``tacit reproduce`` runs in seconds."""

from collections.abc import Callable, Iterable, Sequence
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from tacit.arrays import Float32Array, IntArray
from tacit.data.public import datasets
from tacit.data.public import schemas as public_schemas
from tacit.data.public.datasets import ImageSet, TableSet
from tacit.data.schemas.columns import Categorical, Feature
from tacit.experiments.results import ResultRow

SCHEMAS = {
    "adult": public_schemas.adult_schema,
    "bank": public_schemas.bank_schema,
    "heart": public_schemas.heart_schema,
}
# Metrics that lie in [0, 1].
SHARES = ("accuracy", "ROC AUC", "share of pairs", "answered")


@pytest.fixture
def shrink(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replace constants and loaders of a module for one test; a name that the module lacks is an error."""

    def replace(module: ModuleType, **constants: object) -> None:
        for name, value in constants.items():
            monkeypatch.setattr(module, name, value)

    return replace


@pytest.fixture
def digits() -> Callable[..., ImageSet]:
    """Return what enlarges scikit-learn's digits to pictures of other sizes."""
    return enlarged_digits


@pytest.fixture
def invented() -> Callable[..., TableSet]:
    """Return what invents rows of the public schemas of Adult, Bank and the heart centres."""
    return invented_table


@pytest.fixture
def checked() -> Callable[[Iterable[ResultRow]], list[ResultRow]]:
    """Return what runs a table and checks what holds for every table."""
    return checked_rows


def checked_rows(rows: Iterable[ResultRow]) -> list[ResultRow]:
    table = list(rows)
    assert table, "a table without rows"
    by_key: dict[tuple[str, str, str], ResultRow] = {}
    for row in table:
        assert row.method.strip()
        assert row.setting.strip()
        assert row.runs >= 1
        assert row.std >= 0
        assert row.runs > 1 or row.std == 0
        assert by_key.setdefault((row.method, row.setting, row.metric), row) == row, "one figure stated twice, unlike"
        if row.metric.startswith(SHARES) and "gained" not in row.metric:
            assert 0 <= row.mean <= 1, row
        assert isinstance(row.to_dict()["mean"], float)
    return table


def enlarged_digits(side: int, n_train: int = 600, n_test: int = 300) -> ImageSet:
    """Return scikit-learn's digits as pictures of ``side`` x ``side`` pixels, with a margin where 8 does not divide."""
    small = datasets.load_digits()
    train, test = (_enlarged(X, side) for X in (small.X_train[:n_train], small.X_test[:n_test]))
    y_train, y_test = small.y_train[:n_train], small.y_test[:n_test]
    return ImageSet(f"digits of {side} pixels", train, y_train, test, y_test, (side, side), small.classes)


def _enlarged(X: Float32Array, side: int) -> Float32Array:
    factor = side // 8
    pixels = np.kron(X.reshape(-1, 8, 8), np.ones((factor, factor), dtype=np.float32))
    margin = (side - 8 * factor) // 2
    padded = np.pad(pixels, ((0, 0), (margin, margin), (margin, margin)))
    return np.asarray(padded.reshape(len(X), -1), dtype=np.float32)


def invented_table(
    name: str, n_rows: int, *, seed: int = 0, signal: float = 0.15, **columns: Sequence[str]
) -> TableSet:
    """Return rows of a public schema in which a share ``signal`` of each column follows the label.

    ``columns`` are given as they are; an underscore in a name stands for a hyphen.
    """
    schema, rng = SCHEMAS[name](), np.random.default_rng(seed)
    assert schema.label is not None
    y = rng.permutation(np.arange(n_rows) % 2)
    codes = ("0", "1") if name == "heart" else schema.classes
    cells = {column.name: _cells(column, y, signal, rng) for column in schema.features}
    cells[schema.label.name] = [codes[code] for code in y]
    cells |= {key.replace("_", "-"): list(values) for key, values in columns.items()}
    ignored = {column.name: [""] * n_rows for column in schema.columns if column.name not in cells}
    return TableSet(name, pl.DataFrame(cells | ignored), schema)


def _cells(column: Feature, y: IntArray, signal: float, rng: np.random.Generator) -> list[str]:
    if isinstance(column, Categorical):
        size = len(column.categories)
        follows = rng.random(len(y)) < signal
        places = np.where(follows, y % size, rng.integers(0, size, len(y)))
        return [column.categories[place] for place in places]
    share = np.clip(0.5 + signal * (y - 0.5) + rng.normal(0, 0.15, len(y)), 0, 1)
    return [f"{value:.0f}" for value in column.low + share * (column.high - column.low)]
