"""Feature-split regression and hypothesis transfer: accounting by formula, transfer by what it gains."""

from pathlib import Path

import numpy as np
import pytest

from tacit import Budget, Ledger
from tacit.audit.card_audit import audit_card
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression, expected_noise
from tacit.models.linear.planning import (
    SplitSettings,
)
from tacit.privacy.mechanisms import ObjectivePerturbation
from tacit.releases.file import Release

Table = tuple[np.ndarray, np.ndarray]


def blobs(n: int, d: int = 20, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, d)) + 0.5 * np.where(y, 1, -1)[:, None], y


@pytest.mark.parametrize("aggregate", ["average", "stack"])
def test_it_learns_from_groups(aggregate: str) -> None:
    model = FeatureSplitClassifier(8.0, split=4, settings=SplitSettings(aggregate), random_state=0).fit(*blobs(2000))
    assert model.score(*blobs(500, seed=1)) > 0.9
    assert model.scores_.stacked == (aggregate == "stack")
    again = FeatureSplitClassifier.from_release(model.release())
    X, _ = blobs(20, seed=2)
    assert again.predict_proba(X) == pytest.approx(model.predict_proba(X))


# Stacking teaches its groups by half of the rows: as weak a regularisation is twice the number.
@pytest.mark.parametrize(("aggregate", "regularization"), [("average", 1.25e-4), ("stack", 2.5e-4)])
def test_the_card_of_the_printed_algorithm_warns_if_it_costs_more_than_promised(
    aggregate: str, regularization: float
) -> None:
    printed = SplitSettings(aggregate, accounting="paper", regularization=regularization)
    card = FeatureSplitClassifier(4.0, split=5, settings=printed).fit(*blobs(400)).card_
    assert not card.holds
    assert card.epsilon > 4.01


def test_the_printed_stacking_learns_and_adopts() -> None:
    printed = SplitSettings("stack", accounting="paper", regularization=0.01)
    source = FeatureSplitClassifier(8.0, split=4, settings=printed, random_state=0).fit(*blobs(2000)).release()
    model = FeatureSplitClassifier(8.0, sources=[source], settings=printed, random_state=1).fit(*blobs(600, seed=1))
    assert model.score(*blobs(500, seed=2)) > 0.9


def test_a_plan_made_before_is_the_one_that_is_drawn() -> None:
    X, y = blobs(100)
    model = FeatureSplitClassifier(1.0, split=4, random_state=3)
    plan = model.split_plan(20, 100, [0, 1])
    first = model.fit(X, y, plan=plan).scores_.weights
    assert np.array_equal(first, model.fit(X, y).scores_.weights)
    assert model.plan(20, n_rows=100) == list(plan.steps)


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


def rare(n: int, seed: int) -> Table:
    """Return a table of bounded columns whose second class has a tenth of the rows, and of which one column tells."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 8))
    return X, (rng.random(n) < 1 / (1 + np.exp(6.5 - 8 * X[:, 0]))).astype(int)


def test_by_default_a_rare_class_of_bounded_columns_is_predicted() -> None:
    """With a regularisation of 1 each row has nearly the same probability."""
    X, y = rare(3000, seed=1)
    default, strong = (
        FeatureSplitClassifier(
            1.0, split=2, bounds=(0, 1), settings=SplitSettings(regularization=strength), random_state=0
        )
        .fit(*rare(6000, seed=0))
        .predict_proba(X)[:, 1]
        for strength in (None, 1.0)
    )
    assert np.ptp(default) > 3 * np.ptp(strong)
    assert np.mean((default - y) ** 2) < np.mean((strong - y) ** 2) - 0.03


@pytest.mark.parametrize("strength", [None, 1.0])
def test_a_source_of_long_weights_helps_as_one_of_short_ones(strength: float | None) -> None:
    """A default source has weights many times as long as one regularised by 1, and a receiver uses both."""
    from sklearn.metrics import roc_auc_score

    X, y = rare(3000, seed=1)
    owner = PrivateLogisticRegression(2.0, bounds=(0, 1), regularization=strength, random_state=0)
    handed = owner.fit(*rare(3000, seed=2)).release()
    areas: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(6):
        target = rare(120, seed=10 + seed)
        for helped, source in ((False, None), (True, handed)):
            model = HypothesisTransfer(1.0, source=source, bounds=(0, 1), random_state=seed)
            areas[helped].append(roc_auc_score(y, model.fit(*target).decision_function(X)))
    assert np.mean(areas[True]) > np.mean(areas[False]) + 0.1
    assert np.mean(areas[True]) > 0.75


def test_source_and_target_are_charged_on_their_own_ledgers(tmp_path: Path) -> None:
    budget = Budget(3, unit="record", relation="replace")
    ledgers = [Ledger.create(tmp_path / f"{name}.ledger", budget) for name in ("ours", "theirs")]
    handed = FeatureSplitClassifier(1.0, split=4, ledger=ledgers[1]).fit(*blobs(100)).release()
    model = FeatureSplitClassifier(2.0, sources=(handed,), ledger=ledgers[0], settings=SplitSettings("stack")).fit(
        *blobs(60)
    )
    assert [ledger.spent() for ledger in ledgers] == [pytest.approx(2.0), pytest.approx(1.0)]
    assert model.split_.positions == FeatureSplit.random(20, 4).positions
    assert audit_card(model.card_, draws=100, seed=0).passed


OWNER = Schema((Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes"))))
OURS = Schema(
    (
        Categorical("sex", ("m", "f")),
        Numeric("pulse", (0, 200)),
        Numeric("age", (0, 50)),
        Label("ill", ("yes", "no", "unknown")),
    )
)


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
    settings = SplitSettings(regularization=1.0)
    release = FeatureSplitClassifier(1.0, split=4, settings=settings).fit(*blobs(500)).release()
    mechanism = ObjectivePerturbation.for_epsilon(0.25, curvature=500, dimension=5)
    assert release.arrays["noise"] == pytest.approx(np.full(4, expected_noise(mechanism)))
    assert release.settings["regularization"] == pytest.approx([1.0] * 4)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"settings": SplitSettings("stack"), "n_rows": 10}, "n_rows"),
        ({"settings": {"aggregate": "stack"}}, "settings must be a SplitSettings or None; got a dict"),
        ({"split": FeatureSplit.random(30, 3)}, "column 29"),
        ({"split": 50}, "n_groups"),
        ({"schema": OWNER}, "encoded columns"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_charged(
    settings: dict[str, object], words: str, tmp_path: Path
) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(5, unit="record"))
    with pytest.raises(InputError, match=words):
        FeatureSplitClassifier(1.0, ledger=ledger, **settings).fit(*blobs(50))  # type: ignore[arg-type]
    assert not ledger.lines()


def test_a_split_other_than_the_sources_is_refused() -> None:
    with pytest.raises(InputError, match="split"):
        FeatureSplitClassifier(1.0, sources=(source(),), split=3).fit(*blobs(50))


def test_several_sources_are_averaged() -> None:
    handed = [PrivateLogisticRegression(4.0, random_state=seed).fit(*blobs(3000)).release() for seed in (1, 2)]
    settings = SplitSettings(prior_weight=1.0, regularization=1e6)
    model = FeatureSplitClassifier(1.0, sources=handed, settings=settings, random_state=0)
    mean = (handed[0].arrays["weights"] + handed[1].arrays["weights"]) / 2
    assert model.fit(*blobs(50)).scores_.weights == pytest.approx(mean, abs=1e-3)
