"""Hypotheses about several classes: their prior, labels of some classes, and what is left out."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from tacit.adoption.average.hypotheses import Hypothesis, Usage
from tacit.adoption.average.kernel_features import features_of
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.softmax_member import MOST_WEIGHTS, fit_softmax

SETTING = Setting(3, np.ones(1), np.array([[1.0, 0.0, -1.0]]))
NOTHING = np.empty(0, dtype=np.intp)


def problem(n: int = 60, *, trees: bool = False, seed: int = 0) -> tuple[Inputs, np.ndarray]:
    draw = np.random.default_rng(seed)
    Z = draw.normal(size=(n, 4))
    scores = 1.5 * Z[:, :3]
    codes = np.array([draw.choice(3, p=row) for row in softmax(scores, axis=1)])
    return Inputs((scores,), Z, features_of(Z, 4.0), 0.5 * scores if trees else None), codes


def hypothesis(*, sign: int = 1, kernel: str | None = None, trees: bool = False, shares: bool = False) -> Hypothesis:
    usage = Usage((0,), 0) if shares else Usage((sign,))
    return Hypothesis(usage, 0.5, kernel, 0.7 if kernel else 0.0, trees, 0.0)


def test_without_labels_the_release_is_believed_as_it_is() -> None:
    rows, _ = problem()
    member = fit_softmax(hypothesis(), rows.rows(slice(0, 0)), NOTHING, SETTING).member
    assert member.probabilities(rows) == pytest.approx(softmax(rows.scores[0], axis=1))
    assert member.log_evidence == 0
    against = fit_softmax(hypothesis(sign=-1), rows.rows(slice(0, 0)), NOTHING, SETTING).member
    assert against.scores(rows) == pytest.approx(-member.scores(rows))


def test_where_only_shares_hold_every_row_gets_them() -> None:
    rows, _ = problem()
    member = fit_softmax(hypothesis(shares=True), rows.rows(slice(0, 0)), NOTHING, SETTING).member
    assert member.probabilities(rows) == pytest.approx(np.tile(softmax([1.0, 0.0, -1.0]), (60, 1)))


def test_labels_move_the_weight_of_a_release_that_is_too_sure() -> None:
    draw = np.random.default_rng(1)
    Z = draw.normal(size=(300, 4))
    codes = np.array([draw.choice(3, p=row) for row in softmax(Z[:, :3], axis=1)])
    rows = Inputs((3 * Z[:, :3],), Z, {})
    member = fit_softmax(hypothesis(), rows, codes, SETTING).member
    assert 0.2 < member.shared[0] < 0.6


def test_a_class_without_a_label_keeps_what_the_release_says_of_it() -> None:
    rows, codes = problem(80)
    some = np.flatnonzero(codes != 2)
    kept = Inputs((rows.scores[0][some],), rows.Z[some], rows.features)
    member = fit_softmax(hypothesis(kernel="linear"), kept, codes[some], SETTING).member
    assert member.present.tolist() == [0, 1]
    assert member.weights[:, 2].tolist() == [0.0] * len(member.weights)
    assert member.probabilities(rows)[:, 2].mean() == pytest.approx((codes == 2).mean(), abs=0.12)


def test_weights_turn_scores_about_their_mean_over_rows_if_every_class_has_labels() -> None:
    rows, codes = problem(80)
    scores = rows.scores[0] + SETTING.mean_scores[0]
    free = Hypothesis(Usage((1,)), 1e3, None, 0.0, trees=False, log_prior=0.0)
    level = Setting(3, SETTING.precisions, np.zeros((1, 3)))
    first = fit_softmax(free, rows, codes, level).member
    second = fit_softmax(free, Inputs((scores,), rows.Z, {}), codes, SETTING).member
    assert second.shared == pytest.approx(first.shared, abs=1e-3)
    assert second.probabilities(Inputs((scores,), rows.Z, {})) == pytest.approx(first.probabilities(rows), abs=1e-4)


def test_without_a_release_a_class_without_a_label_becomes_unlikely() -> None:
    rows, codes = problem(80)
    some = np.flatnonzero(codes != 2)
    own = Hypothesis(Usage((0,)), 1.5, "linear", 0.7, trees=False, log_prior=0.0)
    kept = Inputs((rows.scores[0][some],), rows.Z[some], rows.features)
    member = fit_softmax(own, kept, codes[some], SETTING).member
    assert member.present.tolist() == [0, 1, 2]
    assert member.probabilities(rows)[:, 2].mean() < 0.1


def test_the_evidence_is_the_product_of_left_out_labels_by_refitting() -> None:
    """The formula takes each row out of the normal posterior; fitting again without it is the slow oracle."""
    rows, codes = problem(40)
    fit = fit_softmax(hypothesis(kernel="linear"), rows, codes, SETTING)
    shown = fit.left_out(rows, codes)
    assert fit.member.log_evidence == pytest.approx(float(shown.sum()))
    oracle = []
    for left in range(40):
        rest = np.arange(40) != left
        others = Inputs((rows.scores[0][rest],), rows.Z[rest], rows.features)
        again = fit_softmax(hypothesis(kernel="linear"), others, codes[rest], SETTING).member
        oracle.append(float(log_softmax(again.scores(rows)[left])[codes[left]]))
    assert shown == pytest.approx(oracle, abs=0.05)


def test_covariances_are_those_of_the_posterior_by_draws() -> None:
    rows, codes = problem(30)
    fit = fit_softmax(hypothesis(kernel="linear"), rows, codes, SETTING)
    shown = fit.covariances(rows)
    assert shown == pytest.approx(shown.transpose(0, 2, 1))
    draw = np.random.default_rng(0)
    p = len(fit.deviations)
    u = np.linalg.solve(fit.posterior.root.T, draw.normal(size=(len(fit.posterior.mode), 20_000)))
    V = fit.deviations[:, :, None] * u[: 3 * p].reshape(p, 3, -1)
    F = np.concatenate([np.ones((30, 1)), rows.phi("linear")], axis=1)
    shared = fit.shared_deviations[0] * u[-1]
    scores = np.einsum("np,pcs->ncs", F, V) + (rows.scores[0] - SETTING.mean_scores[0])[:, :, None] * shared
    assert np.cov(scores[0]) == pytest.approx(shown[0], rel=0.05, abs=0.01)


def test_trees_say_nothing_of_a_class_without_a_label() -> None:
    rows, codes = problem(60, trees=True)
    some = np.flatnonzero(codes != 2)
    trees = rows.tree_scores()[some]
    kept = Inputs((rows.scores[0][some],), rows.Z[some], rows.features, trees)
    member = fit_softmax(hypothesis(trees=True), kept, codes[some], SETTING).member
    assert len(member.shared) == 2
    mean = trees[:, :2].mean(axis=1)
    expected = member.weights[0, 2] + member.shared[0] * rows.scores[0][some][:, 2] + member.shared[1] * mean
    assert member.scores(kept)[:, 2] == pytest.approx(expected)


def test_many_classes_read_fewer_features() -> None:
    draw = np.random.default_rng(0)
    Z = draw.normal(size=(150, 60))
    setting = Setting(20, np.empty(0), np.empty((0, 20)))
    own = Hypothesis(Usage(()), 1.5, "linear", 0.5, trees=False, log_prior=0.0)
    member = fit_softmax(own, Inputs((), Z, features_of(Z, 60.0)), np.arange(150) % 20, setting).member
    assert member.weights.shape == (1 + MOST_WEIGHTS // 20, 20)
    assert member.probabilities(Inputs((), Z, features_of(Z, 60.0))).sum(axis=1) == pytest.approx(1)


def test_the_weight_of_trees_is_the_last_of_the_shared_ones() -> None:
    rows, codes = problem(60, trees=True)
    setting = Setting(3, np.ones(1), np.zeros((1, 3)))
    with_trees = fit_softmax(hypothesis(trees=True), rows, codes, setting).member
    assert with_trees.tree_weight == with_trees.shared[1]
    assert fit_softmax(hypothesis(), rows, codes, setting).member.tree_weight == 1.0
