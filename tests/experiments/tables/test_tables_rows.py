"""Fabricated rows of mixed tables: on invented rows."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tacit.data.public.datasets import TableSet
from tacit.data.rows.encoding import Encoded
from tacit.errors import MissingDataError
from tacit.experiments import mixed_tables
from tacit.experiments.mixed_tables import OwnerSplit
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import tables_rows

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def absent() -> OwnerSplit:
    raise MissingDataError("not here")


@pytest.fixture
def small(invented: Callable[..., TableSet]) -> OwnerSplit:
    train, test = invented("bank", 2000, seed=0), invented("bank", 1000, seed=1)
    return OwnerSplit(train.encode(), test.encode(), train.schema)


def test_every_method_is_judged_beside_real_rows_and_absent_tables_are_left_out(
    shrink: Callable[..., None], small: OwnerSplit, checked: Checked
) -> None:
    shrink(tables_rows, TABLES={"Bank": lambda: small, "flights": absent}, DRAWS=1, EPSILON=8.0, PEERS={})
    rows = checked(tables_rows.rows())
    assert {row.setting for row in rows} == {"Bank, record epsilon 8"}
    figures = {(row.method, row.metric): row.mean for row in rows}
    assert figures["fabricated from marginals", "TV1"] < 0.8 * figures["fabricated from moments", "TV1"]
    assert figures["real rows", "AUC, boosting"] > 0
    assert figures["fabricated from marginals", "CPU s"] > 0


def test_held_out_rows_are_a_third_and_share_no_row_with_the_owners(invented: Callable[..., TableSet]) -> None:
    table = invented("bank", 300, seed=0)
    split = mixed_tables._split(table.table, table.schema)
    assert len(split.held_out.y) == 100
    assert len(split.owner.y) == 200


def test_peers_are_judged_alike_where_they_are_installed(
    shrink: Callable[..., None], small: OwnerSplit, checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def invented_rows(method: str, table: OwnerSplit, **_: object) -> tuple[Encoded, float] | None:
        return (table.held_out, 60.0) if method == "MST" else None

    monkeypatch.setattr(tables_rows, "peer_rows", invented_rows)
    shrink(tables_rows, TABLES={"Bank": lambda: small}, DRAWS=1, PEERS={"MST": 2, "AIM": 1})
    figures = {(row.method, row.metric): row.mean for row in checked(tables_rows.rows())}
    assert figures["MST", "TV2"] == figures["real rows", "TV2"]
    assert figures["MST", "CPU s"] == 60
    assert not any(method == "AIM" for method, _ in figures)


def test_draws_that_were_stopped_are_told_beside_those_that_ended(
    shrink: Callable[..., None], small: OwnerSplit, checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def invented_rows(method: str, table: OwnerSplit, *, seed: int, **_: object) -> tuple[Encoded | None, float] | None:
        if method == "MST":
            return None
        return (table.held_out, 60.0) if seed == tables_rows.FIRST_SEED else (None, 1800.0)

    monkeypatch.setattr(tables_rows, "peer_rows", invented_rows)
    shrink(tables_rows, TABLES={"Bank": lambda: small}, DRAWS=1, PEERS={"MST": 1, "AIM": 3})
    figures = {(row.method, row.metric): (row.mean, row.runs) for row in checked(tables_rows.rows())}
    assert figures["AIM", "CPU s"] == (60, 1)
    assert figures["AIM", tables_rows.STOPPED] == (1800, 2)
    assert not any(method == "MST" for method, _ in figures)


def test_a_peer_that_does_not_end_on_a_table_is_not_asked_there(
    shrink: Callable[..., None], small: OwnerSplit, checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_rows, "peer_rows", lambda _method, table, **_: (table.held_out, 60.0))
    shrink(tables_rows, TABLES={"Bank": lambda: small, "flights": lambda: small}, DRAWS=1, METHODS=("marginals",))
    asked = {(row.method, row.setting.partition(",")[0]) for row in checked(tables_rows.rows())}
    assert {("MST", "Bank"), ("AIM", "Bank"), ("MST", "flights")} <= asked
    assert ("AIM", "flights") not in asked


def test_draws_are_kept_where_a_folder_is_named(
    shrink: Callable[..., None],
    small: OwnerSplit,
    checked: Checked,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    shrink(tables_rows, TABLES={"Bank": lambda: small}, DRAWS=2, EPSILON=8.0, PEERS={}, METHODS=("moments",))
    monkeypatch.setenv("TACIT_PEER_ANSWERS", str(tmp_path))
    first = checked(tables_rows.rows())
    assert len(list(tmp_path.iterdir())) == 2
    monkeypatch.delattr(tables_rows, "_run")
    assert checked(tables_rows.rows()) == first
