"""An attack is judged only where members and non-members do not differ without any release."""

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.audit.attacks.difference import difference_without_release
from tacit.audit.attacks.release_attack import attack_release
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.pages.attacks import alike_text, attack_page, verdict
from tacit.workflows.release import make_release

SCHEMA = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("y", ("0", "1"))))


def rows(seed: int, n: int = 300, shift: float = 0.0) -> FloatArray:
    return np.clip(np.random.default_rng(seed).uniform(0, 0.7, (n, 2)) + shift, 0, 1)


def encoded(X: FloatArray, seed: int) -> Encoded:
    y = np.random.default_rng(seed + 100).integers(0, 2, len(X))
    return Encoded(X, y.astype(np.int64), SCHEMA.encoded_names, SCHEMA.classes)


def test_sides_of_another_law_are_noticed_and_the_card_is_not_blamed() -> None:
    members, others = encoded(rows(0), 0), encoded(rows(1, shift=0.3), 1)
    release = make_release(members.X, members.y, SCHEMA, unit="record", epsilon=1.0, delta=1e-6)
    attack = attack_release(release, members, others, SCHEMA, appearances=0, seed=0)
    assert attack.unlike
    assert attack.before is not None
    assert attack.before.area > 0.8
    assert not any(attack.contradicts(each) for each in attack.outcomes)
    assert verdict(attack).startswith("Nothing can be said: members and others differ without any release")
    page = attack_page(attack, release.card)
    assert "Members and non-members differ without any release" in page


def test_sides_of_one_law_are_not_called_unlike() -> None:
    found = [difference_without_release(rows(2 * s), rows(2 * s + 1), seed=s).tells_apart for s in range(5)]
    assert not any(found)
    members, others = encoded(rows(0), 0), encoded(rows(1), 1)
    release = make_release(members.X, members.y, SCHEMA, unit="record", epsilon=1.0, delta=1e-6)
    attack = attack_release(release, members, others, SCHEMA, appearances=0, seed=0)
    assert not attack.unlike
    assert attack.before is not None
    assert "not surely told apart" in alike_text(attack.before)


@pytest.mark.parametrize("n", [2, 3, 9])
def test_a_few_rows_show_nothing(n: int) -> None:
    assert not difference_without_release(rows(0, n), rows(1, n, shift=0.3)).tells_apart or n > 3
