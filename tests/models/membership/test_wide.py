from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit.errors import InputError
from tacit.models.membership.layers import DeepAutoencoder, layer_outputs
from tacit.models.membership.wide import (
    AutoencoderSettings,
    Reconstructions,
    learn_part,
    learn_wide,
    squared_distances,
    wide_errors,
    wide_filter,
    wide_layers,
)
from tacit.numerics.kernels import Floats

GOOD: dict[str, Any] = {"n_components": 6, "max_landmarks": 0.5, "n_layers": 2, "part_size": 60, "overlap": 1}


def digits() -> Floats:
    return np.asarray(load_digits(return_X_y=True)[0] / 16)


def wide(n_rows: int = 300, **changes: Any) -> tuple[list[DeepAutoencoder], Floats]:
    Y = digits()
    settings = AutoencoderSettings(**{**GOOD, **changes})
    return list(learn_wide(Y, [np.arange(n_rows)], settings, n_jobs=None)[0]), Y[:50]


def test_errors_and_reconstructions_are_the_best_over_parts_and_layers() -> None:
    model, Y = wide()
    assert len(model) >= 5
    filtered, errors = wide_filter(model, Y), wide_errors(model, Y)
    for i, y in enumerate(Y):
        tried = {
            (place, depth): output[0]
            for place, part in enumerate(model)
            for depth, output in enumerate(layer_outputs(part, y[None]))
        }
        best = min(tried, key=lambda key: sum((a - b) ** 2 for a, b in zip(y, tried[key], strict=True)))
        assert (filtered.parts[i], filtered.layers[i]) == best
        assert np.allclose(filtered.rows[i], tried[best], atol=1e-9)
        assert filtered.errors[i] == pytest.approx(((y - tried[best]) ** 2).sum())
    assert np.allclose(errors, filtered.errors)


def test_layers_are_those_of_the_best_part() -> None:
    model, Y = wide()
    filtered, layers = wide_filter(model, Y), wide_layers(model, Y)
    assert layers.shape == (2, *Y.shape)
    for i, (part, layer) in enumerate(zip(filtered.parts, filtered.layers, strict=True)):
        assert np.allclose(layers[layer, i], filtered.rows[i], atol=1e-9)
        for depth, output in enumerate(layer_outputs(model[part], Y[i : i + 1])):
            assert np.allclose(layers[depth, i], output[0], atol=1e-9)


def test_distances_in_float32_keep_the_digits_that_the_expanded_form_loses() -> None:
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 500)) + 100).astype(np.float32)
    outputs = Y + 1e-3 * rng.normal(size=Y.shape).astype(np.float32)
    exact = ((Y.astype(np.float64) - outputs.astype(np.float64)) ** 2).sum(axis=1)
    assert squared_distances(Y, outputs) == pytest.approx(exact, rel=1e-4)
    expanded = (Y * Y).sum(axis=1) - 2 * (Y * outputs).sum(axis=1) + (outputs * outputs).sum(axis=1)
    assert np.abs(expanded - exact).max() > 100 * exact.max()


def test_groups_are_learned_from_their_own_rows() -> None:
    Y = digits()
    settings = AutoencoderSettings(**{**GOOD, "part_size": None})
    both = learn_wide(Y, [np.arange(100), np.arange(100, 250)], settings, n_jobs=None)
    for model, rows in zip(both, (Y[:100], Y[100:250]), strict=True):
        (part,) = model
        alone = learn_part(rows, settings)
        assert np.array_equal(part.layers[1].coefficients, alone.layers[1].coefficients)


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_result_does_not_depend_on_the_number_of_jobs(n_jobs: int) -> None:
    Y, settings = digits(), AutoencoderSettings(**GOOD)
    one, many = (learn_wide(Y, [np.arange(300)], settings, n_jobs=jobs)[0] for jobs in (None, n_jobs))
    for first, second in zip(one, many, strict=True):
        assert np.allclose(first.layers[0].coefficients, second.layers[0].coefficients, atol=1e-9)


def test_reconstructions_of_blocks_are_joined_in_order() -> None:
    model, Y = wide()
    whole = wide_filter(model, Y)
    joined = Reconstructions.joined([wide_filter(model, block) for block in (Y[:20], Y[20:21], Y[21:])])
    for name in ("rows", "errors", "parts", "layers"):
        assert np.allclose(getattr(joined, name), getattr(whole, name), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_components", 0),
        ("n_components", 2.5),
        ("max_landmarks", 1.5),
        ("n_layers", 0),
        ("part_size", 0),
        ("overlap", 0),
    ],
)
def test_a_wrong_setting_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        AutoencoderSettings(**{**GOOD, name: value})
