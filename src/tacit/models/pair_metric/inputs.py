"""The three shapes in which pairs arrive, brought to one: feature differences, labels, and who was compared."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from tacit import checks
from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.data.rows.pairs import AT_RANDOM, PairSet, bounded_degree, chain, matching, pair_signs, random_pairs
from tacit.errors import InputError
from tacit.models.bounded_rows import to_unit_cube
from tacit.numerics.pair_graph import KappaBounds, checked_edges, kappa_bounds
from tacit.records import record

KAPPAS = ("second", "prime", "degree")
TOPOLOGIES = ("chain", "matching")
GRAPH_DECLARED = "who is compared with whom was given, and is declared public"
KAPPA_DECLARED = "κ was given by the owner, who vouches that no relationship shows in more pairs"


@record
class Pairs:
    """K pairs: the features of both people, whether they are dissimilar, and what the graph says if it is known."""

    first: FloatArray  # [K, p]
    second: FloatArray  # [K, p]
    dissimilar: BoolArray  # [K]
    graph: KappaBounds | None
    public: str

    def differences(self, bounds: tuple[Any, Any]) -> FloatArray:
        """Return the differences [K, p] in the unit cube of ``bounds``."""
        return to_unit_cube(self.first, bounds) - to_unit_cube(self.second, bounds)


def from_classes(X: FloatArray, y: NDArray[Any], topology: str | float, random_state: Any) -> Pairs:
    """Return pairs of rows chosen at random, similar where their classes agree."""
    check_classification_targets(y)
    if len(X) < 2:
        raise InputError(f"X must have at least two rows to compare; got {len(X)} sample.")
    if len(np.unique(y)) < 2:
        raise InputError("y must hold at least two classes; got 1 class: all pairs would be similar.")
    indices = pairs_of_rows(len(X), topology, random_state).indices
    return from_indices(indices, pair_signs(y, indices), X, public=AT_RANDOM)


def from_indices(indices: IntArray, signs: ArrayLike, table: FloatArray, *, public: str = GRAPH_DECLARED) -> Pairs:
    """Return the pairs of rows of ``table`` that ``indices`` [K, 2] name."""
    edges = checked_edges(indices)
    if edges.min() < 0 or edges.max() >= len(table):
        raise InputError(f"pairs must hold indices from 0 to {len(table) - 1}, rows of preprocessor; got others.")
    return Pairs(table[edges[:, 0]], table[edges[:, 1]], dissimilar(signs, len(edges)), kappa_bounds(edges), public)


def from_features(pairs: FloatArray, signs: ArrayLike) -> Pairs:
    """Return pairs given as features [K, 2, p]: nobody can tell which rows are the same person."""
    if pairs.ndim != 3 or pairs.shape[1] != 2 or not len(pairs):
        raise InputError(f"pairs must be an array [K, 2, p] of at least one pair; got shape {pairs.shape}.")
    return Pairs(pairs[:, 0], pairs[:, 1], dissimilar(signs, len(pairs)), None, KAPPA_DECLARED)


def dissimilar(signs: ArrayLike, n_pairs: int) -> BoolArray:
    """Return which labels are -1; anything but 1 and -1 is refused, with the way to convert."""
    labels = np.asarray(signs)
    if labels.shape != (n_pairs,):
        raise InputError(f"y must have one label for each of {n_pairs} pairs; got shape {labels.shape}.")
    if not np.isin(labels, (-1, 1)).all():
        raise InputError(
            "y must hold 1 (similar) and -1 (dissimilar); got others. For 0 (similar) and 1 (dissimilar) use "
            "tacit.data.rows.pairs.signs_from_paper(y)."
        )
    return np.asarray(labels == -1)


def pairs_of_rows(n_rows: int, topology: str | float, random_state: Any) -> PairSet:
    """Return the pair set of that name; a whole number bounds the degree, another number is a density."""
    if isinstance(topology, str):
        pair_set = {"chain": chain, "matching": matching}[checks.one_of("topology", topology, TOPOLOGIES)]
        return pair_set(n_rows, random_state=random_state)
    if isinstance(topology, int):
        return bounded_degree(n_rows, topology, random_state=random_state)
    return random_pairs(n_rows, topology, random_state=random_state)


def kappa_of(kappa: int | str, graph: KappaBounds | None, *, transitive: bool) -> int:
    """Return κ: as given, or the bound of that name on the graph of pairs."""
    if not isinstance(kappa, str):
        return checks.whole("kappa", kappa)
    name = checks.one_of("kappa", kappa, KAPPAS)
    if graph is None:
        raise InputError(
            "kappa must be a whole number when pairs are given as features [K, 2, p]: who occurs twice cannot be told "
            "without reading private rows. Give kappa (1 if nobody does), or index pairs with a preprocessor."
        )
    if name == "degree":
        return graph.max_degree
    if not transitive:
        return graph.intransitive
    return graph.second if name == "second" else graph.prime
