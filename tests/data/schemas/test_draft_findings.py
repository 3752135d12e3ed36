"""What a draft notices: numberings, often missing cells, dates in other notations, and families of columns."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.data.schemas.columns import Categorical, Ignored, Numeric
from tacit.data.schemas.draft import OFTEN_MISSING, draft_schema
from tacit.data.schemas.draft_findings import LEAST_FAMILY, NUMBERING, is_numbering, other_dates
from tacit.data.schemas.file import format_schema, parse_schema

N = 100
RNG = np.random.default_rng(0)


def drafted(**columns: Any) -> tuple[dict[str, object], dict[str, str]]:
    other = {"other": RNG.normal(size=len(next(iter(columns.values()))))}
    draft = draft_schema(pl.DataFrame({**columns, **other}))
    return {column.name: column for column in draft.schema.columns}, dict(draft.remarks)


@pytest.mark.parametrize(
    ("numbers", "numbering"),
    [
        (np.arange(N) + 100_001, True),
        (RNG.permutation(N), True),
        (1000 + np.sort(RNG.choice(10**6, N, replace=False)), True),
        (20 + np.arange(60), False),
        (RNG.choice(10**6, N, replace=False), False),
        (np.repeat(np.arange(N // 2), 2), False),
        (np.arange(10), False),
    ],
    ids=[
        "from 100001 on",
        "shuffled",
        "in order with gaps",
        "ages of a sorted table",
        "anywhere",
        "twice each",
        "ten rows",
    ],
)
def test_a_numbering_is_dense_or_in_order_and_without_repetition(numbers: np.ndarray, numbering: bool) -> None:
    assert is_numbering(numbers.astype(float)) == numbering


def test_row_numbers_of_any_name_are_not_drafted_as_numbers() -> None:
    columns, remarks = drafted(nummer=np.arange(N) + 1, amount=RNG.normal(size=N))
    assert isinstance(columns["nummer"], Ignored)
    assert remarks["nummer"] == NUMBERING
    assert isinstance(columns["amount"], Numeric)


@pytest.mark.parametrize(("share", "rule"), [(0.0, "error"), (0.1, "middle"), (OFTEN_MISSING, "flag"), (0.9, "flag")])
def test_often_missing_numbers_keep_that_they_are_missing(share: float, rule: str) -> None:
    values = [None if place < share * N else float(value) for place, value in enumerate(RNG.normal(size=N))]
    columns, remarks = drafted(dose=values)
    dose = columns["dose"]
    assert isinstance(dose, Numeric)
    assert dose.missing == rule
    assert ("dose" in remarks) == (rule == "flag")
    assert rule != "flag" or f"{share:.0%}" in remarks["dose"]


def test_a_text_that_is_there_or_not_is_a_category() -> None:
    columns, _ = drafted(tag=["x"] * 10 + [None] * 90, same=["x"] * N, empty=pl.Series([None] * N, dtype=pl.String))
    tag = columns["tag"]
    assert isinstance(tag, Categorical)
    assert (tag.categories, tag.missing) == (("x",), "category")
    assert isinstance(columns["same"], Ignored)
    assert isinstance(columns["empty"], Ignored)


@pytest.mark.parametrize(
    ("texts", "iso"),
    [
        (["31.12.2023", "1.2.2024"], "2023-12-31"),
        (["12/31/2023", "01/02/2024"], "2023-12-31"),
        (["31/12/2023", "01/02/2024"], "2023-12-31"),
        (["31-12-2023 08:15", None], "2023-12-31"),
    ],
)
def test_dates_in_other_notations_are_noticed_with_the_way_out(texts: list[str | None], iso: str) -> None:
    remark = other_dates(pl.Series(texts))
    assert texts[0] is not None
    assert texts[0] in remark
    assert f"write them as {iso}" in remark
    columns, remarks = drafted(seen=texts * 40)
    assert isinstance(columns["seen"], Ignored)
    assert remarks["seen"] == remark


def test_other_texts_are_no_dates() -> None:
    assert other_dates(pl.Series(["1.2.2024", "no"])) == ""
    assert other_dates(pl.Series(["1.2.3", "4.5.6"])) == ""
    assert other_dates(pl.Series([None], dtype=pl.String)) == ""


def test_iso_dates_are_explained() -> None:
    _, remarks = drafted(visit=[f"2023-{1 + place % 12:02d}-11" for place in range(N)])
    assert "dates, counted in steps of one day" in remarks["visit"]


def test_a_thousand_alike_columns_become_one_pattern_that_reads_back() -> None:
    table = {f"gene_{place}": RNG.normal(size=30) * (1 + place % 7) for place in range(1000)}
    draft = draft_schema(pl.DataFrame({**table, "age": RNG.normal(size=30)}))
    text = format_schema(draft.schema, comments=draft.remarks)
    assert text.count("[columns.") == 2
    assert '[columns."gene_{0..999}"]' in text
    assert "# 1000 columns alike" in text
    low, high = draft.schema.columns[0].bounds  # type: ignore[union-attr]
    everything = np.concatenate(list(table.values()))
    assert low <= everything.min()
    assert high >= everything.max()
    assert parse_schema(text).columns == draft.schema.columns


def test_a_family_takes_the_widest_rule_of_its_members() -> None:
    table: dict[str, Any] = {f"c{place}": RNG.integers(0, 100, N) for place in range(LEAST_FAMILY)}
    table["c3"] = [None, *RNG.normal(size=N - 1)]
    columns, _ = drafted(**table)
    family = [each for each in columns.values() if isinstance(each, Numeric) and each.name != "other"]
    rules = {(each.bounds, each.integer, each.missing) for each in family}
    assert len(columns) == LEAST_FAMILY + 1
    assert len(rules) == 1
    assert rules.pop()[1:] == (False, "middle")


def test_few_numbered_columns_and_mixed_ones_keep_their_own_rules() -> None:
    few, _ = drafted(**{f"c{place}": RNG.normal(size=N) * 10**place for place in range(3)})
    assert len({each.bounds for each in few.values() if isinstance(each, Numeric)}) == 4
    mixed: dict[str, Any] = {f"c{place}": RNG.normal(size=N) for place in range(LEAST_FAMILY - 1)}
    columns, remarks = drafted(**mixed, c9=["a", "b"] * (N // 2))
    assert isinstance(columns["c9"], Categorical)
    assert "c0" not in remarks
