"""What distillation does while a network learns, on few steps."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.experiments.results import ResultRow
from tacit.experiments.tables import sharpening_curves
from tacit.experiments.tables.sharpening_curves import CERTAINTY, ERROR, kept_classes, learned

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None]) -> None:
    shrink(sharpening_curves, SEEDS=range(1), STEPS=(10, 60), DISTILLATIONS=("none", "ads"), POWERS=(1.0, 2.0))
    learned.cache_clear()


def test_every_step_distillation_and_power_has_its_rows(checked: Checked) -> None:
    rows = checked(sharpening_curves.rows())
    figures = {(row.setting, row.method, row.metric): row.mean for row in rows}
    for step in (10, 60):
        for name in ("none", "ads"):
            assert 0.1 <= figures[f"digits, 20 labels, step {step}", f"vat, {name}", CERTAINTY] <= 1
    # More steps make it surer, and fewer mistakes.
    first, last = (f"digits, 20 labels, step {step}" for step in (10, 60))
    assert figures[last, "vat, none", CERTAINTY] > figures[first, "vat, none", CERTAINTY]
    assert figures[last, "vat, none", ERROR] < figures[first, "vat, none", ERROR]
    powers = {row.method: row.mean for row in rows if row.setting.endswith("power")}
    assert list(powers) == ["vat, ads, r = 1", "vat, ads, r = 2"]
    # The power of the curves is 2: the same network again.
    assert powers["vat, ads, r = 2"] == figures[last, "vat, ads", ERROR]


def test_kept_classes_are_counted_as_sparsemax_has_them() -> None:
    logits = np.array([[5.0, 0.0, 0.0], [0.2, 0.1, -3.0], [0.0, 0.0, 0.0]])
    kept = kept_classes(logits, np.array([0, 2, 2]))
    # Sparsemax: (1, 0, 0), (.55, .45, 0) and thirds.
    assert kept["classes kept, mean"] == pytest.approx((1 + 2 + 3) / 3)
    assert kept["share of rows whose class is kept"] == pytest.approx(2 / 3)
    assert kept["accuracy"] == pytest.approx(1 / 3)
    assert kept["share of rows with a value of at least 0.95"] == pytest.approx(1 / 3)
    assert kept["share of values that are 0"] == pytest.approx(3 / 9)
    assert kept["share of values in (0, 0.05)"] == 0


def test_a_kept_class_is_never_rarer_than_a_right_one() -> None:
    model = learned("ads", 60, 0)
    kept = kept_classes(model.logits, model.truth)
    assert kept["share of rows whose class is kept"] >= kept["accuracy"] > 0.5
    assert 1 <= kept["classes kept, mean"] < 10
    assert model.error < 60
