from typing import Any

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.pair_metric.descent import MetricDescent
from tacit.models.pair_metric.diagonal import Diagonal
from tacit.models.pair_metric.input_noise import InputNoise
from tacit.models.pair_metric.printed import PrintedDescent
from tacit.models.pair_metric.solvers import (
    DescentSettings,
    DiagonalSettings,
    PairFigures,
    PrintedSettings,
    SolverSettings,
    solver_settings,
)


def figures(mechanism: str = "gaussian", n_pairs: int = 100) -> PairFigures:
    return PairFigures(n_features=16, n_pairs=n_pairs, kappa=3, mechanism=mechanism, epsilon=2.0, delta=1e-6)


def test_the_diagonal_takes_public_facts_and_defaults_that_shorten_few() -> None:
    plain = DiagonalSettings().planned(figures())
    assert isinstance(plain, Diagonal)
    assert (plain.radius, plain.scale, plain.indicators) == (2.0, (1.0,) * 16, (False,) * 16)
    told = DiagonalSettings(0.5, 2 * np.ones(16), np.ones(16, bool)).planned(figures("laplace"))
    assert isinstance(told, Diagonal)
    assert (told.radius, told.scale, told.indicators) == (0.5, (2.0,) * 16, (True,) * 16)
    assert DiagonalSettings().planned(figures("laplace")).radius == 4.0


def test_input_noise_is_a_diagonal_too() -> None:
    solver = DiagonalSettings(0.5).planned(figures("input"))
    assert isinstance(solver, InputNoise)
    assert (solver.kappa, solver.radius) == (3, 0.5)


@pytest.mark.parametrize(("batch_size", "batches"), [(None, 1), (100, 1), (1000, 1), (30, 4), (1, 100)])
def test_a_descent_reads_all_pairs_in_batches(batch_size: int | None, batches: int) -> None:
    solver = DescentSettings(batch_size=batch_size).planned(figures())
    assert isinstance(solver, MetricDescent)
    assert solver.batches == batches
    assert solver.n_components == 16


def test_the_printed_batch_is_no_larger_than_the_pairs() -> None:
    solver = PrintedSettings(n_components=2).planned(figures(n_pairs=20))
    assert isinstance(solver, PrintedDescent)
    assert (solver.batch_size, solver.n_components, solver.radius, solver.reduced) == (20, 2, 4.0, False)


@pytest.mark.parametrize("mechanism", ["duchi", "input"])
def test_local_mechanisms_have_no_descent(mechanism: str) -> None:
    with pytest.raises(InputError, match="for solver='sgd'"):
        DescentSettings().planned(figures(mechanism))


@pytest.mark.parametrize("settings", [DescentSettings(n_components=17), PrintedSettings(n_components=17)])
def test_more_components_than_features_are_refused(settings: DescentSettings | PrintedSettings) -> None:
    with pytest.raises(InputError, match="n_components must be at most the number of features, 16; got 17"):
        settings.planned(figures())


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (DiagonalSettings, "radius", -1.0),
        (DescentSettings, "radius", 0.0),
        (DescentSettings, "margin", 0.0),
        (DescentSettings, "clip", -0.5),
        (DescentSettings, "rate", float("nan")),
        (DescentSettings, "passes", 0),
        (DescentSettings, "batch_size", 2.5),
        (DescentSettings, "n_components", 0),
        (PrintedSettings, "radius", -1.0),
        (PrintedSettings, "passes", 1.5),
        (PrintedSettings, "batch_size", 0),
    ],
)
def test_a_wrong_setting_is_refused_by_name(kind: Any, name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        kind(**{name: value})


@pytest.mark.parametrize(
    ("accounting", "solver"),
    [("sound", "dpp"), ("sound", PrintedSettings()), ("paper", "diagonal"), ("paper", DescentSettings())],
)
def test_a_solver_of_the_other_accounting_is_refused(accounting: str, solver: SolverSettings | str) -> None:
    with pytest.raises(InputError, match="solver must be one of"):
        solver_settings(solver, accounting)


def test_names_are_those_of_the_settings() -> None:
    for accounting, names in {"sound": ("diagonal", "sgd"), "paper": ("dpp", "dpp-s")}.items():
        for name in names:
            settings = solver_settings(name, accounting)
            assert settings.name == name
            assert solver_settings(settings, accounting) is settings
    with pytest.raises(InputError, match="accounting must be one of"):
        solver_settings("diagonal", "loose")
