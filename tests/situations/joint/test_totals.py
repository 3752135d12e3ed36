"""Totals over several parties are those of one table with all rows, for every kind that says so."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.situations.joint.joint_parties import Parties, parties, pooled, run

from tacit.kinds.registry import all_kinds
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.releases.file import Release
from tacit.situations.joint.party import JointSpend

METHODS = [kind.method for kind in all_kinds() if kind.sums]


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch the shares of noise off, in this test alone."""
    monkeypatch.setattr(JointGaussian, "share", lambda _, cells, __: cells)


def of_one_table(made: Parties, shares: Sequence[GridCells] = ()) -> Release:
    """Return the release of all rows in one hand under the same plan, with ``shares`` of noise of its queries."""
    left = list(shares)

    def exchange(_: JointGaussian, cells: GridCells) -> GridCells:
        return np.asarray(cells + left.pop(0)) if shares else cells

    spend = JointSpend(exchange=exchange, seed=int(made.plan.digest[:8], 16))
    release = made.plan.kind.make_from_rows(made.plan.release_plan, pooled(made.tables), spend)
    assert left == []
    return release


def assert_same_bits(joint: Release, alone: Release) -> None:
    assert joint.kind == alone.kind
    assert joint.settings == alone.settings
    assert joint.arrays.keys() == alone.arrays.keys()
    for name, array in joint.arrays.items():
        assert array.tobytes() == np.asarray(alone.arrays[name]).tobytes(), name


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("no_noise")
def test_without_noise_a_joint_release_is_that_of_one_table_bit_for_bit(tmp_path: Path, method: str) -> None:
    made = parties(tmp_path, 3, method=method)
    assert_same_bits(run(made).run(), of_one_table(made))


@pytest.mark.parametrize("method", METHODS)
def test_every_query_of_a_kind_of_sums_adds_up_over_parts_of_the_rows(tmp_path: Path, method: str) -> None:
    """With noise: whatever was answered before, the next query is a sum over rows."""
    made = parties(tmp_path, 3, method=method)
    plan, kind = made.plan.release_plan, made.plan.kind
    answers: list[GridCells] = []

    def asked_of(table: Any) -> list[tuple[JointGaussian, GridCells]]:
        queries: list[tuple[JointGaussian, GridCells]] = []

        def exchange(mechanism: JointGaussian, cells: GridCells) -> GridCells:
            queries.append((mechanism, cells))
            if len(answers) < len(queries):
                answers.append(mechanism.cells(np.full(cells.shape, 3.0)))
            return answers[len(queries) - 1]

        kind.make_from_rows(plan, table, JointSpend(exchange=exchange, seed=1))
        return queries

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JointGaussian, "share", lambda _, cells, __: cells)
        whole = asked_of(pooled(made.tables))
        parts = [asked_of(table) for table in made.tables]
    assert all(len(part) == len(whole) for part in parts)
    for place, (mechanism, cells) in enumerate(whole):
        total = sum(part[place][1] for part in parts)
        assert np.asarray(total).tolist() == cells.tolist()
        # A table without rows adds nothing: otherwise three parties would add it three times.
        assert all(part[place][0] == mechanism for part in parts)


@pytest.mark.parametrize("method", METHODS)
def test_with_noise_it_is_that_of_one_table_plus_the_shares_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    made = parties(tmp_path, 4, method=method)
    drawn: list[GridCells] = []
    share = JointGaussian.share

    def recorded(self: JointGaussian, cells: GridCells, stream: Any) -> GridCells:
        noisy = share(self, cells, stream)
        drawn.append(noisy - cells)
        return noisy

    monkeypatch.setattr(JointGaussian, "share", recorded)
    joint = run(made).run()
    monkeypatch.setattr(JointGaussian, "share", lambda _, cells, __: cells)
    # Every party draws its share of one query before any of them draws for the next.
    totals = [np.sum(drawn[first : first + 4], axis=0) for first in range(0, len(drawn), 4)]
    assert all(total.any() for total in totals)
    assert_same_bits(joint, of_one_table(made, totals))
