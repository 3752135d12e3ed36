"""Attacks on releases of tables, and on tables that were drawn from them."""

import numpy as np
import pytest

from tacit.audit.attacks.kinds import marginals
from tacit.audit.attacks.kinds.table import target_of
from tacit.audit.attacks.release_attack import SHADOW, attack_release
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Categorical, Label
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows.rows import sidecar_release
from tacit.kinds.marginals import KIND
from tacit.models.marginals import mixture
from tacit.releases.file import Release
from tacit.workflows.invented_rows import drawn_rows

COLUMNS = 12
SCHEMA = Schema((*(Categorical(f"c{k}", ("a", "b")) for k in range(COLUMNS)), Label("ill", ("no", "yes"))))
RNG = np.random.default_rng(0)
X = np.eye(2)[RNG.integers(0, 2, (120, COLUMNS))].reshape(120, 2 * COLUMNS)
Y = np.arange(120) % 2
MEMBERS = 30


def encoded(rows: slice) -> Encoded:
    return Encoded(X[rows], Y[rows], SCHEMA.encoded_names, SCHEMA.classes)


def released(epsilon: float) -> Release:
    return KIND.release(X[:MEMBERS], Y[:MEMBERS], SCHEMA, epsilon=epsilon, delta=1e-6, random_state=3)


@pytest.fixture(autouse=True)
def fewer_rows_and_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marginals, "ROWS", 4000)
    # A rough fit of so few columns shows as much.
    monkeypatch.setattr(mixture, "STEPS", 40)


def test_a_release_with_little_noise_is_caught_and_with_much_is_not() -> None:
    members, others = encoded(slice(MEMBERS)), encoded(slice(MEMBERS, None))
    areas = {}
    for epsilon in (100.0, 0.1):
        found = attack_release(released(epsilon), members, others, SCHEMA, appearances=3, seed=1)
        assert found.outcomes[-1].name == SHADOW
        areas[epsilon] = found.outcomes[-1].area
    assert areas[100.0] > 0.65
    assert areas[100.0] > areas[0.1] + 0.1


def test_a_drawn_table_is_attacked_by_releases_of_its_own_kind() -> None:
    release = released(5.0)
    drawn = drawn_rows(release, rows=500, random_state=0)
    beside = sidecar_release(drawn, np.bincount(drawn.y), "0" * 64)
    rows = Encoded(drawn.X, drawn.y, SCHEMA.encoded_names, SCHEMA.classes)
    target = target_of(beside, SCHEMA, rows)
    first, second = (target.simulate(X[:40], Y[:40], 7) for _ in range(2))
    assert first.rows.shape == (500, 2 * COLUMNS)
    assert np.array_equal(first.rows, second.rows)
    assert first.moments is not None
