"""Leaves pair_leakage.svg: how often an attacker names a relationship right, from a plain metric and from ours.

The attacker knows all pairs but the relationship of one, learns the metric for either conjecture, and picks the one
that matches what was handed out. Run: ``python docs/gallery/pair_leakage.py [FOLDER]``.
"""

# ruff: noqa: INP001, T201 - a script that prints
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from tacit.audit.relationship_attack import MetricLearner, attack, best_share
from tacit.data.rows.pairs import chain, pair_signs
from tacit.models.pair_metric.diagonal import PairMoments, diagonal_weights, magnitudes
from tacit.models.pair_metric.metric import PairMetric

BOUNDS = (0.0, 8.0)
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
TRIES = 200
WIDTH, HEIGHT, LEFT, TOP = 640, 380, 70, 60


def plain_metric(pairs: NDArray[np.float64], signs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the diagonal metric of true means: no noise, no privacy."""
    numbers, far = np.zeros(4, bool), signs < 0
    sizes = magnitudes((pairs[:, 0] - pairs[:, 1]) / (BOUNDS[1] - BOUNDS[0]), numbers)
    means = sizes[~far].mean(axis=0), sizes[far].mean(axis=0)
    moments = PairMoments(*means, np.zeros(4), 1 / (~far).sum() + 1 / far.sum(), numbers)
    weights = diagonal_weights(moments)[0] / (BOUNDS[1] - BOUNDS[0])
    return np.diag(weights**2)


def private_metric(epsilon: float, seeds: Iterator[int]) -> MetricLearner:
    """Return a learner that hands out a private metric, with another noise each time."""

    def learn(pairs: NDArray[np.float64], signs: NDArray[np.int64]) -> NDArray[np.float64]:
        model = PairMetric(epsilon, bounds=BOUNDS, mechanism="laplace", kappa=1, random_state=next(seeds))
        return model.fit(pairs, signs).get_mahalanobis_matrix()

    return learn


def shares() -> tuple[float, list[float]]:
    """Return the attacker's share of right guesses against the plain metric, and against ours at each epsilon."""
    X, y = load_iris(return_X_y=True)
    indices = chain(len(X), random_state=0).indices
    pairs, signs = X[indices], pair_signs(y, indices)
    seeds = count()
    plain = attack(plain_metric, plain_metric, pairs, signs, tries=TRIES).share
    ours = [
        attack(private_metric(epsilon, seeds), plain_metric, pairs, signs, tries=TRIES, random_state=k).share
        for k, epsilon in enumerate(EPSILONS)
    ]
    return plain, ours


def across(epsilon: float) -> float:
    """Return where an epsilon stands on the picture, on a logarithmic scale."""
    low, high = np.log(EPSILONS[0]), np.log(EPSILONS[-1])
    return float(LEFT + 30 + (WIDTH - LEFT - 200) * (np.log(epsilon) - low) / (high - low))


def down(share: float) -> float:
    """Return the height of a share between 0.4 and 1."""
    return TOP + (HEIGHT - TOP - 60) * (1 - (share - 0.4) / 0.6)


def text(x: float, y: float, words: str, more: str = "") -> str:
    """Return words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="13" {more}>{words}</text>'


def line(points: list[tuple[float, float]], colour: str, more: str = "") -> str:
    """Return a line through points."""
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2" {more}/>'


def picture(plain: float, ours: list[float]) -> str:
    """Return the drawing as SVG."""
    right = across(EPSILONS[-1])
    limit = [(across(e), down(best_share(e))) for e in np.geomspace(EPSILONS[0], EPSILONS[-1], 60)]
    measured = [(across(e), down(s)) for e, s in zip(EPSILONS, ours, strict=True)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT - 40, 28, "How often an attacker names a hidden relationship right", 'font-weight="bold"'),
    ]
    for share in (0.5, 0.75, 1.0):
        parts.append(line([(LEFT, down(share)), (right + 10, down(share))], "#ddd"))
        parts.append(text(LEFT - 10, down(share) + 4, f"{share:.0%}", 'text-anchor="end"'))
    parts += [text(across(e), HEIGHT - 38, f"{e:g}", 'text-anchor="middle"') for e in EPSILONS]
    parts.append(text((LEFT + right) / 2, HEIGHT - 14, "epsilon of the release, per pair", 'text-anchor="middle"'))
    parts.append(line([(LEFT, down(plain)), (right + 10, down(plain))], "#b2182b"))
    parts.append(text(right + 16, down(plain) + 4, f"plain metric: {plain:.0%}", 'fill="#b2182b"'))
    parts.append(line(limit, "#888", 'stroke-dasharray="5 4"'))
    parts.append(text(right + 16, down(best_share(EPSILONS[-1])) + 24, "dashed: no attacker above", 'fill="#666"'))
    parts.append(line(measured, "#2166ac"))
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2166ac"/>' for x, y in measured]
    parts.append(text(right + 16, measured[-1][1] + 4, "our metric", 'fill="#2166ac"'))
    parts.append(text(LEFT + 6, down(0.5) + 16, "guessing", 'fill="#666"'))
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Attack both and draw what was found."""
    plain, ours = shares()
    print(f"plain metric: right in {plain:.0%} of {TRIES} attacks")
    for epsilon, share in zip(EPSILONS, ours, strict=True):
        print(f"epsilon {epsilon:<5g} right in {share:.0%}, no attacker above {best_share(epsilon):.0%}")
    path = Path(sys.argv[1] if sys.argv[1:] else ".") / "pair_leakage.svg"
    path.write_text(picture(plain, ours), encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
