"""Write the folders of a few parties that share scikit-learn's digits, and a table of queries, to try the app with."""

import sys
from pathlib import Path

import numpy as np
import polars as pl

from tacit.data.public.datasets import ImageSet, load_digits
from tacit.data.schemas.file import format_schema
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger

EPSILON, DELTA = 1.0, 1e-9


def make_party(folder: Path, name: str, table: pl.DataFrame, schema: str) -> None:
    """Write one party's folder: table, schema, terms, and a ledger that one drawing of noise fills."""
    folder.mkdir(parents=True)
    table.write_csv(folder / "table.csv")
    (folder / "schema.toml").write_text(schema, encoding="utf-8")
    (folder / "party.toml").write_text(
        f'name = "{name}"\nepsilon = {EPSILON}\ndelta = {DELTA}\nhand_out = true\nrefit = true\n', encoding="utf-8"
    )
    Ledger.create(folder / "party.ledger", Budget(EPSILON, DELTA, unit="entry"), name=name)


def table_of(digits: ImageSet, X: np.ndarray, y: np.ndarray) -> pl.DataFrame:
    """Return pictures as a table with one column per pixel and the label."""
    pixels = pl.DataFrame(X, schema=[column.name for column in digits.schema.features])
    return pixels.with_columns(pl.Series("label", np.asarray(digits.classes)[y]))


def make_all(folder: Path, parties: int) -> None:
    """Deal the training digits out to ``parties`` folders and write the test digits as queries."""
    digits = load_digits()
    schema = format_schema(digits.schema)
    for party in range(parties):
        X, y = digits.X_train[party::parties], digits.y_train[party::parties]
        make_party(folder / f"party-{party}", f"clinic {party}", table_of(digits, X, y), schema)
    (folder / "schema.toml").write_text(schema, encoding="utf-8")
    table_of(digits, digits.X_test, digits.y_test).write_csv(folder / "queries.csv")


if __name__ == "__main__":
    make_all(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2)
