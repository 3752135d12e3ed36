"""Feature-split regression and hypothesis transfer: accounting by formula, transfer by what it gains."""

import math
from pathlib import Path

import numpy as np
import pytest

from tacit import Budget, Ledger
from tacit.data.columns import Categorical, Label, Numeric
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.evaluation.card_audit import audit_card
from tacit.models.feature_split import FeatureSplit
from tacit.models.private_logistic import PrivateLogisticRegression, expected_noise
from tacit.privacy import accounting
from tacit.privacy.account import plan_event
from tacit.privacy.mechanisms import ObjectivePerturbation
from tacit.privacy.mechanisms.objective import loss_supremum
from tacit.release.file import Release
from tacit.scenarios.split_transfer.classifier import FeatureSplitClassifier
from tacit.scenarios.split_transfer.hypothesis import UNLIKE, place_by_schema, trust
from tacit.scenarios.split_transfer.hypothesis_transfer import HypothesisTransfer
from tacit.scenarios.split_transfer.planning import Settings, plan_average, plan_paper, plan_stack, printed_epsilon

Table = tuple[np.ndarray, np.ndarray]
FIFTHS = FeatureSplit.random(10, 5)


def blobs(n: int, d: int = 20, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, d)) + 0.5 * np.where(y, 1, -1)[:, None], y


def blank(split: FeatureSplit, n_features: int = 10) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((1, n_features)), np.full(len(split.shares), np.inf)


def test_the_printed_accounting_agrees_with_an_independent_implementation() -> None:
    q, curvature = np.full(5, 0.2), np.full(5, 400 * 0.001)
    assert printed_epsilon(1.0, q, curvature) == pytest.approx(0.7530738741, abs=1e-9)
    # Noise for epsilon instead of epsilon' is what line 6 draws: by the printed deductions it costs more,
    assert 1.0 + (1.0 - printed_epsilon(1.0, q, curvature)) == pytest.approx(1.2469261259, abs=1e-9)
    # by the exact loss it happens to hold here, where n lambda is just 2 q²/(q epsilon).
    assert math.fsum(loss_supremum(0.5, n, r) for n, r in zip(curvature, q, strict=True)) == pytest.approx(1.0)


@pytest.mark.parametrize("shares", [(1, 1, 1, 1, 1), (16, 4, 2, 1, 1)])
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_the_groups_together_cost_epsilon(shares: tuple[float, ...], epsilon: float) -> None:
    split = FeatureSplit(FIFTHS.positions, shares)
    plan = plan_average(split, *blank(split), Settings(epsilon, 500, 3))
    assert accounting.epsilon(plan_event(plan.steps), delta=0) == pytest.approx(epsilon)
    for mechanism, share in zip(plan.groups, split.shares, strict=True):
        assert mechanism.event.epsilon == pytest.approx(epsilon * share / 3)
        # Rows of norm q with noise of rate epsilon/2 are rows of norm 1 with rate q epsilon/2.
        assert mechanism.beta == pytest.approx(epsilon / 3 / 2 * share, rel=1e-3)


def test_stacking_costs_epsilon_and_each_half_has_all_of_it() -> None:
    plan = plan_stack(FIFTHS, *blank(FIFTHS), Settings(2.0, 101, 1))
    assert accounting.epsilon(plan_event(plan.steps), delta=0) == pytest.approx(2.0)
    assert sum(each.event.epsilon for each in plan.groups) == pytest.approx(2.0)
    assert {each.curvature for each in plan.groups} == {51.0}


def test_the_printed_algorithm_is_charged_what_it_costs_and_warns() -> None:
    weak = plan_paper(FIFTHS, *blank(FIFTHS), Settings(1.0, 400, 1, regularization=0.02))
    assert weak.epsilon > 1.001
    assert "line 6" in weak.warning
    strong = plan_paper(FIFTHS, *blank(FIFTHS), Settings(1.0, 400, 1))
    assert strong.epsilon == pytest.approx(1.0, rel=1e-3)
    assert not strong.warning
    card = FeatureSplitClassifier(1.0, split=5, accounting="paper", regularization=0.02).fit(*blobs(400)).card_
    assert not card.holds
    assert card.epsilon > 1.001


