import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit.errors import InputError
from tacit.models.membership.mapping import MembershipMapping
from tacit.numerics.kernels import Floats


def data() -> tuple[Floats, Floats]:
    X, y = make_friedman1(600, noise=0.5, random_state=0)
    return X, y


@parametrize_with_checks([MembershipMapping(random_state=0)])
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_learns_a_smooth_function() -> None:
    X, y = data()
    assert MembershipMapping(random_state=0).fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.85


def test_landmarks_may_be_given() -> None:
    X = np.array([[0, 0], [1, 0], [0, 2], [1, 2], [0.5, 1], [0.25, 1.5]])
    Y = np.array([[0, 1, 0], [0.2, 0.8, 0], [0.1, 0.3, 0.5], [0.4, 0.1, 0.6], [0.2, 0.5, 0.3], [0.15, 0.4, 0.4]])
    model = MembershipMapping(landmarks=[[0.25, 0.5], [0.75, 1.5]]).fit(X, Y)
    expected = [[0.14374175, 0.59302306, 0.25584538], [0.04986724, 0.07507578, 0.08302252]]
    assert model.predict([[0.5, 0.5], [2.0, -1.0]]) == pytest.approx(np.array(expected), abs=1e-8)


def test_landmarks_of_another_width_are_refused() -> None:
    X, y = data()
    with pytest.raises(InputError, match=r"landmarks must have one column for each of the 10 features of X; got 3"):
        MembershipMapping(landmarks=np.zeros((4, 3))).fit(X, y)


def test_a_seed_repeats_the_fit() -> None:
    X, y = data()
    first, second, other = (MembershipMapping(random_state=seed).fit(X, y).predict(X) for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_less_smoothing_means_more_landmarks_and_a_closer_fit() -> None:
    X = np.random.default_rng(0).normal(size=(400, 2))
    y = np.sin(2 * X).sum(axis=1)
    smooth, close = (MembershipMapping(min_smoothing=least, random_state=0).fit(X, y) for least in (0.1, 1e-4))
    assert len(close.mapping_.landmarks) > len(smooth.mapping_.landmarks)
    assert close.score(X, y) > 2 * smooth.score(X, y) > 0.4


def test_far_from_every_landmark_it_answers_zero() -> None:
    X, y = data()
    assert np.abs(MembershipMapping(random_state=0).fit(X, y).predict(X[:3] + 1e6)).max() < 1e-20


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_outputs_have_the_kind_of_the_rows_and_the_shape_of_y(dtype: Any) -> None:
    X, y = data()
    one = MembershipMapping(random_state=0).fit(X.astype(dtype), y)
    assert one.predict(X[:5]).dtype == dtype
    assert one.predict(X[:5]).shape == (5,)
    column = MembershipMapping(random_state=0).fit(X.astype(dtype), y[:, None])
    assert column.predict(X[:5]).shape == (5, 1)
    two = MembershipMapping(random_state=0).fit(X.astype(dtype), np.column_stack([y, -y]))
    assert two.predict(X[:5]).shape == (5, 2)


@pytest.mark.parametrize(("name", "value"), [("max_landmarks", 0), ("min_smoothing", 0), ("min_smoothing", math.inf)])
def test_a_setting_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        MembershipMapping(**{name: value}).fit(*data())
