"""The graph of pairs: how many pairs reveal one relationship, bounded by one depth-first search.

People are nodes, pairs are edges. The relationship of two people is revealed by every path between them, their
features by every cycle through them. [pairs] section 3.4 and appendix A.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from tacit.arrays import IntArray
from tacit.errors import InputError


@dataclass(frozen=True)
class KappaBounds:
    """Upper bounds on κ of one graph, each at least as large as the one before it."""

    second: int
    """κ'': for s and t joined by a path min(k_s, k_t), for others min(k_s, k_t) - 1, at most."""
    prime: int
    """κ' = max k_v: [pairs] eq. A.2."""
    max_degree: int
    """What protecting a whole person costs (Node DP)."""
    intransitive: int
    """A bound for relationships that reveal nothing about third people: [pairs] appendix A.2."""


@dataclass(frozen=True)
class _Search:
    """One depth-first search: preorder numbers, parents (-1 for a root) and low points."""

    preorder: IntArray
    parents: IntArray
    low: IntArray


def checked_edges(pairs: ArrayLike) -> IntArray:
    """Return ``pairs`` as an integer array [K, 2] with K >= 1 and no person paired with themselves."""
    edges = np.asarray(pairs)
    if edges.ndim != 2 or edges.shape[1] != 2 or not len(edges):
        raise InputError(f"pairs must be an array [K, 2] of at least one pair of indices; got shape {edges.shape}.")
    if not np.issubdtype(edges.dtype, np.integer):
        raise InputError(f"pairs must hold whole numbers, the indices of people; got {edges.dtype}.")
    if (edges[:, 0] == edges[:, 1]).any():
        raise InputError("pairs must join two different people; got a person paired with themselves. Drop such pairs.")
    return edges.astype(np.int64)


def kappa_bounds(pairs: ArrayLike) -> KappaBounds:
    """Return the bounds on κ of the graph of ``pairs`` [K, 2], in O(V + E); a repeated pair is a second edge.

    k_v = degree(v) - blocks(v) + 1. A path from s to t uses edges of one block at s only, so after removing the paths
    the other blocks(s) - 1 blocks still hold one edge each that closes no cycle: paths + c_s <= k_s, and likewise for
    t. Without a path between them c_s = k_s - 1 remains.
    """
    graph = _adjacency(checked_edges(pairs))
    search = _search(graph)
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    k = degrees - _blocks(search) + 1
    labels = connected_components(graph, directed=False)[1].astype(np.int64)
    return KappaBounds(
        second=_second(k, labels),
        prime=int(k.max()),
        max_degree=int(degrees.max()),
        intransitive=_intransitive(k - 1, search),
    )


def _adjacency(edges: IntArray) -> csr_array:
    """Return the symmetric matrix of edge counts over the people that occur."""
    _, codes = np.unique(edges, return_inverse=True)
    ends = codes.reshape(edges.shape)
    size = int(codes.max()) + 1
    both = np.concatenate([ends, ends[:, ::-1]])
    # csr sums repeated entries: a pair given twice is an edge of multiplicity 2.
    return csr_array(coo_array((np.ones(len(both), np.int64), (both[:, 0], both[:, 1])), shape=(size, size)))


def _search(graph: csr_array) -> _Search:
    """Return a depth-first search of every component, without recursion.

    scipy's own search takes time in the square of a node's degree.

    low(v) is the smallest preorder number that v's subtree reaches without the edge from v to its parent.
    """
    size = graph.shape[0]
    following, ends, neighbours = graph.indptr[:-1].tolist(), graph.indptr[1:].tolist(), graph.indices.tolist()
    preorder, low, parents = [-1] * size, [0] * size, [-1] * size
    visited = 0
    for root in range(size):
        path = [root] if preorder[root] < 0 else []
        while path:
            node = path[-1]
            if preorder[node] < 0:
                preorder[node] = low[node] = visited
                visited += 1
            place = following[node]
            if place < ends[node]:
                following[node] = place + 1
                neighbour = neighbours[place]
                if preorder[neighbour] < 0:
                    parents[neighbour] = node
                    path.append(neighbour)
                elif neighbour != parents[node] and preorder[neighbour] < low[node]:
                    low[node] = preorder[neighbour]
            else:
                path.pop()
                if path and low[node] < low[path[-1]]:
                    low[path[-1]] = low[node]
    return _Search(np.array(preorder), np.array(parents), np.array(low))


def _blocks(search: _Search) -> IntArray:
    """Return in how many blocks (maximal subgraphs without a cut node) each node lies.

    A child starts a block of its own at its parent if its subtree reaches no further up; another block leads from
    each node to its own parent.
    """
    children = np.flatnonzero(search.parents >= 0)
    parents = search.parents[children]
    opens = search.low[children] >= search.preorder[parents]
    return np.bincount(parents[opens], minlength=len(search.low)) + (search.parents >= 0)


def _second(k: IntArray, labels: IntArray) -> int:
    """Return the largest min(k_s, k_t) within a component, or min(k_s, k_t) - 1 between two."""
    order = np.lexsort((-k, labels))
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    # Every person that occurs has a pair, so each component holds at least two.
    within = int(k[order[starts + 1]].max())
    peaks = np.sort(k[order[starts]])
    across = int(peaks[-2]) - 1 if len(peaks) > 1 else 0
    return max(within, across)


def _intransitive(c: IntArray, search: _Search) -> int:
    """Return a bound on 1 + min(c_s, c_t) over pairs, taken without the pair, and min(c_s, c_t) over all others.

    Taking away the r edges of a pair that closes no cycle with others lowers c by r - 1 at both ends; taking away the
    r edges of any other pair lowers it by r or more. Together with the r edges: at most c + 1 and c.
    """
    children = np.flatnonzero(search.parents >= 0)
    parents = search.parents[children]
    alone = search.low[children] > search.preorder[parents]
    bridges = np.minimum(c[children[alone]], c[parents[alone]])
    return max(1, int(bridges.max(initial=-1)) + 1, int(np.partition(c, -2)[-2]))