def test_the_printed_noise_is_that_of_algorithm_3() -> None:
    split = FeatureSplit(FIFTHS.positions, (16, 4, 2, 1, 1))
    n, lam, epsilon = 400, 1.0, 1.0
    for mechanism, q in zip(
        plan_paper(split, *blank(split), Settings(epsilon, n, 1, regularization=lam)).groups, split.shares, strict=True
    ):
        # In the paper's scale, w = u/q: rows of norm q, rate epsilon/2, curvature n lambda q².
        assert mechanism.beta / q == pytest.approx(epsilon / 2)
        assert mechanism.curvature * q**2 == pytest.approx(n * lam * q**2)


def test_trust_follows_the_inverse_variances() -> None:
    weight, held = trust(0.1, 0.2)
    assert weight == pytest.approx(0.04 / (0.01 + UNLIKE**2))
    assert held == 1
    weight, held = trust(0.1, 1.0)
    assert weight == 1
    assert held == pytest.approx(1 / (0.01 + UNLIKE**2))
    assert trust(np.inf, 1.0)[0] == 0


@pytest.mark.parametrize("aggregate", ["average", "stack"])
def test_it_learns_from_groups(aggregate: str) -> None:
    model = FeatureSplitClassifier(8.0, split=4, aggregate=aggregate, random_state=0).fit(*blobs(2000))
    assert model.score(*blobs(500, seed=1)) > 0.9
    assert model.scores_.stacked == (aggregate == "stack")
    again = FeatureSplitClassifier.from_release(model.release())
    X, _ = blobs(20, seed=2)
    assert again.predict_proba(X) == pytest.approx(model.predict_proba(X))


def source(epsilon: float = 4.0, split: FeatureSplit | None = None) -> Release:
    model = FeatureSplitClassifier(epsilon, split=split, random_state=9)
    return model.fit(*blobs(3000)).release()


@pytest.mark.parametrize("split", [None, FeatureSplit.random(20, 4)], ids=["whole", "groups"])
def test_a_source_helps_where_the_target_is_small(split: FeatureSplit | None) -> None:
    X, y = blobs(1000, seed=5)
    handed, gains = source(split=split), []
    for seed in range(8):
        target = blobs(60, seed=10 + seed)
        alone = FeatureSplitClassifier(0.5, split=split, random_state=seed).fit(*target).score(X, y)
        both = FeatureSplitClassifier(0.5, sources=(handed,), random_state=seed).fit(*target).score(X, y)
        gains.append(both - alone)
    assert np.mean(gains) > 0.1


def test_the_simple_combination_starts_from_the_source() -> None:
    X, y = blobs(80, seed=3)
    handed = PrivateLogisticRegression(4.0, random_state=1).fit(*blobs(3000)).release()
    model = HypothesisTransfer(0.2, source=handed, prior_weight=1.0, regularization=1e6, random_state=0).fit(X, y)
    assert model.coef_ == pytest.approx(handed.arrays["weights"], abs=1e-3)
    none = HypothesisTransfer(0.2, source=handed, prior_weight=0.0, regularization=1e6, random_state=0).fit(X, y)
    assert none.coef_ == pytest.approx(0.0, abs=1e-3)
    assert model.release().settings["adopted"] == ["weights of a logistic regression, epsilon 4"]


def test_source_and_target_are_charged_on_their_own_ledgers(tmp_path: Path) -> None:
    ledgers = [
        Ledger.create(tmp_path / f"{name}.ledger", Budget(3, unit="record", relation="replace"))
        for name in ("ours", "theirs")
    ]
    handed = FeatureSplitClassifier(1.0, split=4, ledger=ledgers[1]).fit(*blobs(100)).release()
    model = FeatureSplitClassifier(2.0, sources=(handed,), ledger=ledgers[0], aggregate="stack").fit(*blobs(60))
    assert [ledger.spent() for ledger in ledgers] == [pytest.approx(2.0), pytest.approx(1.0)]
    assert model.split_.positions == FeatureSplit.random(20, 4).positions
    assert audit_card(model.card_, draws=100, seed=0).passed


