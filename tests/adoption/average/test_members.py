"""Hypotheses fitted to labels of two and of several classes."""

import numpy as np
import pytest
from scipy.special import expit

from tacit.adoption.average.binary_member import DAMPING, TREES_MEAN, fit_binary
from tacit.adoption.average.hypotheses import WEIGHT_SD, Hypothesis, Usage
from tacit.adoption.average.kernel_features import features_of
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.softmax_member import SoftmaxMember, fit_softmax
from tacit.errors import InputError

SETTING = Setting(2, np.ones(1), np.array([[1.5, -1.5]]))


def inputs(n: int, *, trees: bool = False, seed: int = 0) -> tuple[Inputs, np.ndarray]:
    draw = np.random.default_rng(seed)
    Z = draw.normal(size=(n, 4))
    margin = Z[:, 0] + draw.normal(size=n)
    codes = (Z[:, 0] + Z[:, 1] + draw.normal(size=n) > 0).astype(np.intp)
    scores = np.stack([-margin / 2, margin / 2], axis=1)
    features = features_of(Z[:40], 4.0)
    return Inputs((scores,), Z, features, 0.5 * scores if trees else None), codes


def hypothesis(*, sign: int = 1, kernel: str | None = "linear", trees: bool = False) -> Hypothesis:
    return Hypothesis(Usage((sign,)), 1.0, kernel, 0.7 if kernel else 0.0, trees, 0.0)


def no_rows(rows: Inputs) -> Inputs:
    return rows.rows(slice(0, 0))


def test_without_labels_the_log_odds_are_the_scores_damped_by_their_prior_spread() -> None:
    rows, _ = inputs(30)
    member = fit_binary(hypothesis(kernel=None), no_rows(rows), np.empty(0, dtype=np.intp), SETTING)
    margin = rows.scores[0][:, 1] - rows.scores[0][:, 0]
    # The weight is unsure about the receiver's mean row, whose log-odds are -3.
    variance = 1.0 + WEIGHT_SD**2 * (margin + 3) ** 2
    assert member.probabilities(rows)[:, 1] == pytest.approx(expit(margin / np.sqrt(1 + DAMPING * variance)))
    assert member.log_evidence == pytest.approx(0)


@pytest.mark.parametrize("kernel", ["linear", None])
def test_a_weight_turns_scores_about_their_mean_over_the_rows(kernel: str | None) -> None:
    rows, codes = inputs(40)
    moved = Inputs((rows.scores[0] + np.array([-2.0, 2.0]),), rows.Z, rows.features)
    each = hypothesis(kernel=kernel)
    # Scores moved by a constant, and a free intercept that takes it off again: the same model.
    free = Hypothesis(each.usage, 1e3, each.kernel, each.amplitude, trees=False, log_prior=0.0)
    first = fit_binary(free, rows, codes, Setting(2, np.ones(1), np.zeros((1, 2))))
    second = fit_binary(free, moved, codes, Setting(2, np.ones(1), np.array([[-2.0, 2.0]])))
    assert second.probabilities(moved) == pytest.approx(first.probabilities(rows), abs=1e-6)
    assert second.weights[1:] == pytest.approx(first.weights[1:], abs=1e-4)
    assert second.weights[0] == pytest.approx(first.weights[0] - 4 * first.weights[1], abs=1e-3)


def test_labels_of_a_rarer_class_move_the_intercept_and_hardly_the_weight() -> None:
    draw = np.random.default_rng(0)
    margin = draw.normal(2.5, 1.0, size=400)
    codes = (draw.uniform(size=400) < expit(margin - 2.5)).astype(np.intp)
    scores = np.stack([-margin / 2, margin / 2], axis=1)
    rows = Inputs((scores,), np.empty((400, 0)), {})
    each = Hypothesis(Usage((1,)), 1.0, None, 0.0, trees=False, log_prior=0.0)
    for weights in (
        fit_binary(each, rows, codes, Setting(2, np.ones(1), np.array([[-1.25, 1.25]]))).weights,
        np.append(
            *_binary_of(fit_softmax(each, rows, codes, Setting(2, np.ones(1), np.array([[-1.25, 1.25]]))).member)
        ),
    ):
        assert weights[1] == pytest.approx(1.0, abs=0.25)
        assert weights[0] == pytest.approx(-2.5 * weights[1], abs=0.3)


def _binary_of(member: SoftmaxMember) -> tuple[float, float]:
    """Return the intercept of the second class against the first, and the weight of the release."""
    return float(member.weights[0, 1] - member.weights[0, 0]), float(member.shared[0])


def test_a_reversed_release_says_the_opposite() -> None:
    rows, _ = inputs(30)
    members = [
        fit_binary(hypothesis(sign=sign, kernel=None), no_rows(rows), np.empty(0, dtype=np.intp), SETTING)
        for sign in (1, -1)
    ]
    first, second = (each.probabilities(rows) for each in members)
    assert first == pytest.approx(second[:, ::-1])


