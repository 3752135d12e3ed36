import numpy as np
import pytest

from tacit.errors import ReleaseError
from tacit.models.marginals.model import MarginalModel
from tacit.models.marginals.storage import model_arrays, model_settings, stored_model


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
