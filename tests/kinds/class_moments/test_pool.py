"""Which releases of class sums are read as one."""

from functools import cache

import numpy as np
import pytest

from tacit.data.public.datasets import load_digits
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND
from tacit.releases.file import Release

DIGITS = load_digits()


@cache
def release(first: int, *, unit: str = "record", last: int = 300) -> Release:
    rows = slice(first, first + last)
    X, y = DIGITS.X_train[rows], DIGITS.y_train[rows]
    return KIND.release(X, y, DIGITS.schema, unit=unit, epsilon=2.0, delta=1e-6, random_state=first)


def test_class_sums_of_pictures_add_up() -> None:
    pooled = KIND.pool([release(0), release(300)])
    assert pooled is not None
    assert pooled.release.kind == release(0).kind
    assert pooled.release.arrays["counts"].sum() > 0.9 * sum(release(k).arrays["counts"].sum() for k in (0, 300))
    assert pooled.shares == pytest.approx((0.5, 0.5), abs=0.1)


def test_an_owner_of_more_rows_counts_more() -> None:
    pooled = KIND.pool([release(0, last=200), release(300, last=900)])
    assert pooled is not None
    assert pooled.shares[1] > 0.7


def test_what_is_no_sum_of_the_same_features_is_not_pooled() -> None:
    assert KIND.pool([release(0), release(300, unit="entry")]) is None
    columns = Schema((Numeric("a", (0, 1)), Label("class", DIGITS.schema.classes)))
    rows = np.linspace(0, 1, 200)[:, None]
    table = KIND.release(rows, np.arange(200) % 10, columns, unit="record", epsilon=2.0, delta=1e-6, random_state=0)
    assert KIND.pool([release(0), table]) is None
    assert KIND.pool([table, table]) is None
