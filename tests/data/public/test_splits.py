"""Which labels a learner gets to see."""

import numpy as np
import pytest

from tacit.data.public.splits import few_labels
from tacit.errors import InputError

Y = np.array([0, 1, 2, -1] * 25)


def test_each_class_keeps_as_many_labels_as_asked() -> None:
    shown = few_labels(Y, per_class=7, random_state=0)
    assert [int((shown == code).sum()) for code in range(3)] == [7, 7, 7]
    labelled = shown >= 0
    np.testing.assert_array_equal(shown[labelled], Y[labelled])


def test_the_draw_follows_the_seed() -> None:
    first = few_labels(Y, per_class=3, random_state=1)
    np.testing.assert_array_equal(first, few_labels(Y, per_class=3, random_state=1))
    assert (first != few_labels(Y, per_class=3, random_state=2)).any()


def test_the_given_labels_stay_as_they_were() -> None:
    before = Y.copy()
    few_labels(Y, per_class=1, random_state=0)
    np.testing.assert_array_equal(Y, before)


def test_more_labels_than_a_class_has_are_refused() -> None:
    with pytest.raises(InputError, match="per_class must be at most the smallest class's 25 rows; got 26"):
        few_labels(Y, per_class=26)
    with pytest.raises(InputError, match="per_class must be a whole number"):
        few_labels(Y, per_class=0)
