"""The record-level epsilon of entry-level noise."""

from collections.abc import Callable, Iterable

import pytest

from tacit.experiments.results import ResultRow
from tacit.experiments.tables import units

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_adding_up_is_epsilon_times_features_and_the_distribution_never_more(
    shrink: Callable[..., None], checked: Checked
) -> None:
    shrink(units, FEATURES=(1, 10, 100))
    rows = checked(units.rows())
    assert len(rows) == 2 * 2 * 3
    for exact, simple in zip(rows[::2], rows[1::2], strict=True):
        assert (exact.method, simple.method) == ("privacy-loss distribution", "adding up")
        assert exact.setting == simple.setting
        epsilon, n_features = float(exact.setting.split()[2].rstrip(",")), int(exact.setting.split()[3])
        assert simple.mean == pytest.approx(epsilon * n_features)
        assert exact.mean <= simple.mean * (1 + 1e-9)
        # One draw costs what it claims at any delta of use.
        assert n_features > 1 or exact.mean == pytest.approx(epsilon, rel=1e-3)


def test_a_hundred_features_gain_from_composition() -> None:
    means = {row.setting: row.mean for row in units.rows() if row.method == "privacy-loss distribution"}
    assert means["entry epsilon 0.1, 100 features"] < 0.5 * 0.1 * 100
    # The figure that the cards and the documentation state for MNIST.
    assert means["entry epsilon 0.1, 784 features"] == pytest.approx(14.9, abs=0.1)
