"""Attacks on fabricated tables: by moments, or row by row."""

import numpy as np
import pytest

from tacit.audit.attacks.kinds.fabricated_rows import target
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.kinds.fabricated_rows.rows import sidecar_release
from tacit.releases.file import Release

SCHEMA = Schema((*(Numeric(f"x{k}", (0, 1)) for k in range(3)), Label("ill", ("no", "yes"))))
RNG = np.random.default_rng(0)
X, Y = RNG.random((40, 3)), np.arange(40) % 2


def fabricated(method: str, unit: str, rows: int) -> tuple[Release, Encoded]:
    table = fabricate(X, Y, SCHEMA, unit=unit, epsilon=50.0, delta=1e-6, rows=rows, method=method, random_state=0)
    return sidecar_release(table, np.bincount(table.y), "0"), Encoded(
        table.X, table.y, SCHEMA.encoded_names, SCHEMA.classes
    )


def test_rows_drawn_from_moments_are_attacked_by_them_and_others_one_by_one() -> None:
    by_moments = target(*_arguments("moments", "record", 60))
    assert by_moments.view.moments is not None
    assert by_moments.view.moments.means.shape == (2, 3)
    by_rows = target(*_arguments("hull", "entry", 30))
    assert by_rows.view.moments is None
    assert len(by_rows.view.rows) == 30


def _arguments(method: str, unit: str, rows: int) -> tuple[Release, Schema, Encoded]:
    release, table = fabricated(method, unit, rows)
    return release, SCHEMA, table


def test_a_simulation_has_as_many_rows_as_the_table() -> None:
    for method, unit, rows, expected in (("moments", "record", 60, 60), ("hull", "entry", 30, 10)):
        # Hulls cannot fabricate more rows than they are given.
        view = target(*_arguments(method, unit, rows)).simulate(X[:10], Y[:10], 1)
        assert len(view.rows) == expected


def test_a_release_without_its_table_cannot_be_attacked() -> None:
    release, _ = fabricated("moments", "record", 20)
    with pytest.raises(InputError, match="travels with its table"):
        target(release, SCHEMA, None)
