"""Releases of tables: what they hold, what they refuse, and what their cards say."""

import numpy as np
import pytest
from tests.models.marginals.conftest import CHURN, SCHEMA, churn_like, people

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError, SchemaError
from tacit.kinds.marginals import KIND
from tacit.kinds.marginals.make import forbidden_pairs, model_of
from tacit.privacy.budget import Relation
from tacit.releases.file import Release

ROWS = encode(people(4000), SCHEMA)


@pytest.fixture(scope="module")
def release() -> Release:
    return KIND.release(ROWS.X, ROWS.y, SCHEMA, epsilon=3.0, delta=1e-6, random_state=0)


def test_equal_seeds_give_equal_releases_in_any_order_of_rows(release: Release) -> None:
    order = np.random.default_rng(0).permutation(len(ROWS.y))
    again = KIND.release(ROWS.X[order], ROWS.y[order], SCHEMA, epsilon=3.0, delta=1e-6, random_state=0)
    assert all(np.array_equal(again.arrays[name], release.arrays[name]) for name in release.arrays)


def test_secure_noise_differs_from_release_to_release() -> None:
    small = encode(people(100), SCHEMA)
    first, second = (KIND.release(small.X, small.y, SCHEMA, epsilon=1.0, delta=1e-6) for _ in range(2))
    assert first.card.secure
    assert not np.array_equal(first.arrays["counts"][:, :5], second.arrays["counts"][:, :5])


def test_the_card_states_relation_grid_and_impossible_combinations(release: Release) -> None:
    assert release.card.relation is Relation.ADD_REMOVE
    text = release.card.to_text()
    assert "public grid" in text
    assert "never have these combinations" in " ".join(text.split())
    assert any(line.startswith("grade ") or " with points " in line for line in forbidden_pairs(model_of(release)))


def test_the_release_is_small(release: Release) -> None:
    assert sum(array.nbytes for array in release.arrays.values()) < 2e6


def test_a_release_whose_schema_has_other_columns_is_refused(release: Release) -> None:
    other = Schema((*SCHEMA.columns[1:-1], SCHEMA.columns[-1]))
    wrong = Release(release.kind, release.arrays, release.settings, release.card, other.to_dict())
    with pytest.raises(ReleaseError, match="malformed"):
        model_of(wrong)


def test_persons_with_several_rows_are_protected_by_more_noise() -> None:
    plans = [
        KIND.plan(SCHEMA, unit=unit, epsilon=1.0, delta=1e-6, rows_per_person=rows)
        for unit, rows in (("record", None), ("person", 4))
    ]
    record, person = (plan.details.cells.mechanism.sigma for plan in plans)
    assert person == pytest.approx(4 * record, rel=0.01)
    made = KIND.make(plans[1], ROWS.X[:400], ROWS.y[:400], random_state=0)
    assert made.card.unit == "person"
    assert made.card.rows_per_person == 4


def test_a_table_without_a_label_is_released() -> None:
    schema = Schema(SCHEMA.columns[:-1])
    made = KIND.release(ROWS.X[:500], ROWS.y[:500], schema, epsilon=1.0, delta=1e-6, random_state=0)
    assert model_of(made).layout.n_classes == 1


def test_drafts_too_many_columns_and_pure_epsilon_are_refused() -> None:
    draft = Schema(SCHEMA.columns, bounds_from_data=True)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        KIND.plan(draft, unit="record", epsilon=1.0, delta=1e-6)
    wide = Schema((*(Numeric(f"x{j}", (0, 1)) for j in range(201)), Label("y", ("a", "b"))))
    with pytest.raises(InputError, match="at most 200 columns"):
        KIND.plan(wide, unit="record", epsilon=1.0, delta=1e-6)
    with pytest.raises(InputError, match="delta"):
        KIND.plan(SCHEMA, unit="record", epsilon=1.0, delta=0.0)


def test_pairs_that_were_left_out_are_said_on_the_card() -> None:
    columns = tuple(Categorical(f"c{j}", ("a", "b")) for j in range(40))
    schema = Schema((*columns, Label("y", ("0", "1"))))
    rng = np.random.default_rng(0)
    X = np.eye(2)[rng.integers(0, 2, (200, 40))].reshape(200, 80)
    y = rng.integers(0, 2, 200)
    made = KIND.release(X, y, schema, epsilon=9.0, delta=1e-6, random_state=0)
    assert "600 of 780 pairs of columns are counted" in " ".join(made.card.assumptions)
    noisier = KIND.release(X, y, schema, epsilon=1.0, delta=1e-6, random_state=0)
    assert "no pairs of columns are counted" in " ".join(noisier.card.assumptions)
    assert model_of(noisier).measurement.pairs == ()


def test_columns_whose_tables_weigh_drawn_rows_are_said_on_the_card(release: Release) -> None:
    rows = encode(churn_like(2000, 0), CHURN)
    made = KIND.release(rows.X, rows.y, CHURN, epsilon=1.0, delta=1e-6, random_state=0)
    (said,) = (each for each in made.card.assumptions if "are weighed to follow" in each)
    assert "a rare true combination that looks empty there becomes rarer" in said
    assert any(f"line and {name}" in said for name in ("backup", "support", "films"))
    assert "weighed" not in " ".join(release.card.assumptions)
