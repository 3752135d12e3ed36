"""Fits inside a search over settings that no ledger counts: one warning says how often and how much is spent."""

import inspect
import warnings
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

from sklearn.model_selection import GridSearchCV, ParameterGrid, RandomizedSearchCV, check_cv

SEARCHES = (GridSearchCV, RandomizedSearchCV)
_warned: WeakSet[Any] = WeakSet()


def warn_of_uncounted_search(estimator: Any) -> None:
    """Warn once for each search if ``estimator``, which has no ledger, is fitted inside one.

    A search in worker processes is noticed when it fits the best settings, which it does in the process that called it.
    """
    search = next(_searches_above(), None)
    if search is None or search in _warned:
        return
    _warned.add(search)
    name, epsilons, n_splits = type(estimator).__name__, _epsilons(search, estimator), _n_splits(search)
    n_fits = len(epsilons) * n_splits + bool(search.refit)
    total = n_splits * sum(epsilons) + (max(epsilons) if search.refit else 0.0)
    again = ", and once more with the best" if search.refit else ""
    warnings.warn(
        f"{name} has no ledger and is fitted {n_fits} times in a {type(search).__name__}: {len(epsilons)} settings on "
        f"{n_splits} folds{again}. Each fit spends its own epsilon on the same private rows, up to epsilon "
        f"{total:g} in all, and the scores by which settings are chosen are not private at all. Choose settings on "
        "public data, or give a ledger, which counts.",
        UserWarning,
        stacklevel=2,
    )


def _searches_above() -> Iterator[Any]:
    """Yield the searches whose ``fit`` is being executed, the innermost first."""
    frame = inspect.currentframe()
    while frame is not None:
        caller = frame.f_locals.get("self")
        if frame.f_code.co_name == "fit" and isinstance(caller, SEARCHES):
            yield caller
        frame = frame.f_back


def _epsilons(search: Any, estimator: Any) -> list[float]:
    """Return the epsilon of each setting that is tried; of a random search, the largest that may be."""
    if isinstance(search, GridSearchCV):
        settings = list(ParameterGrid(search.param_grid))
        return [_epsilon(setting, estimator) for setting in settings]
    return [estimator.epsilon] * search.n_iter


def _epsilon(setting: dict[str, Any], estimator: Any) -> float:
    values = [value for name, value in setting.items() if name.rpartition("__")[2] == "epsilon"]
    return float(values[0] if values else estimator.epsilon)


def _n_splits(search: Any) -> int:
    splits: int = check_cv(search.cv).get_n_splits()
    return splits
