"""κ of a small graph of pairs, exactly: edge-disjoint paths plus the edges that close cycles."""

from collections import Counter, defaultdict, deque
from itertools import combinations, pairwise

from numpy.typing import ArrayLike

from tacit.numerics.pair_graph import checked_edges

# Neighbours of each node with the number of edges to them.
Graph = dict[int, Counter[int]]


def exact_kappa(pairs: ArrayLike) -> int:
    """Return κ = max over s, t of |P_st| + min(c_s, c_t): [pairs] eq. 3.5, in O(V² E κ) time.

    P_st is a largest set of edge-disjoint paths between s and t, built of shortest augmenting paths; c_s counts the
    edges that must go, after its removal, until s lies on no cycle.
    """
    graph = _graph(pairs)
    return max(_correlated(graph, s, t) for s, t in combinations(sorted(graph), 2))


def exact_intransitive_kappa(pairs: ArrayLike) -> int:
    """Return κ for relationships that reveal nothing about third people: [pairs] appendix A.2."""
    graph = _graph(pairs)
    return max(_correlated_features(graph, s, t) for s, t in combinations(sorted(graph), 2))


def edge_disjoint_paths(graph: Graph, s: int, t: int) -> list[list[int]]:
    """Return a largest set of edge-disjoint paths from s to t, each as its nodes: Menger by unit flows."""
    flow: dict[int, Counter[int]] = defaultdict(Counter)
    while (path := _augmenting(graph, flow, s, t)) is not None:
        for a, b in pairwise(path):
            flow[a][b] += 1
            flow[b][a] -= 1
    return [_follow(flow, s, t) for _ in range(sum(units for units in flow[s].values() if units > 0))]


def cycle_edges(graph: Graph, s: int) -> int:
    """Return c_s = degree(s) less one edge to each component that s is joined to once s is taken away."""
    components = 0
    waiting = set(graph[s])
    while waiting:
        components += 1
        waiting -= _reached(graph, waiting.pop(), without=s)
    return sum(graph[s].values()) - components


def _graph(pairs: ArrayLike) -> Graph:
    graph: Graph = defaultdict(Counter)
    for a, b in checked_edges(pairs).tolist():
        graph[a][b] += 1
        graph[b][a] += 1
    return graph


def _without(graph: Graph, paths: list[list[int]]) -> Graph:
    left: Graph = {node: Counter(edges) for node, edges in graph.items()}
    for path in paths:
        for a, b in pairwise(path):
            left[a] -= Counter([b])
            left[b] -= Counter([a])
    return left


def _correlated(graph: Graph, s: int, t: int) -> int:
    paths = edge_disjoint_paths(graph, s, t)
    left = _without(graph, paths)
    return len(paths) + min(cycle_edges(left, s), cycle_edges(left, t))


def _correlated_features(graph: Graph, s: int, t: int) -> int:
    direct = graph[s][t]
    left = _without(graph, [[s, t]] * direct)
    return direct + min(cycle_edges(left, s), cycle_edges(left, t))


def _augmenting(graph: Graph, flow: dict[int, Counter[int]], s: int, t: int) -> list[int] | None:
    """Return a shortest path on which one more unit can flow, or None."""
    came_from = {s: s}
    queue = deque([s])
    while queue:
        node = queue.popleft()
        if node == t:
            return _traced(came_from, t)
        for neighbour, edges in graph[node].items():
            if neighbour not in came_from and flow[node][neighbour] < edges:
                came_from[neighbour] = node
                queue.append(neighbour)
    return None


def _traced(came_from: dict[int, int], t: int) -> list[int]:
    path = [t]
    while came_from[path[-1]] != path[-1]:
        path.append(came_from[path[-1]])
    return path[::-1]


def _follow(flow: dict[int, Counter[int]], s: int, t: int) -> list[int]:
    """Take one unit of flow away and return its path; a loop on the way is no part of it."""
    path = [s]
    while path[-1] != t:
        node = path[-1]
        following = next(other for other, units in flow[node].items() if units > 0)
        flow[node][following] -= 1
        if following in path:
            del path[path.index(following) + 1 :]
        else:
            path.append(following)
    return path


def _reached(graph: Graph, start: int, *, without: int) -> set[int]:
    nodes, waiting = {start}, [start]
    while waiting:
        new = {other for other, edges in graph[waiting.pop()].items() if edges and other != without} - nodes
        nodes |= new
        waiting.extend(new)
    return nodes
