"""Private estimators whose epsilon protects a person: at most K of their rows are read, and noise hides K rows."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arrays import BoolArray
from tacit.data.rows.contribution import kept_rows
from tacit.errors import InputError
from tacit.privacy.account import Plan
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import as_ledger
from tacit.releases.kind import choice_key, for_persons, person_loss, require_rows_per_person

AnyEstimator = TypeVar("AnyEstimator", bound=Any)


@dataclass(eq=False, repr=False, kw_only=True)
class PersonMixin:
    """The parameter of estimators that protect a record, or a person with all their rows.

    Parameters
    ----------
    rows_per_person : int or None
        None: epsilon protects one record. K, a public number: epsilon protects one person; ``fit`` is told by
        ``persons`` [N] whose row each is, reads at most K rows of each, chosen by a key and not by values, and none
        that is nobody's. Noise is made for K rows at once.
    """

    rows_per_person: int | None = None


def contributed_rows(
    estimator: PersonMixin, persons: ArrayLike | None, *columns: NDArray[Any]
) -> tuple[NDArray[Any], ...]:
    """Return the rows of ``columns`` that ``estimator`` reads: all, or at most K of each of ``persons``."""
    most = estimator.rows_per_person
    if (most is None) != (persons is None):
        raise InputError(
            "persons and rows_per_person must be given together: whose row each is, and the most rows of one person "
            "that are read."
        )
    if most is None:
        return columns
    read = _read_rows(np.asarray(persons), most, _key(estimator), len(columns[0]))
    return tuple(column[read] for column in columns)


def _read_rows(persons: NDArray[Any], most: int, key: bytes, n_rows: int) -> BoolArray:
    if persons.shape != (n_rows,):
        raise InputError(f"persons must name a person for each of {n_rows} rows; got shape {persons.shape}.")
    # Rows that are nobody's are not read at all, so that they can tell nothing of whoever they belong to.
    named = np.array([each is not None and str(each).strip() not in ("", "nan", "NaT") for each in persons.tolist()])
    read = np.zeros(n_rows, dtype=np.bool_)
    read[named] = kept_rows(persons[named], rows_per_person=most, key=key)
    return read


def _key(estimator: Any) -> bytes:
    return choice_key(as_ledger(estimator.ledger), estimator.random_state)


def promised_plan(
    estimator: AnyEstimator, plan_per_record: Callable[[AnyEstimator], Plan]
) -> tuple[AnyEstimator, Plan]:
    """Return the estimator whose settings the steps follow, and the plan that is charged for what was promised.

    Per record they are the estimator itself and its own plan. Per person the estimator is a copy with the smaller
    epsilon per record at which K rows together cost what a person was promised; the steps meet K rows at once.
    """
    rows = estimator.rows_per_person
    if rows is None:
        return estimator, plan_per_record(estimator)
    require_rows_per_person(Unit.PERSON, rows)
    promise = Budget(estimator.epsilon, getattr(estimator, "delta", 0.0), unit=Unit.PERSON)

    def at(epsilon: float, delta: float) -> AnyEstimator:
        each = copy.copy(estimator)
        each.epsilon, each.rows_per_person = epsilon, None
        if promise.delta:
            each.delta = delta
        return each

    each = at(*person_loss(lambda *loss: plan_per_record(at(*loss)), promise, rows))
    return each, for_persons(plan_per_record(each), promise, rows)
