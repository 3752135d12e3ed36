"""The same bytes for any batch size, order of rows, division into files and format; bad input charges nothing."""

import hashlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit import Budget, Ledger, fabricate, release
from tacit.data.rows.encoding import encode
from tacit.data.rows.facts import RowFacts
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric, Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.releases.file import Release
from tacit.workflows.tables import Table

N = 3000
SCHEMA = Schema(
    (
        Numeric("age", (18, 90)),
        Numeric("dose", (0, 1), missing="flag"),
        Categorical("ward", ("a", "b", "c"), missing="category"),
        Label("ill", ("no", "yes")),
    )
)


def frame(n: int = N, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    dose = pl.Series(rng.random(n).round(3)).set(pl.Series(rng.random(n) < 0.1), None)
    ward = pl.Series([("a", "b", "c", None)[code] for code in rng.integers(0, 4, n)])
    ill = pl.Series([("no", "yes")[code] for code in (rng.random(n) < 0.05).astype(int)])  # 95 % of one class
    return pl.DataFrame({"age": rng.integers(10, 100, n), "dose": dose, "ward": ward, "ill": ill})


def digest(made: Release) -> str:
    content = hashlib.sha256()
    for name in sorted(made.arrays):
        content.update(name.encode() + made.arrays[name].tobytes())
    return content.hexdigest()


def released(table: Table, method: str, **options: object) -> str:
    return digest(release(table, SCHEMA, epsilon=1.0, method=method, random_state=7, audit=False, **options))  # type: ignore[arg-type]


@pytest.fixture
def batch_size(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    from tacit.data.rows import stream as row_stream
    from tacit.data.rows.held import hold_here

    def set_size(size: int) -> None:
        defaults = (size, row_stream.one_by_one, hold_here, False, None)
        monkeypatch.setattr(row_stream.SourceRows.__init__, "__defaults__", defaults)

    return set_size


def tables(folder: Path, table: pl.DataFrame) -> Iterator[tuple[str, Table]]:
    table.write_parquet(folder / "t.parquet", row_group_size=700)
    table.write_csv(folder / "t.csv")
    yield "parquet", folder / "t.parquet"
    yield "csv", folder / "t.csv"
    (folder / "parts").mkdir()
    for place, part in enumerate(table.iter_slices(-(-table.height // 64))):
        part.write_parquet(folder / "parts" / f"{place:02d}.parquet")
    yield "64 files", folder / "parts"
    yield "shuffled", table.sample(fraction=1, shuffle=True, seed=3)
    yield "encoded", encode(table, SCHEMA)


@pytest.mark.parametrize("method", ["moments", "marginals", "additive"])
def test_every_form_of_a_table_gives_the_same_bytes(
    tmp_path: Path, method: str, batch_size: Callable[[int], None]
) -> None:
    table = frame()
    expected = released(table, method)
    for name, form in tables(tmp_path, table):
        assert released(form, method) == expected, name
    for size in (1000, 10**6):
        batch_size(size)
        assert released(tmp_path / "t.parquet", method) == expected, size


def test_truth_values_give_the_same_bytes_from_csv_and_parquet(tmp_path: Path) -> None:
    rules = Schema(
        (Numeric("age", (18, 90)), Categorical("smoker", ("true", "false")), Label("ill", ("false", "true")))
    )
    table = frame().select("age", smoker=pl.col("age") > 40, ill=pl.col("ill") == "yes")
    table.write_parquet(tmp_path / "t.parquet")
    table.write_csv(tmp_path / "t.csv")
    words = table.with_columns(pl.col("smoker", "ill").cast(pl.String).str.to_titlecase())  # as pandas writes them
    words.write_csv(tmp_path / "words.csv")
    digests = [
        digest(release(tmp_path / name, rules, epsilon=1.0, method="moments", random_state=7, audit=False))
        for name in ("t.parquet", "t.csv", "words.csv")
    ]
    assert digests[0] == digests[1] == digests[2]


def test_more_rows_than_sums_have_room_for_are_refused_before_the_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(9, 1e-3, unit="record"), allow=["no-guarantee"])
    monkeypatch.setattr("tacit.data.rows.stream.row_facts", lambda *_: RowFacts(2**40 + 1))
    with pytest.raises(InputError, match=r"at most 2\^40 rows"):
        released(frame(), "moments", ledger=ledger)
    assert not ledger.lines()


def fabricated(table: Table, method: str) -> str:
    made = fabricate(table, SCHEMA, epsilon=1.0, method=method, random_state=7, audit=False, rows=500)
    return hashlib.sha256(made.X.tobytes() + made.y.tobytes()).hexdigest()


@pytest.mark.parametrize("method", ["moments", "marginals"])
def test_every_form_of_a_table_gives_the_same_invented_rows(
    tmp_path: Path, method: str, batch_size: Callable[[int], None]
) -> None:
    table = frame()
    expected = fabricated(table, method)
    for name, form in tables(tmp_path, table):
        assert fabricated(form, method) == expected, name
    for size in (1000, 10**6):
        batch_size(size)
        assert fabricated(tmp_path / "t.parquet", method) == expected, size


def test_batches_of_one_row_give_the_same_bytes(tmp_path: Path, batch_size: Callable[[int], None]) -> None:
    table = frame(200)
    expected = released(table, "moments"), fabricated(table, "moments")
    batch_size(1)
    for _, form in tables(tmp_path, table):
        assert (released(form, "moments"), fabricated(form, "moments")) == expected


@pytest.mark.parametrize("method", ["marginals", "additive"])
def test_batches_of_one_row_give_the_same_tables_and_curves(batch_size: Callable[[int], None], method: str) -> None:
    table = frame(200)
    expected = released(table, method)
    batch_size(1)
    assert released(table, method) == expected


def test_every_form_of_a_table_gives_the_same_curves_of_a_number(
    tmp_path: Path, batch_size: Callable[[int], None]
) -> None:
    """Targets are moved to their bounds and summed: means, gradients and the moments of the check."""
    rules = Schema((*SCHEMA.columns[:-1], Ignored("ill"), Target("cost", (0, 50))))
    table = frame(400).with_columns(cost=pl.col("age") * 0.7)

    def curves(form: Table) -> str:
        return digest(release(form, rules, epsilon=4.0, method="additive", random_state=7, audit=False))

    table.write_parquet(tmp_path / "t.parquet")
    expected = curves(table)
    assert curves(table.sample(fraction=1, shuffle=True, seed=3)) == expected
    for size in (1, 64):
        batch_size(size)
        assert curves(tmp_path / "t.parquet") == expected, size


def test_entry_noise_hangs_on_the_place_in_the_table_alone(tmp_path: Path, batch_size: Callable[[int], None]) -> None:
    table = frame(9000)
    expected = released(table, "moments", unit="entry")
    table.write_parquet(tmp_path / "t.parquet")
    for size in (100, 4096, 10**6):
        batch_size(size)
        assert released(tmp_path / "t.parquet", "moments", unit="entry") == expected
    # The noise is each row's own: in another order it falls on other rows.
    assert released(table.reverse(), "moments", unit="entry") != expected


def test_bad_input_in_the_middle_names_file_and_row_and_charges_nothing(
    tmp_path: Path, batch_size: Callable[[int], None]
) -> None:
    batch_size(500)
    folder, ledger = tmp_path / "parts", Ledger.create(tmp_path / "x.ledger", Budget(9, 1e-3, unit="record"))
    folder.mkdir()
    table = frame().with_columns(pl.col("age").cast(pl.String))
    for place, part in enumerate(table.iter_slices(1000)):
        cells = part["age"].to_list()
        if place == 1:
            cells[876] = "Smith-4711"
        part.with_columns(pl.Series("age", cells)).write_csv(folder / f"{place}.csv")
    with pytest.raises(SchemaError, match=r"^1\.csv: column 'age', row 877 .*is no finite number") as caught:
        release(folder, SCHEMA, epsilon=1, method="moments", ledger=ledger, output=tmp_path / "x.tacit")
    assert "Smith" not in str(caught.value)
    assert not ledger.lines()
    with pytest.raises(SchemaError, match=r"^1\.csv: column 'age', row 877 "):
        fabricate(folder, SCHEMA, epsilon=1, method="moments", ledger=ledger, output=tmp_path / "x.csv")
    assert not ledger.lines()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts", "x.ledger"]


def test_what_an_owner_is_told_adds_up_over_batches(tmp_path: Path, batch_size: Callable[[int], None]) -> None:
    rng = np.random.default_rng(1)
    table = frame(2000).with_columns(
        pl.Series("patient", rng.integers(0, 400, 2000)),
        pl.lit(95).alias("age"),
        pl.when(pl.int_range(2000) < 5).then(None).otherwise(pl.col("ill")).alias("ill"),
    )
    rules = Schema((*SCHEMA.columns, Ignored("patient")))
    messages = []
    for size in (10**6, 64):
        batch_size(size)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            release(table, rules, epsilon=1, method="moments", random_state=0, audit=False)
        messages.append([str(warning.message) for warning in caught])
    assert messages[0] == messages[1]
    words = " ".join(messages[0])
    assert "5 rows without a label left out" in words
    assert "'patient' repeats like an identifier" in words
    assert "'age'" in words


@pytest.mark.parametrize("method", ["additive", "moments", "linear"])
def test_a_table_without_labels_is_refused_by_saying_so(method: str, tmp_path: Path) -> None:
    unlabelled = frame(40).with_columns(ill=pl.lit(None, dtype=pl.String))
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(9, 1e-3, unit="record", relation="replace"))
    with pytest.raises(InputError, match=r"no row has a label, and a release is learned from labelled rows"):
        release(unlabelled, SCHEMA, epsilon=1, method=method, ledger=ledger)
    assert not ledger.lines()
