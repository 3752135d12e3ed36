"""Counts asked of a release, by what its kind holds and not by its name."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

import tacit
from tacit.errors import InputError
from tacit.kinds.marginals import KIND
from tacit.kinds.registry import fabricating_kinds, register, unregister
from tacit.releases.file import Release, write_release
from tacit.releases.kind import ReleaseKind
from tacit.workflows.ask import ask
from tacit.workflows.invented_rows import drawn_rows, table_model


def released(method: str) -> Release:
    return tacit.release(people(400), SCHEMA, epsilon=3, method=method, random_state=0)


@pytest.fixture
def renamed() -> Iterator[ReleaseKind]:
    """Return another kind that holds tables: the same package, with one more file and methods of its own."""
    kind = replace(KIND, method="other-tables", files=(*KIND.files, "other_tables"), fabricates=("other-tables",))
    register(kind)
    yield kind
    unregister(kind.name)
    register(KIND)


def test_counts_add_up_to_about_the_number_of_rows(tmp_path: Path) -> None:
    release = released("marginals")
    counts = ask(release, "outcome")
    assert abs(float(counts.counts.sum()) - 400) < 60
    write_release(release, tmp_path / "tables.tacit")
    again = ask(tmp_path / "tables.tacit", "outcome")
    np.testing.assert_allclose(again.counts, counts.counts)


def test_a_release_without_tables_is_refused_with_the_way_out() -> None:
    release = released("additive")
    for purpose, use in (
        ("counts are asked of", lambda: ask(release, "x")),
        ("rows are drawn from", lambda: drawn_rows(release)),
    ):
        with pytest.raises(InputError, match=f"{purpose} a release of tables.*--method marginals"):
            use()


def test_another_kind_that_holds_tables_needs_no_edit_of_the_workflows(renamed: ReleaseKind) -> None:
    release = replace(released("other-tables"), kind="other_tables")
    assert ask(release, "outcome").counts.shape == (len(SCHEMA.classes),)
    assert drawn_rows(release, rows=7, random_state=0).method == "other-tables"
    assert table_model(release, "rows are drawn from").layout.schema == SCHEMA
    assert list(fabricating_kinds()) == ["other-tables", "moments", "hull"]
    rows = tacit.fabricate(people(200), SCHEMA, epsilon=1, method="other-tables", rows=9, random_state=0)
    assert len(rows.y) == 9


def test_conditions_narrow_what_is_counted() -> None:
    release, name = released("marginals"), "outcome"
    first = SCHEMA.classes[0]
    narrowed = ask(release, name, where=[f"{name} = {first}"])
    assert narrowed.half_width is None
    assert narrowed.counts[1:] == pytest.approx(np.zeros(len(SCHEMA.classes) - 1), abs=1e-6)
    with pytest.raises(InputError, match="nonsense"):
        ask(release, name, where=["nonsense = 1"])
