"""Batches of candidates and their scores as files, for owners without a network."""

import hashlib
from typing import Any

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError, ReleaseError
from tacit.files import atomic
from tacit.files.regular import FilePath, read_small
from tacit.files.strict_json import dump, load, plain_object
from tacit.releases.file import Model, read_model, write_model
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk, Refusal, ScoreQuery
from tacit.situations.feedback.desk.parameters import checked_vector
from tacit.situations.feedback.desk.tuning import Tuning

KIND = "desk_candidates"
MOST_CANDIDATES = 100_000
LARGEST_SCORES = 16 << 20


def write_candidates(tuning: Tuning, path: FilePath) -> int:
    """Write the open batch of a run to ``path`` and return how many candidates it has."""
    rows = checked_vector(tuning.search.ask())
    if not len(rows):
        raise InputError(f"the budget of {tuning.search.queries} queries is used up: there is nothing left to ask.")
    settings = {"run": tuning.run, "first": tuning.search.used, "architecture": tuning.architecture.to_dict()}
    write_model(Model(kind=KIND, arrays={"candidates": rows}, settings=settings), path)
    return len(rows)


def score_file(desk: Desk, provider: str, path: FilePath) -> dict[str, Any]:
    """Return the scores of the candidates in the file at ``path``, a query of ``provider`` each; JSON-ready.

    The queries have the same names as over the network, so scoring a file again is free of charge.
    """
    stored = read_model(path)
    if stored.kind != KIND or set(stored.arrays) != {"candidates"}:
        raise ReleaseError(f"{path} must hold candidates of `tacit tune ask`; it holds a {stored.kind!r}.")
    architecture = Architecture.from_dict(plain_object(stored.settings.get("architecture"), "architecture"))
    if architecture != desk.terms.architecture:
        raise InputError(f"{path} holds candidates of another architecture than the desk's.")
    run, first = str(stored.settings.get("run")), checks.whole("first", stored.settings.get("first"), least=0)
    rows = _rows(stored.arrays["candidates"], architecture)
    queries = [
        ScoreQuery(provider, f"{run}-{first + i}", hashlib.sha256(row.tobytes()).hexdigest(), row)
        for i, row in enumerate(rows)
    ]
    _require_room(desk, queries)
    scores = [_score(outcome) for outcome in desk.answer(queries)]
    return {"run": run, "first": first, "scores": scores, "receipt": str(desk.receipt())}


def write_scores(scored: dict[str, Any], path: FilePath) -> None:
    """Write scores to ``path``."""
    atomic.write_bytes(path, dump(scored) + b"\n")


def tell_scores(tuning: Tuning, path: FilePath) -> Tuning:
    """Return the run after the scores in the file at ``path``, which must be those of its open batch."""
    content = load(read_small(path, largest=LARGEST_SCORES), str(path))
    if content.get("run") != tuning.run or content.get("first") != tuning.search.used:
        raise InputError(f"{path} must hold the scores of the open batch of this run; it holds those of another.")
    return tuning.tell(checks.finite_array("scores", content.get("scores")))  # type: ignore[arg-type]  # checked there


def _rows(candidates: Any, architecture: Architecture) -> FloatArray:
    if candidates.ndim != 2 or candidates.shape[1] != architecture.n_parameters:
        raise InputError(f"candidates must have rows of {architecture.n_parameters}; got shape {candidates.shape}.")
    if not 0 < len(candidates) <= MOST_CANDIDATES:
        raise InputError(f"a file must hold 1 to {MOST_CANDIDATES} candidates; got {len(candidates)}.")
    return np.ascontiguousarray(checked_vector(candidates))


def _require_room(desk: Desk, queries: list[ScoreQuery]) -> None:
    """Raise InputError for a file that would be answered in part only."""
    name = queries[0].provider
    with desk.log.reading() as transaction:
        shares = {provider.name: provider.queries for provider in transaction.providers()}
        new = sum(transaction.answer(name, query.name) is None for query in queries)
        left = min(shares.get(name, 0) - transaction.used(name), desk.terms.queries - transaction.used())
    if name not in shares:
        raise InputError(f"there is no provider {name[:64]!r}: add one with `tacit desk provider add`.")
    if new > left:
        raise InputError(f"the file asks {new} new queries and {name} has {left} left. Nothing was charged.")


def _score(outcome: Any) -> float:
    if isinstance(outcome, Refusal):
        raise InputError(f"{outcome.value}.")
    return float(outcome.score)
