import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.data.rows.encoding import encode
from tacit.errors import ReleaseError
from tacit.models.marginals.counting import BatchCounts
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import GRID
from tacit.models.marginals.measuring import Survey, measure
from tacit.models.marginals.model import MarginalModel, fitted_model
from tacit.models.marginals.planning import plan_stages
from tacit.models.marginals.storage import model_arrays, model_settings, stored_grid, stored_model
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget


def test_a_stored_model_draws_the_same_rows(model: MarginalModel) -> None:
    again = stored_model(model_arrays(model), model_settings(model), model.layout)
    first, second = (each.places(200, random_state=3)[0] for each in (model, again))
    assert np.array_equal(first, second)


def _changed(name: str, values: object) -> object:
    arrays = {
        "cells": lambda a: a[:-1],
        "ranges": lambda a: a + 1,
        "groups": lambda a: a * 2,
        "counts": lambda a: a[:1],
        "pairs": lambda a: a[:, ::-1],
        "pair_counts": lambda a: a[:-1],
        "weights": lambda a: -a,
        "shares": lambda a: a[:, :-1],
    }
    return arrays[name](values)


@pytest.mark.parametrize("name", ["cells", "ranges", "groups", "counts", "pairs", "pair_counts", "weights", "shares"])
def test_arrays_that_do_not_fit_the_schema_are_refused(model: MarginalModel, name: str) -> None:
    arrays = model_arrays(model)
    arrays[name] = _changed(name, arrays[name])  # type: ignore[assignment]
    with pytest.raises(ReleaseError, match="malformed"):
        stored_model(arrays, model_settings(model), model.layout)
    with pytest.raises(ReleaseError, match="malformed"):
        stored_model({key: value for key, value in arrays.items() if key != name}, model_settings(model), model.layout)


@pytest.mark.parametrize("sigma", [0.0, -1.0, "much", None])
def test_noise_that_is_no_positive_number_is_refused(model: MarginalModel, sigma: object) -> None:
    settings = {**model_settings(model), "pair_sigma": sigma}
    with pytest.raises(ReleaseError, match="malformed"):
        stored_model(model_arrays(model), settings, model.layout)


def test_releases_that_name_no_grid_have_even_steps() -> None:
    assert stored_grid({}) == 1
    rows = encode(people(300), SCHEMA)
    layout, budget = Layout.of(SCHEMA, grid=1), Budget(2.0, 1e-6, unit="record")
    stages = plan_stages(layout, budget)
    account = Account.open(stages.steps, budget=budget, random_state=0)
    measurement = measure(
        Survey(BatchCounts([(layout.row_codes(rows.X), rows.y.astype(np.intp))], layout), layout, stages, account)
    )
    old = fitted_model(measurement, random_state=0)
    settings = {name: value for name, value in model_settings(old).items() if name != "grid"}
    again = stored_model(model_arrays(old), settings, Layout.of(SCHEMA, stored_grid(settings)))
    assert not again.layout.columns[2].graded
    assert np.array_equal(again.places(50, random_state=1)[0], old.places(50, random_state=1)[0])
    with pytest.raises(ReleaseError, match="malformed"):
        stored_model(model_arrays(old), settings, Layout.of(SCHEMA))


@pytest.mark.parametrize("grid", [0, GRID + 1, "two", None])
def test_a_grid_of_a_newer_version_is_refused(grid: object) -> None:
    with pytest.raises(ReleaseError, match="grid"):
        stored_grid({"grid": grid})