def test_labels_of_the_source_may_come_in_another_order() -> None:
    X, y = blobs(3000)
    handed = PrivateLogisticRegression(4.0, random_state=1).fit(X, np.where(y, "a", "b")).release()
    model = HypothesisTransfer(1.0, source=handed, classes=["a", "b"], random_state=0)
    model.fit(X[:50], np.where(y[:50], "a", "b"))
    assert model.score(X, np.where(y, "a", "b")) > 0.9
    with pytest.raises(InputError, match="classes"):
        HypothesisTransfer(1.0, source=handed).fit(X, y)


OWNER = Schema((Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes"))))
OURS = Schema(
    (
        Categorical("sex", ("m", "f")),
        Numeric("pulse", (0, 200)),
        Numeric("age", (0, 50)),
        Label("ill", ("yes", "no", "unknown")),
    )
)


def test_weights_are_placed_by_the_names_of_columns_and_classes() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(200), np.eye(2)[rng.integers(0, 2, 200)]])
    handed = FeatureSplitClassifier(5.0, schema=OWNER, random_state=0).fit(X, (X[:, 0] > 0.5).astype(int)).release()
    age, female, male = handed.arrays["weights"][0]
    placed = place_by_schema(handed, OURS)
    # Half the range: one unit of ours is half of theirs.
    assert placed.weights[0] == pytest.approx([male, female, 0, age / 2])
    assert placed.weights[1] == pytest.approx([-male, -female, 0, -age / 2])
    assert set(placed.weights) == {0, 1}
    assert placed.split.positions == ((0, 1, 3), (2,))
    assert placed.split.shares == pytest.approx((3 / 4, 1 / 4))
    assert placed.noise[1] == np.inf
    strange = Schema((Numeric("height", (0, 1)), Label("ill", ("no", "yes"))))
    with pytest.raises(InputError, match="in common"):
        place_by_schema(handed, strange)


def test_three_classes_adopt_what_two_know() -> None:
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(300), np.eye(2)[rng.integers(0, 2, 300)]])
    handed = FeatureSplitClassifier(5.0, schema=OWNER, random_state=0).fit(X, (X[:, 0] > 0.5).astype(int)).release()
    ours = np.column_stack([np.eye(2)[rng.integers(0, 2, 90)], rng.random(90), rng.random(90)])
    model = FeatureSplitClassifier(3.0, sources=(handed,), schema=OURS, random_state=0).fit(ours, np.arange(90) % 3)
    assert model.scores_.weights.shape == (3, 4)
    assert model.notes_ == ["2 columns and 2 classes shared by name"]
    assert model.release().schema == OURS.to_dict()


def test_the_noise_that_a_release_states_is_the_noise_it_has() -> None:
    release = FeatureSplitClassifier(1.0, split=4).fit(*blobs(500)).release()
    mechanism = ObjectivePerturbation.for_epsilon(0.25, curvature=500, dimension=5)
    assert release.arrays["noise"] == pytest.approx(np.full(4, expected_noise(mechanism)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"aggregate": "vote"}, "aggregate"),
        ({"aggregate": "stack", "n_rows": 100}, "n_rows"),
        ({"aggregate": "stack", "accounting": "paper"}, "average"),
        ({"split": FeatureSplit.random(30, 3)}, "column 29"),
        ({"split": 50}, "n_groups"),
        ({"prior_weight": 2.0}, "prior_weight"),
        ({"schema": OWNER}, "encoded columns"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_charged(
    settings: dict[str, object], words: str, tmp_path: Path
) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(5, unit="record", relation="replace"))
    with pytest.raises(InputError, match=words):
        FeatureSplitClassifier(1.0, ledger=ledger, **settings).fit(*blobs(50))  # type: ignore[arg-type]
    assert not ledger.lines()


def test_a_split_other_than_the_sources_is_refused() -> None:
    with pytest.raises(InputError, match="split"):
        FeatureSplitClassifier(1.0, sources=(source(),), split=3).fit(*blobs(50))


def test_several_sources_are_averaged() -> None:
    handed = [PrivateLogisticRegression(4.0, random_state=seed).fit(*blobs(3000)).release() for seed in (1, 2)]
    model = FeatureSplitClassifier(1.0, sources=handed, prior_weight=1.0, regularization=1e6, random_state=0)
    mean = (handed[0].arrays["weights"] + handed[1].arrays["weights"]) / 2
    assert model.fit(*blobs(50)).scores_.weights == pytest.approx(mean, abs=1e-3)
