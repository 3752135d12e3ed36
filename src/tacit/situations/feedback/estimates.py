"""Estimates from scores: random directions, normalised feedback, and the step of the mean that both give."""

import hashlib
import math

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray


def normalised(scores: FloatArray) -> FloatArray:
    """Return scores [b] less their mean, over their (unbiased) standard deviation; zeros if they are all equal.

    [feedback] Alg. 2, line 4. Equal scores carry no information; a quotient of rounding errors would pretend some.
    """
    if np.ptp(scores) == 0:
        return np.zeros_like(scores)
    # The largest deviation goes first, so that tiny and huge scores alike keep a finite square.
    centred = scores / np.abs(scores).max()
    centred = centred - centred.mean()
    spread = centred.std(ddof=1)
    return np.asarray(centred / spread) if spread > 0 else np.zeros_like(scores)


def normalised_ranks(values: FloatArray) -> FloatArray:
    """Return the ranks of values [b] on the scale of ``normalised``; ties share their mean rank."""
    return normalised(np.asarray(rankdata(values), dtype=np.float64))


def mirrored(half: FloatArray) -> FloatArray:
    """Return directions [2m, p], the i-th from the end minus the i-th from the front ([feedback] Alg. 2, line 2)."""
    return np.concatenate([half, -half[::-1]])


def default_step(sigma: float, n_queries: int) -> float:
    """Return 0.25 σ² √b: a step that takes the mean about a quarter as far as one perturbation reaches.

    With normalised feedback |Σ ε_i s_i| is about √(b p), so the move η/(σb) |Σ ε_i s_i| is about 0.25 σ √p.
    """
    return 0.25 * sigma**2 * math.sqrt(n_queries)


def move(directions: FloatArray, feedback: FloatArray, *, sigma: float, step: float) -> FloatArray:
    """Return η/(σ b) Σ_i ε_i s_i [p] ([feedback] Alg. 2, line 5; eq. 5.9 times the step)."""
    scaled: FloatArray = feedback @ directions * (step / (sigma * len(directions)))
    return scaled


def layer_probabilities(importance: FloatArray, base_chance: float = 0.0) -> FloatArray:
    """Return (1 − γ) softmax(α) + γ/H [H], the chances of the layers in the second stage ([feedback] eq. 5.11)."""
    weights = np.exp(importance - importance.max())
    return np.asarray((1 - base_chance) * weights / weights.sum() + base_chance / len(importance))


def regret_bound(reliance: float, greatest_gain: float, *, n_layers: int, units: float) -> float:
    """Return (β c (e − 2) + 1) G + (c/β) ln H, the bound of [feedback] Theorem 5 on what LCPS loses to the best layers.

    c is the number of units of the second stage. It is above G at every β: a search that gains nothing keeps it too.
    """
    return (reliance * units * (math.e - 2) + 1) * greatest_gain + units / reliance * math.log(n_layers)


def best_reliance(n_layers: int, *, expected_gain: float) -> float:
    """Return β = sqrt(ln H / ((e − 2) G)), which makes the bound of [feedback] Theorem 5 least.

    The bound itself says little: at every β it exceeds the regret of a search that gains nothing.
    """
    return math.sqrt(math.log(n_layers) / ((math.e - 2) * expected_gain))


def standard_normal(seed: int, turn: int, shape: tuple[int, ...]) -> FloatArray:
    """Return standard normal numbers that depend on the seed and the turn alone, so that no generator is stored."""
    drawn: FloatArray = check_random_state(_derived(f"{seed}:{turn}:directions")).standard_normal(shape)
    return drawn


def drawn_layer(seed: int, turn: int, probabilities: FloatArray) -> int:
    """Return a layer drawn with these probabilities [H]; it depends on the seed and the turn alone."""
    point = check_random_state(_derived(f"{seed}:{turn}:layer")).uniform()
    # The cumulative sum may end a rounding error below 1.
    return int(min(np.searchsorted(probabilities.cumsum(), point, side="right"), len(probabilities) - 1))


def _derived(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4])
