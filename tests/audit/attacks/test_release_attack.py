"""Attacks on whole releases: each kind, with and without protection, and what is refused."""

from typing import Any

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.audit.attacks.outcome import AttackOutcome
from tacit.audit.attacks.release_attack import SHADOW, ReleaseAttack, attack_release, record_claim
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.kinds.fabricated_rows.rows import sidecar_release
from tacit.kinds.linear import KIND as LINEAR
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.releases.file import Release

COLUMNS = 40
SCHEMA = Schema((*(Numeric(f"x{k}", (0, 1)) for k in range(COLUMNS)), Label("ill", ("no", "yes"))))
MEMBERS = 40


def drawn(n: int = 160) -> tuple[FloatArray, np.ndarray]:
    generator = np.random.default_rng(0)
    return generator.random((n, COLUMNS)), np.arange(n) % 2


X, Y = drawn()


def encoded(rows: slice) -> Encoded:
    return Encoded(X[rows], Y[rows], SCHEMA.encoded_names, SCHEMA.classes)


def released(kind: str, epsilon: float) -> Release:
    table = X[:MEMBERS], Y[:MEMBERS]
    if kind == "class_means":
        names = np.array(["no", "yes"])[table[1]]
        model = PrivateNearestMean(epsilon, bounds=(0, 1), classes=["no", "yes"], random_state=3)
        return model.fit(table[0], names).release()
    return CLASS_MOMENTS.release(*table, SCHEMA, unit=kind, epsilon=epsilon, delta=1e-6, random_state=3)


def attacked(release: Release, *, appearances: int = 12) -> ReleaseAttack:
    return attack_release(
        release, encoded(slice(MEMBERS)), encoded(slice(MEMBERS, None)), SCHEMA, appearances=appearances, seed=1
    )


@pytest.mark.parametrize("kind", ["class_means", "record", "entry"])
def test_a_release_of_few_rows_with_little_noise_is_caught_and_with_much_is_not(kind: str) -> None:
    open_one, closed = attacked(released(kind, 100.0)), attacked(released(kind, 0.1))
    assert [attack.name for attack in open_one.outcomes][-1] == SHADOW
    assert open_one.outcomes[-1].area_interval[0] > 0.7
    assert closed.outcomes[-1].area_interval[0] < 0.6
    assert not any(closed.contradicts(attack) for attack in closed.outcomes)
    assert (open_one.n_members, open_one.n_non_members, open_one.n_shared) == (MEMBERS, 120, 0)


def test_a_seed_repeats_an_attack_and_no_shadows_leave_two() -> None:
    release = released("record", 1.0)
    first, again = attacked(release, appearances=2), attacked(release, appearances=2)
    np.testing.assert_array_equal(first.outcomes[-1].members, again.outcomes[-1].members)
    assert len(attacked(release, appearances=0).outcomes) == 2


def test_the_claim_is_that_of_a_record() -> None:
    assert record_claim(released("record", 0.5)).epsilon == 0.5
    entry = record_claim(released("entry", 0.1))
    assert entry.epsilon is not None
    assert entry.epsilon > 0.1


def test_more_than_the_claim_is_a_contradiction() -> None:
    attack = attacked(released("record", 0.1), appearances=0)
    assert attack.contradicts(AttackOutcome("copied", np.ones(200), np.zeros(200)))
    assert not attack.contradicts(AttackOutcome("few", np.ones(4), np.zeros(4)))


def test_non_members_that_equal_members_are_counted() -> None:
    attack = attack_release(released("record", 1.0), encoded(slice(MEMBERS)), encoded(slice(80)), SCHEMA, appearances=0)
    assert attack.n_shared == MEMBERS


@pytest.mark.parametrize(("method", "unit"), [("moments", "record"), ("hull", "entry")])
def test_fabricated_rows_are_attacked_with_their_table(method: str, unit: str) -> None:
    outcomes = []
    for epsilon in (100.0, 0.1):
        fabricated = fabricate(
            X[:MEMBERS], Y[:MEMBERS], SCHEMA, unit=unit, epsilon=epsilon, delta=1e-6, method=method, random_state=2
        )
        rows = Encoded(fabricated.X, fabricated.y, SCHEMA.encoded_names, SCHEMA.classes)
        sides = encoded(slice(MEMBERS)), encoded(slice(MEMBERS, None))
        release = sidecar_release(fabricated, np.bincount(fabricated.y), "0")
        outcomes.append(attack_release(release, *sides, SCHEMA, rows=rows, appearances=6, seed=1).outcomes[-1])
    assert outcomes[0].area_interval[0] > 0.55
    assert outcomes[1].area_interval[0] < 0.6
    with pytest.raises(InputError, match="travels with its table"):
        attack_release(release, *sides, SCHEMA)


def test_rows_without_labels_other_schemas_and_unknown_kinds_are_refused() -> None:
    release = released("record", 1.0)
    unlabelled = Encoded(X, np.full(len(X), -1), SCHEMA.encoded_names, SCHEMA.classes)
    with pytest.raises(InputError, match="members must hold at least 2 labelled rows; got 0"):
        attack_release(release, unlabelled, encoded(slice(50)), SCHEMA)
    other = Schema((Numeric("x", (0, 1)), Label("ill", ("no", "yes"))))
    with pytest.raises(InputError, match="columns and classes of the release"):
        attack_release(release, encoded(slice(9)), encoded(slice(9)), other)
    strange = Release("strange", release.arrays, {}, release.card)
    with pytest.raises(InputError, match="no attack is known on releases of kind 'strange'"):
        attack_release(strange, encoded(slice(9)), encoded(slice(9)), SCHEMA)


def test_a_release_per_person_is_attacked_and_compared_with_what_it_promises_a_record() -> None:
    promise: dict[str, Any] = {"unit": "person", "epsilon": 1.0, "delta": 1e-6, "rows_per_person": 3}
    table = X[:MEMBERS], Y[:MEMBERS]
    release = CLASS_MOMENTS.release(*table, SCHEMA, random_state=0, **promise)
    # A record is its person out and in: two persons.
    assert attacked(release, appearances=2).claim.epsilon == pytest.approx(2.1229, abs=1e-3)
    linear = LINEAR.release(*table, SCHEMA, random_state=0, **promise)
    assert record_claim(linear).epsilon is None, "persons exchanged say nothing about a row that becomes another's"
