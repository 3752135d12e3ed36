"""Owners and receivers of tables, and what is measured on them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.data.public.datasets import TableSet
from tacit.data.schemas.columns import Categorical, Label, Numeric, Target
from tacit.data.schemas.schema import Schema
from tacit.experiments import kept_answers, table_runs
from tacit.experiments.table_runs import (
    BOOSTING,
    LINEAR,
    LOGISTIC,
    SECONDS,
    TACIT,
    OwnerAndReceiver,
    open_figures,
    peer_arrays,
    peer_figures,
    plain_columns,
    private_figures,
    random_owner,
    table_rows,
)


def data(outcome: Label | Target, n_rows: int = 1500) -> TableSet:
    random = np.random.default_rng(0)
    size, city = random.uniform(0, 10, n_rows), random.choice(["Oslo", "Rome"], n_rows)
    score = size + 4 * (city == "Rome") + random.normal(0, 1, n_rows)
    cells = np.where(score > 7, "ill", "well") if isinstance(outcome, Label) else score
    schema = Schema((Numeric("size", (0, 10)), Categorical("city", ("Oslo", "Rome")), outcome))
    return TableSet("towns", pl.DataFrame({"size": size, "city": city, outcome.name: cells}), schema)


CLASSES, NUMBERS = data(Label("state", ("well", "ill"))), data(Target("score", (0, 20)))


def parts(table: TableSet, seed: int = 1) -> OwnerAndReceiver:
    return OwnerAndReceiver.split(table, random_owner(table.table.height, seed))


def test_owner_and_receiver_share_the_rows_among_them() -> None:
    both = parts(CLASSES)
    assert len(both.owner.X) + len(both.receiver.X) == 1500
    assert 0.65 < len(both.owner.X) / 1500 < 0.75
    assert (random_owner(50, 3) == random_owner(50, 3)).all()
    assert (random_owner(50, 3) != random_owner(50, 4)).any()


@pytest.mark.parametrize(("table", "least"), [(CLASSES, 0.9), (NUMBERS, 0.7)])
def test_releases_without_labels_are_nearly_as_good_as_open_models(table: TableSet, least: float) -> None:
    private = {(method, where): value for method, where, value in private_figures(parts(table), 1)}
    best = private[TACIT, "towns, epsilon 3"]
    assert best > least
    assert private[TACIT + SECONDS, "towns, epsilon 3"] > 0
    # Logistic regression is of classes alone.
    assert private.get((LOGISTIC, "towns, epsilon 3"), 0.0) > (least if table is CLASSES else -1)
    assert ((LOGISTIC, "towns, epsilon 3") in private) == (table is CLASSES)
    opened = {method: value for method, _, value in open_figures(parts(table))}
    assert set(opened) == {LINEAR, BOOSTING}
    assert max(opened.values()) > best - 0.02


def test_peers_get_numbers_in_their_units_and_categories_as_codes() -> None:
    both = parts(NUMBERS)
    columns = plain_columns(both.owner.X, NUMBERS.schema)
    owner = NUMBERS.table.filter(random_owner(1500, 1))
    np.testing.assert_allclose(columns[:, 0], owner["size"].to_numpy())
    assert columns[:, 1].tolist() == (owner["city"] == "Rome").cast(int).to_list()
    arrays = peer_arrays(both, 1)
    assert arrays["is_category"].tolist() == [False, True]
    assert arrays["bounds"].tolist() == [[0, 10], [0, 1]]
    assert arrays["target_bounds"].tolist() == [0, 20]
    assert peer_arrays(parts(CLASSES), 1)["target_bounds"].size == 0


def test_without_their_environment_peers_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_runs, "kept_answer", lambda *_: None)
    assert list(peer_figures(parts(CLASSES), 1, ("DP-EBM",))) == []


def test_peers_are_asked_at_each_epsilon_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float]] = []

    def answer(script: str, method: str, arrays: dict[str, np.ndarray]) -> dict[str, float] | None:
        assert script == "peer_tables.py"
        asked.append((method, float(arrays["epsilon"])))
        return {"quality": 0.8, "seconds": 2.0} if arrays["epsilon"] == 0.5 else None

    monkeypatch.setattr(table_runs, "kept_answer", answer)
    monkeypatch.setattr(table_runs, "EPSILONS", (0.1, 0.5))
    figures = list(peer_figures(parts(CLASSES), 1, ("DP-EBM", "Opacus linear")))
    assert asked == [(method, epsilon) for method in ("DP-EBM", "Opacus linear") for epsilon in (0.1, 0.5)]
    # Cells that a peer did not fill are left out.
    assert figures[:2] == [("DP-EBM", "towns, epsilon 0.5", 0.8), ("DP-EBM" + SECONDS, "towns, epsilon 0.5", 2.0)]
    assert {method for method, _, _ in figures[2:]} == {"Opacus linear", "Opacus linear" + SECONDS}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[str, str, str, int]]]:
    monkeypatch.setattr(table_runs, "EPSILONS", (1.0,))
    monkeypatch.setattr(table_runs, "kept_answer", lambda *_: None)

    def run(**settings: bool) -> list[tuple[str, str, str, int]]:
        rows = table_rows(lambda seed: parts(CLASSES, seed), runs=2, peers=("DP-EBM",), metric="ROC AUC", **settings)
        return [(row.method, row.setting, row.metric, row.runs) for row in rows]

    return run


def test_rows_are_means_over_runs(quick: Callable[..., list[tuple[str, str, str, int]]]) -> None:
    assert quick() == [
        (TACIT, "towns, epsilon 1", "ROC AUC", 2),
        (TACIT, "towns, epsilon 1", "CPU seconds", 2),
        (LOGISTIC, "towns, epsilon 1", "ROC AUC", 2),
        (LINEAR, "towns", "ROC AUC", 2),
        (BOOSTING, "towns", "ROC AUC", 2),
    ]


def test_open_models_run_once_on_a_fixed_split(quick: Callable[..., list[tuple[str, str, str, int]]]) -> None:
    assert quick(same_split=True)[3:] == [(LINEAR, "towns", "ROC AUC", 1), (BOOSTING, "towns", "ROC AUC", 1)]


def test_an_interrupted_table_goes_on_at_the_draw_where_it_was(
    quick: Callable[..., list[tuple[str, str, str, int]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(kept_answers.VARIABLE, str(tmp_path))
    draws: list[int] = []

    def figures(both: OwnerAndReceiver, seed: int) -> Iterator[tuple[str, str, float]]:
        if len(draws) == 1 and seed == table_runs.FIRST_SEED + 1:
            draws.append(0)
            raise KeyboardInterrupt
        draws.append(seed)
        yield TACIT, both.name, 0.25 * seed

    monkeypatch.setattr(table_runs, "private_figures", figures)
    with pytest.raises(KeyboardInterrupt):
        quick()
    assert [row for row in quick() if row[0] == TACIT] == [(TACIT, "towns", "ROC AUC", 2)]
    assert draws == [101, 0, 102]
