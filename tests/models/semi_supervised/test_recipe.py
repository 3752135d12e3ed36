from dataclasses import replace
from typing import Any

import pytest

from tacit.errors import InputError
from tacit.models.semi_supervised.recipe import ALGORITHMS, LossSettings, Recipe, TrainingSettings


@pytest.mark.parametrize(
    ("settings", "name", "value", "rule"),
    [
        (Recipe(), "algorithm", "pi-model", "algorithm must be one of 'supervised', 'vat'"),
        (Recipe(), "distillation", "adaptive", "distillation must be one of 'ads'"),
        (Recipe(), "n_steps", 0, "n_steps must be a whole number of at least 1"),
        (Recipe(), "unlabelled_ratio", 2.5, "unlabelled_ratio must be a whole number"),
        (LossSettings(), "power", 0.5, "power must be at least 1"),
        (LossSettings(), "temperature", 0.0, "temperature must be a finite number above 0"),
        (LossSettings(), "vat_radius", -1.0, "vat_radius must be a finite number above 0"),
        (LossSettings(), "confidence", 1.0, r"confidence must be in \[0, 1\)"),
        (LossSettings(), "negligible", -0.1, r"negligible must be in \[0, 1\)"),
        (LossSettings(), "ramp_up", 1.5, r"ramp_up must be in \[0, 1\]"),
        (LossSettings(), "consistency_weight", -1.0, "consistency_weight must be a finite number above 0, or 0"),
        (LossSettings(), "class_balance", float("nan"), "class_balance must be"),
        (TrainingSettings(), "optimizer", "sgd", "optimizer must be one of"),
        (TrainingSettings(), "averaging", -0.1, r"averaging must be in \[0, 1\)"),
        (TrainingSettings(), "batch_size", 1, "batch_size must be a whole number of at least 2"),
        (TrainingSettings(), "learning_rate", 0.0, "learning_rate must be a finite number above 0"),
        (TrainingSettings(), "weight_decay", -1.0, "weight_decay must be"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(settings: Any, name: str, value: Any, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        replace(settings, **{name: value})


def test_a_weight_of_zero_leaves_a_loss_out() -> None:
    assert LossSettings(class_balance=0.0, guide_weight=0).class_balance == 0
    assert TrainingSettings(weight_decay=0.0, averaging=0.0).averaging == 0


def test_only_supervised_learning_leaves_unlabelled_rows_unread() -> None:
    assert {name: Recipe(algorithm=name).learns_unlabelled for name in ALGORITHMS} == {
        "supervised": False,
        "vat": True,
        "mixmatch": True,
        "fixmatch": True,
    }
