"""A provider's run at a desk: the search, the names of its queries, and the file that it resumes from."""

import uuid
from dataclasses import replace
from typing import Any, Self

from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError, ReleaseError
from tacit.files.regular import FilePath
from tacit.files.strict_json import plain_object
from tacit.records import record
from tacit.releases.file import Model, read_model, write_model
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.parameters import checked_vector, encode_parameters
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import Search
from tacit.situations.feedback.storage import search_from_arrays, search_to_arrays

KIND = "desk_tuning"
METHODS = ("pps", "lcps", "random")


@record
class Tuning:
    """A run: its random name, the architecture that the desk scores, and the state of the search.

    Query number i of the run always has the name ``<run>-<i>``. After a crash the open batch is sent again under the
    same names, and the desk returns the stored answers.
    """

    run: str
    architecture: Architecture
    search: Search

    @classmethod
    def start(cls, architecture: Architecture, search: Search) -> Self:
        """Return a new run."""
        return cls(uuid.uuid4().hex[:16], architecture, search)

    def batch(self) -> list[tuple[str, bytes]]:
        """Return the names and bodies of the open batch."""
        first = self.search.used
        # The desk reads tiny numbers as 0: the scores must be those of the vectors that are sent.
        rows = checked_vector(self.search.ask())
        return [(f"{self.run}-{first + i}", encode_parameters(row, self.architecture)) for i, row in enumerate(rows)]

    def tell(self, scores: ArrayLike) -> Self:
        """Return the run after the scores of the open batch."""
        return replace(self, search=self.search.tell(scores))


def new_search(
    method: str,
    start: FloatArray,
    architecture: Architecture,
    *,
    queries: int,
    sigma: float,
    batch: int,
    seed: int | None,
) -> Search:
    """Return a search of ``method`` from ``start``; layers are the arrays of the architecture."""
    checks.one_of("method", method, METHODS)
    settings: dict[str, Any] = {"queries": queries, "sigma": sigma, "random_state": seed}
    if method == "lcps":
        return LayerwiseSearch(start, sizes=architecture.sizes, unit=batch, **settings)
    search = PerformanceSearch if method == "pps" else RandomSearch
    return search(start, batch=batch, **settings)


def write_tuning(tuning: Tuning, path: FilePath) -> None:
    """Write the run to ``path``, whole or not at all."""
    search, arrays = search_to_arrays(tuning.search)
    settings = {"run": tuning.run, "architecture": tuning.architecture.to_dict(), "search": search}
    write_model(Model(kind=KIND, arrays=arrays, settings=settings), path)


def read_tuning(path: FilePath) -> Tuning:
    """Return the run in the file at ``path``."""
    stored = read_model(path)
    if stored.kind != KIND:
        raise ReleaseError(f"{path} must hold a run of `tacit tune`; it holds a model of kind {stored.kind!r}.")
    settings = stored.settings
    architecture = Architecture.from_dict(plain_object(settings["architecture"], "architecture"))
    search = search_from_arrays(plain_object(settings["search"], "search"), stored.arrays)
    if len(search.mean) != architecture.n_parameters:
        raise InputError(
            f"{path}: its search has {len(search.mean)} parameters, the model {architecture.n_parameters}."
        )
    return Tuning(str(settings["run"]), architecture, search)
