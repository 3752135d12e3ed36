"""Tables of a real PostgreSQL server, if one is named: the same release as from a file, no password in messages."""

import os
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.reading.databases import query_part
from tacit.data.reading.table_source import read_table
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError

# Such as postgresql://user:password@localhost:5432/test; tables are made there and dropped.
SERVER = os.environ.get("TACIT_POSTGRES", "")
SCHEMA = Schema((Numeric("age", (0, 100)), Categorical("ward", ("a", "b")), Label("ill", ("no", "yes"))))
needs_server = pytest.mark.skipif(not SERVER, reason="needs a PostgreSQL server: set TACIT_POSTGRES to its address")


def rows(n: int = 500) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    ward, ill = np.array(["a", "b"])[rng.integers(0, 2, n)], np.array(["no", "yes"])[rng.integers(0, 2, n)]
    return pl.DataFrame({"age": rng.integers(0, 101, n), "ward": ward, "ill": ill})


@pytest.fixture
def connection() -> Iterator[Any]:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(SERVER, autocommit=True) as opened:
        opened.execute("DROP TABLE IF EXISTS tacit_visits")
        opened.execute("CREATE TABLE tacit_visits (age numeric, ward text, ill text, seen date, kept boolean)")
        for place, row in enumerate(rows().iter_rows()):
            values = (*row, date(2024, 1, 1 + place % 28), place % 2 == 0)
            opened.execute("INSERT INTO tacit_visits VALUES (%s, %s, %s, %s, %s)", values)
        yield opened
        opened.execute("DROP TABLE tacit_visits")


@needs_server
@pytest.mark.usefixtures("connection")
def test_a_query_of_a_server_gives_the_same_release_as_a_file(tmp_path: Path) -> None:
    rows().write_parquet(tmp_path / "t.parquet")
    settings: dict[str, Any] = {"epsilon": 1.0, "method": "moments", "random_state": 0, "audit": False}
    from_file = tacit.release(tmp_path / "t.parquet", SCHEMA, **settings)
    from_server = tacit.release(f"{SERVER}?SELECT age, ward, ill FROM tacit_visits", SCHEMA, **settings)
    for name, array in from_file.arrays.items():
        assert np.array_equal(array, from_server.arrays[name])


@needs_server
@pytest.mark.usefixtures("connection")
def test_rows_come_in_batches_with_their_types() -> None:
    part = query_part(f"{SERVER}?SELECT * FROM tacit_visits")
    batches = list(part.batches({"age", "seen", "kept"}, 200))
    assert [batch.height for batch in batches] == [200, 200, 100]
    assert batches[0].columns == ["age", "seen", "kept"]
    first = batches[0].row(0)
    assert first == (Decimal(rows()["age"][0]), date(2024, 1, 1), True)


@needs_server
def test_a_bad_cell_of_a_server_is_named_by_its_row_and_charges_nothing(connection: Any, tmp_path: Path) -> None:
    connection.execute("UPDATE tacit_visits SET ward = 'Smith-4711' WHERE ward = 'b'")
    ledger = tacit.Ledger.create(tmp_path / "l.ledger", tacit.Budget(9, 1e-3, unit="record"))
    query = f"{SERVER}?SELECT age, ward, ill FROM tacit_visits"
    with pytest.raises(SchemaError, match=r"^postgresql .*: column 'ward', row \d+ ") as caught:
        tacit.release(query, SCHEMA, epsilon=1.0, method="moments", ledger=ledger, output=tmp_path / "r.tacit")
    assert "Smith" not in str(caught.value)
    assert not ledger.lines()
    assert not (tmp_path / "r.tacit").exists()


@needs_server
def test_a_query_that_fails_on_a_server_says_so_without_cells() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(InputError, match="the query failed"):
        read_table(f"{SERVER}?SELECT secret FROM nowhere")


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(InputError, match="cannot be opened") as caught:
        read_table("postgresql://owner:hush@localhost:1/clinic?SELECT 1")
    assert "hush" not in str(caught.value)
    assert "clinic" in str(caught.value)
