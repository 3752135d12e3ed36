import json

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.autoencoder.layers import Layer
from tacit.models.autoencoder.stack import EncoderStack

rng = np.random.default_rng(0)
LOW, HIGH = np.zeros(5), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
LAYERS = (
    Layer(np.linalg.qr(rng.normal(size=(5, 3)))[0], rng.random(5) / 5, nonnegative=True),
    Layer(np.linalg.qr(rng.normal(size=(3, 2)))[0], rng.random(3) / 3, nonnegative=False),
)
STACK = EncoderStack(LAYERS, (LOW, HIGH), 2.0)


def test_rows_are_scaled_shortened_and_coded_layer_by_layer() -> None:
    X = rng.random((7, 5)) * HIGH * 1.2
    code = np.minimum(X / HIGH, 1.0)
    lengths = np.linalg.norm(code, axis=1, keepdims=True)
    code = code * np.minimum(1.0, 2.0 / lengths) / 2.0
    for layer in LAYERS:
        code = layer.encode(code)
    assert STACK(X) == pytest.approx(code, abs=1e-6)
    assert STACK.n_columns == 5


def test_the_parts_of_a_file_give_the_stack_back() -> None:
    arrays, settings = STACK.to_parts()
    again = EncoderStack.from_parts(arrays, json.loads(json.dumps(settings)))
    X = rng.random((7, 5))
    assert np.array_equal(again(X), STACK(X))
    assert again.row_norm == 2.0


def test_a_file_with_a_wrong_norm_or_layer_is_refused() -> None:
    arrays, settings = STACK.to_parts()
    with pytest.raises(InputError, match="row_norm"):
        EncoderStack.from_parts(arrays, {**settings, "row_norm": -1.0})
    with pytest.raises(InputError, match="layer below"):
        EncoderStack.from_parts({**arrays, "weights_2": np.ones((4, 2)), "centre_2": np.ones(4)}, settings)
    with pytest.raises(KeyError):
        EncoderStack.from_parts(arrays, {"low": 0, "row_norm": 1.0})