def test_where_only_shares_hold_every_row_gets_them() -> None:
    rows, _ = inputs(30)
    shares = Hypothesis(Usage((0,), 0), 1e-6, None, 0.0, trees=False, log_prior=0.0)
    member = fit_binary(shares, no_rows(rows), np.empty(0, dtype=np.intp), SETTING)
    assert member.probabilities(rows)[:, 1] == pytest.approx(expit(-3.0))


@pytest.mark.parametrize("trees", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "radial", None])
def test_two_classes_by_softmax_have_the_binary_evidence_and_mode(kernel: str | None, trees: bool) -> None:
    rows, codes = inputs(40, trees=trees)
    each = hypothesis(kernel=kernel, trees=trees)
    binary, several = fit_binary(each, rows, codes, SETTING), fit_softmax(each, rows, codes, SETTING)
    assert several.posterior.log_evidence == pytest.approx(binary.log_evidence, abs=1e-3)
    assert several.member.log_evidence == pytest.approx(several.left_out(rows, codes).sum())
    margins = np.diff(several.member.scores(rows))[:, 0]
    spread = binary.root
    assert np.isfinite(spread).all()
    undamped = np.log(binary.probabilities(rows)[:, 1] / binary.probabilities(rows)[:, 0])
    assert np.sign(np.round(margins, 3)) == pytest.approx(np.sign(np.round(undamped, 3)))
    assert several.left_out(rows, codes) == pytest.approx(binary.left_out(rows, codes), abs=1e-3)


def test_labels_that_the_own_part_explains_raise_its_evidence() -> None:
    rows, codes = inputs(60)
    plain = fit_binary(hypothesis(kernel=None), rows, codes, SETTING)
    own = fit_binary(hypothesis(), rows, codes, SETTING)
    assert own.log_evidence > plain.log_evidence + 2


def test_trees_enter_with_their_prior_weight() -> None:
    rows, _ = inputs(5, trees=True)
    member = fit_binary(hypothesis(kernel=None, trees=True), no_rows(rows), np.empty(0, dtype=np.intp), SETTING)
    assert member.weights == pytest.approx([0.0, 1.0, TREES_MEAN])


def test_a_model_with_trees_refuses_rows_without_their_scores() -> None:
    rows, codes = inputs(5)
    with pytest.raises(InputError, match="trees"):
        fit_binary(hypothesis(trees=True), rows, codes, SETTING)


def three_classes(n: int) -> tuple[Inputs, np.ndarray]:
    """Return rows of three classes, told apart by columns 0 and 1, and a release that knows the last two alone."""
    draw = np.random.default_rng(3)
    Z = draw.normal(size=(n, 4))
    codes = np.where(Z[:, 0] > 0.5, 0, np.where(Z[:, 1] > 0, 1, 2)).astype(np.intp)
    scores = np.stack([np.zeros(n), 3 * Z[:, 1], -3 * Z[:, 1]], axis=1)
    return Inputs((scores,), Z, features_of(Z[:40], 4.0)), codes


def test_a_class_that_no_used_release_knows_is_told_from_others_by_an_own_part_of_its_own_size() -> None:
    rows, codes = three_classes(60)
    small = Hypothesis(Usage((1,)), 1.0, "linear", 0.05, trees=False, log_prior=0.0)
    known = np.array([[False, True, True]])
    accuracies = [
        (fit_softmax(small, rows, codes, each).member.probabilities(rows).argmax(axis=1) == codes).mean()
        for each in (Setting(3, np.ones(1), np.zeros((1, 3))), Setting(3, np.ones(1), np.zeros((1, 3)), known=known))
    ]
    assert accuracies[0] < 0.75 < 0.85 < accuracies[1]
    evidences = [
        fit_softmax(small, rows, codes, Setting(3, np.ones(1), np.zeros((1, 3)), known=each)).member.log_evidence
        for each in (None, known)
    ]
    assert evidences[1] > evidences[0]


def test_classes_unknown_to_releases_are_those_that_none_of_them_knows() -> None:
    known = np.array([[True, False, False], [False, True, False]])
    setting = Setting(3, np.ones(2), np.zeros((2, 3)), known=known)
    assert setting.unknown_to((0,)).tolist() == [False, True, True]
    assert setting.unknown_to((0, 1)).tolist() == [False, False, True]
    assert not setting.unknown_to(()).any()
    assert not Setting(3, np.ones(2), np.zeros((2, 3))).unknown_to((0,)).any()


def test_the_weight_of_trees_stands_behind_those_of_releases() -> None:
    rows, codes = inputs(60, trees=True)
    with_trees = fit_binary(hypothesis(trees=True), rows, codes, SETTING)
    assert with_trees.tree_weight == with_trees.weights[2]
    assert fit_binary(hypothesis(), rows, codes, SETTING).tree_weight == 1.0
