"""The shadow attack against normal laws, unprotected models, and the limit that a guarantee sets."""

import itertools

import numpy as np
import pytest

from tacit.arrays import FloatArray, IntArray
from tacit.audit.attacks.outcome import AttackOutcome, largest_true_rate, outcome
from tacit.audit.attacks.released_rows import nearest_distances
from tacit.audit.attacks.shadow import ScoreRows, ShadowScores, shadow_count, shadow_scores
from tacit.errors import InputError
from tacit.models.class_moments.nearest_mean import PrivateNearestMean

DELTA = 1e-2


def nearest_neighbour(X: FloatArray, y: IntArray) -> ScoreRows:
    return lambda rows, _: -nearest_distances(rows, X)


def class_mean(X: FloatArray, y: IntArray) -> ScoreRows:
    means = np.stack([X[y == code].mean(axis=0) for code in (0, 1)])
    return lambda rows, codes: -((rows - means[codes]) ** 2).sum(axis=1)


def attacked(train: object, X: FloatArray, y: IntArray, size: int) -> AttackOutcome:
    """Return what the attack reaches on a model of the first ``size`` rows."""
    observed = train(X[:size], y[:size])(X, y)  # type: ignore[operator]
    log_ratios = shadow_scores(train, X, y, size=size, appearances=16).log_ratio(observed)  # type: ignore[arg-type]
    return outcome("shadow", log_ratios[:size], log_ratios[size:])


def test_the_evidence_is_the_log_ratio_of_normal_densities() -> None:
    generator = np.random.default_rng(0)
    a, b, d, s = generator.normal(size=(4, 9))
    shadows = ShadowScores(a, b, np.abs(d))
    by_hand = (-((s - a) ** 2) + (s - b) ** 2) / (2 * d**2)
    np.testing.assert_allclose(shadows.log_ratio(s), by_hand, rtol=1e-9)


def test_shadows_are_the_means_with_and_without_a_row() -> None:
    X, y = np.arange(6.0).reshape(6, 1), np.zeros(6, dtype=int)

    def train(rows: FloatArray, codes: IntArray) -> ScoreRows:
        return lambda X, y: 10.0 * np.isin(X[:, 0], rows[:, 0]) + X[:, 0]

    scores = shadow_scores(train, X, y, size=2, appearances=20)
    np.testing.assert_allclose(scores.inside, 10 + X[:, 0])
    np.testing.assert_allclose(scores.outside, X[:, 0])
    # A score that repeats itself exactly still leaves a finite ratio.
    assert np.isfinite(scores.log_ratio(scores.inside)).all()
    assert (scores.log_ratio(scores.inside) > 0).all()
    assert (scores.log_ratio(scores.outside) < 0).all()


def test_scores_that_say_nothing_leave_no_evidence() -> None:
    X, y = np.random.default_rng(0).random((10, 2)), np.zeros(10, dtype=int)
    scores = shadow_scores(lambda rows, codes: lambda X, y: np.zeros(len(X)), X, y, size=5, appearances=4)
    assert (scores.log_ratio(np.zeros(10)) == 0).all()


def test_every_row_is_in_and_out_often_enough() -> None:
    assert shadow_count(100, 50, 16) == 32
    assert shadow_count(100, 10, 16) == shadow_count(100, 90, 16) == 160
    with pytest.raises(InputError, match="size must be between 1 and 9"):
        shadow_count(10, 10, 16)
    with pytest.raises(InputError, match="appearances"):
        shadow_count(10, 5, 0)


def test_a_nearest_neighbour_model_gives_everybody_away() -> None:
    generator = np.random.default_rng(1)
    X, y = generator.random((240, 5)), np.zeros(240, dtype=int)
    attack = attacked(nearest_neighbour, X, y, 120)
    assert attack.area > 0.99
    rate = attack.true_rate(0.01)
    assert rate.value is not None
    assert rate.value > 0.9


def test_means_of_few_rows_without_noise_give_much_away_and_the_plain_threshold_less() -> None:
    generator = np.random.default_rng(2)
    scales = generator.gamma(2.0, 0.5, (240, 1))  # rows differ in length, so that plain distances say little
    X, y = scales * generator.normal(size=(240, 60)), np.arange(240) % 2
    attack = attacked(class_mean, X, y, 40)
    plain = class_mean(X[:40], y[:40])(X, y)
    assert attack.area > 0.75
    assert attack.area > outcome("plain", plain[:40], plain[40:]).area + 0.1


def attack_on_one_row(epsilon: float, shadows: int, releases: int) -> AttackOutcome:
    """Return what shadow releases teach about one row in a corner, tried on fresh releases with and without it."""
    table = np.linspace(0.3, 0.7, 40).reshape(20, 2)
    y = np.arange(20) % 2
    row = np.array([[1.0, 1.0]])
    seeds = itertools.count()

    def score(inside: bool) -> float:
        X, codes = (np.vstack([table, row]), np.append(y, 1)) if inside else (table, y)
        model = PrivateNearestMean(epsilon, bounds=(0, 1), delta=DELTA, classes=[0, 1], random_state=next(seeds))
        model.fit(X, codes)
        return float(model.counts_[1] * (1 + model.means_[1].sum()))

    learned = {inside: np.array([score(inside) for _ in range(shadows)]) for inside in (True, False)}
    residuals = np.concatenate([learned[True] - learned[True].mean(), learned[False] - learned[False].mean()])
    learned_scores = ShadowScores(
        learned[True].mean(keepdims=True), learned[False].mean(keepdims=True), residuals.std(keepdims=True)
    )
    tried = {inside: np.array([score(inside) for _ in range(releases)]) for inside in (True, False)}
    return outcome("one row", learned_scores.log_ratio(tried[True]), learned_scores.log_ratio(tried[False]))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_no_attack_on_a_private_release_passes_the_limit_of_its_guarantee(epsilon: float) -> None:
    attack = attack_on_one_row(epsilon, shadows=50, releases=200)
    shown = attack.epsilon_shown(DELTA)
    assert shown is not None
    assert shown <= epsilon
    for rate in (0.01, 0.05, 0.2, 0.5):
        # 95 % intervals lie below the limit but for their own 2.5 % of misses; the true rates are well below it.
        allowed = float(largest_true_rate(np.array(rate), epsilon, DELTA))
        assert attack.true_rate(rate).interval[0] <= allowed


def test_the_same_attack_catches_a_release_that_claims_too_little() -> None:
    attack = attack_on_one_row(20.0, shadows=50, releases=200)
    shown = attack.epsilon_shown(DELTA)
    assert shown is not None
    assert shown > 1.0
    assert attack.true_rate(0.05).interval[0] > float(largest_true_rate(np.array(0.05), 1.0, DELTA))
