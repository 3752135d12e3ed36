"""Attacks on whole releases: each kind, with and without protection, and what is refused."""

import math

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.audit.attacks.attacker_view import ClassMoments, Seen, moments_of_rows, same_place
from tacit.audit.attacks.release_attack import SHADOW, ReleaseAttack, attack_release
from tacit.audit.attacks.releases import record_claim, row_norm_of, target_of
from tacit.data.columns import Categorical, Label, Numeric
from tacit.data.encoding import Encoded
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.models.class_moments.nearest_mean import PrivateNearestMean, sums_mechanism
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
    assert [each.name for each in open_one.outcomes][-1] == SHADOW
    assert open_one.outcomes[-1].area_interval[0] > 0.7
    assert closed.outcomes[-1].area_interval[0] < 0.6
    assert not any(closed.contradicts(each) for each in closed.outcomes)
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
    found = attacked(released("record", 0.1), appearances=0)
    copied = type(found.outcomes[0])("copied", np.ones(200), np.zeros(200))
    assert found.contradicts(copied)
    assert not found.contradicts(type(copied)("few", np.ones(4), np.zeros(4)))


def test_non_members_that_equal_members_are_counted() -> None:
    found = attack_release(released("record", 1.0), encoded(slice(MEMBERS)), encoded(slice(80)), SCHEMA, appearances=0)
    assert found.n_shared == MEMBERS


def test_class_means_of_a_table_in_its_own_units_are_placed_by_their_bounds() -> None:
    schema = Schema((Numeric("age", (0, 100)), Categorical("kind", ("a", "b")), Label("ill", ("no", "yes"))))
    rows = np.array([[0.5, 1, 0], [0.25, 0, 1], [0.75, 1, 0], [1.0, 0, 1]])
    raw = rows * [100, 1, 1]
    bounds = ([0, 0, 0], [200, 1, 1])
    model = PrivateNearestMean(100.0, bounds=bounds, classes=["no", "yes"], random_state=0)
    target = target_of(model.fit(raw, ["no", "no", "yes", "yes"]).release(), schema)
    seen = target.seen
    np.testing.assert_allclose(seen.place(rows), raw / [200, 1, 1])
    again = target.make(rows, np.array([0, 0, 1, 1]), 0)
    np.testing.assert_allclose(again.rows, seen.rows)


@pytest.mark.parametrize("norm", [0.3, 1.0, math.sqrt(2), 1.9999, 2.0, 28.0])
def test_the_row_norm_comes_back_from_the_sensitivity(norm: float) -> None:
    mechanism = sums_mechanism(1.0, 1e-6, row_norm=norm, n_features=3)
    assert row_norm_of(mechanism.sensitivity) == pytest.approx(norm, rel=1e-9)


def test_the_match_is_the_normal_log_density_ratio_by_loops() -> None:
    generator = np.random.default_rng(4)
    V = np.stack([np.cov(generator.normal(size=(3, 20))) for _ in range(2)])
    means, centres, noise = generator.random((2, 3)), generator.random((2, 3)), np.array([0.5, 0.7])
    counts = np.array([7.0, 9.0])
    seen = Seen.of_moments(same_place, ClassMoments(np.arange(2), means, counts, V, noise))
    plain = Seen.of_moments(same_place, ClassMoments(np.arange(2), means, counts))
    rows, codes = generator.random((5, 3)), np.array([0, 1, 1, 0, 1])
    for place, (row, code) in enumerate(zip(rows, codes, strict=True)):
        z, n, v = row - centres[code], counts[code], noise[code] + 1 / 12
        first = z @ (n * (means[code] - centres[code]))
        assert plain.match(rows, codes, centres)[place] == pytest.approx(first)
        assert seen.match(rows, codes, centres)[place] == pytest.approx(first / v + n * z @ V[code] @ z / (2 * v**2))


@pytest.mark.parametrize(("method", "unit"), [("moments", "record"), ("hull", "entry")])
def test_fabricated_rows_are_attacked_with_their_table(method: str, unit: str) -> None:
    found = []
    for epsilon in (100.0, 0.1):
        made = fabricate(
            X[:MEMBERS], Y[:MEMBERS], SCHEMA, unit=unit, epsilon=epsilon, delta=1e-6, method=method, random_state=2
        )
        rows = Encoded(made.X, made.y, SCHEMA.encoded_names, SCHEMA.classes)
        sides = encoded(slice(MEMBERS)), encoded(slice(MEMBERS, None))
        release = made.release(table_digest="0")
        found.append(attack_release(release, *sides, SCHEMA, rows=rows, appearances=6, seed=1).outcomes[-1])
    assert found[0].area_interval[0] > 0.55
    assert found[1].area_interval[0] < 0.6
    with pytest.raises(InputError, match="travels with its table"):
        attack_release(release, *sides, SCHEMA)


def test_moments_of_rows_are_those_of_each_class() -> None:
    generator = np.random.default_rng(5)
    rows, labels = generator.random((12, 3)), np.array([0] * 5 + [2] * 7)
    found = moments_of_rows(rows, labels)
    assert found.labels.tolist() == [0, 2]
    assert found.covariances is not None
    np.testing.assert_allclose(found.means[1], rows[5:].mean(axis=0))
    np.testing.assert_allclose(found.covariances[0], np.cov(rows[:5].T, ddof=0))
    assert moments_of_rows(np.zeros((2, 300)), np.array([0, 1])).covariances is None


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
    renamed = Schema((*SCHEMA.features, Label("ill", ("well", "ill"))))
    with pytest.raises(InputError, match="it lacks 'no'"):
        target_of(released("class_means", 1.0), renamed)
