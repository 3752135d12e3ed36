"""The terms of a desk: the noise of an answer follows from the whole run."""

import math

import numpy as np
import pytest

from tacit.errors import InputError
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


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_noise_per_person_is_that_of_all_their_records(delta: float) -> None:
    record, person = (terms(epsilon=1.0, delta=delta, rows_per_person=rows) for rows in (None, 4))
    assert person.noise == pytest.approx(4 * record.noise, rel=1e-3)
    assert (person.budget.unit, person.budget.relation) == ("person", "replace")
    assert person.step is not None
    assert accounting.fits(person.step.event, person.budget)
    assert "at most 4 of them are one person's" in person.step.because


def test_terms_without_persons_read_as_they_did_before_there_were_any() -> None:
    assert "rows_per_person" not in terms().to_dict()
    again = DeskTerms.from_dict(terms(epsilon=1.0, rows_per_person=3).to_dict())
    assert again == terms(epsilon=1.0, rows_per_person=3)
    with pytest.raises(InputError, match="rows_per_person"):
        terms(rows_per_person=0)
