"""The epsilon that useful answers need."""

import math

import numpy as np
import pytest

from tacit.privacy.budget import LARGEST_EPSILON
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.terms import DeskTerms, rows_digest
from tacit.situations.feedback.desk.usefulness import USEFUL_NOISE, useful_epsilon, useful_words

N = 200
ARCHITECTURE = Architecture("linear", 2, 1)
RNG = np.random.default_rng(0)
X = RNG.random((N, 2))
Y = (X.sum(axis=1) > 1).astype(np.int64)


def terms(**changes: object) -> DeskTerms:
    plain = {"metric": "accuracy", "decimals": 3, "queries": 50, "n_rows": N, "rows": rows_digest(X, Y)}
    return DeskTerms(ARCHITECTURE, **{**plain, **changes})  # type: ignore[arg-type]  # tests vary them all


def test_about_epsilon_4_makes_a_thousand_queries_on_2000_records_useful() -> None:
    assert useful_epsilon(2000, 1000, delta=1e-6) == pytest.approx(4, abs=0.3)
    needed = useful_epsilon(500, 40, delta=0.0)
    assert needed == pytest.approx(math.sqrt(2) * 40 / (500 * USEFUL_NOISE), rel=0.05)
    for delta in (0.0, 1e-6):
        at = useful_epsilon(500, 40, delta=delta)
        assert terms(epsilon=at, delta=delta, queries=40, n_rows=500).noise <= USEFUL_NOISE
        assert terms(epsilon=0.8 * at, delta=delta, queries=40, n_rows=500).noise > USEFUL_NOISE


def test_a_small_table_needs_more_than_a_budget_may_hold_and_the_number_says_so() -> None:
    assert useful_epsilon(80, 1000, delta=1e-6) > LARGEST_EPSILON
    assert useful_epsilon(80, 1000, delta=0.0) > LARGEST_EPSILON
    assert useful_words(useful_epsilon(80, 1000, delta=1e-6)) == "more than epsilon 100"
    assert useful_words(4.0) == "about epsilon 4"
