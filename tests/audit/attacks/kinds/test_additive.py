"""The view of an additive release: counts of levels and curves."""

import numpy as np
from tests.kinds.additive.test_make import SCHEMA, rows

from tacit.audit.attacks.kinds.additive import target
from tacit.kinds.additive import KIND
from tacit.models.additive.release import read_additive

X, Y = rows(300)


def test_a_row_is_embedded_as_ones_at_its_levels() -> None:
    release = KIND.release(X, Y, SCHEMA, epsilon=100.0, delta=1e-6, random_state=0)
    view = target(release, SCHEMA, None).view
    embedded = view.embed(X)
    assert (embedded.sum(axis=1) == 3).all()
    shares = read_additive(release).curves.shares
    # With nearly no noise the released shares are those of the rows.
    np.testing.assert_allclose(embedded.mean(axis=0), shares, atol=0.02)


def test_members_match_better_than_others_where_there_is_hardly_noise() -> None:
    few, labels = X[:20], Y[:20]
    attacked = target(KIND.release(few, labels, SCHEMA, epsilon=100.0, delta=1e-6, random_state=0), SCHEMA, None)
    again = attacked.simulate(few, labels, 1)
    centres = np.stack([again.embed(X).mean(axis=0)] * 2)
    inside, outside = (again.match(again.embed(part), y, centres) for part, y in ((few, labels), (X[100:], Y[100:])))
    assert inside.mean() > outside.mean() + outside.std() / 2
