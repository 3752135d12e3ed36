"""The terms of a desk: the noise of an answer follows from the whole run."""

import math

import numpy as np
import pytest

from tacit.privacy import accounting
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.terms import DeskTerms, rows_digest

N = 200
ARCHITECTURE = Architecture("linear", 2, 1)
RNG = np.random.default_rng(0)
X = RNG.random((N, 2))
Y = (X.sum(axis=1) > 1).astype(np.int64)


def terms(**changes: object) -> DeskTerms:
    plain = {"metric": "accuracy", "decimals": 3, "queries": 50, "n_rows": N, "rows": rows_digest(X, Y)}
    return DeskTerms(ARCHITECTURE, **{**plain, **changes})  # type: ignore[arg-type]  # tests vary them all


@pytest.mark.parametrize(("delta", "width"), [(0.0, math.sqrt(2) * 20 / N), (1e-6, None)])
def test_noise_is_that_of_the_whole_run_at_sensitivity_one_over_n(delta: float, width: float | None) -> None:
    offer = terms(epsilon=1.0, delta=delta, queries=20)
    step = offer.step
    assert step is not None
    assert step.mechanism.sensitivity == 1 / N
    assert step.times == 20
    assert accounting.fits(step.event, offer.budget)
    if width is not None:
        assert offer.noise == pytest.approx(width, rel=1e-3)
