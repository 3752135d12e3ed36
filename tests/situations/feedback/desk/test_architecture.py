"""The declared architecture of a desk."""

from pathlib import Path

import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.situations.feedback.desk.architecture import Architecture, declared_architecture, read_architecture

SCHEMA = Schema((Numeric("age", (0, 110)), Categorical("sex", ("f", "m")), Label("ill", ("a", "b", "c"))))
LINEAR = Architecture("linear", 3, 3)
MLP = Architecture("mlp", 3, 3, hidden=5, activation="tanh")


def test_an_architecture_takes_inputs_and_outputs_from_the_schema(tmp_path: Path) -> None:
    (tmp_path / "mlp.toml").write_text('kind = "mlp"\nhidden = 5\nactivation = "tanh"\n')
    assert read_architecture(tmp_path / "mlp.toml", SCHEMA) == MLP
    assert read_architecture("linear", SCHEMA) == declared_architecture({"kind": "linear"}, SCHEMA)
    assert declared_architecture({}, SCHEMA) == LINEAR
    assert Architecture.from_dict(MLP.to_dict()) == MLP
    two = Schema((Numeric("age", (0, 1)), Label("ill", ("no", "yes"))))
    assert declared_architecture({}, two).n_parameters == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('kind = "forest"', "one of 'linear', 'mlp'"),
        ('kind = "mlp"', "hidden must be above 0"),
        ('kind = "linear"\nhidden = 4', "left out"),
        ('kind = "linear"\ncode = "import os"', "may declare"),
        ('kind = "mlp"\nhidden = 9000000', "at most"),
        ('kind = "mlp"\nhidden = 2.5', "whole number"),
        ("kind = ", "not valid TOML"),
    ],
)
def test_a_declaration_that_is_none_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "model.toml").write_text(text)
    with pytest.raises(InputError, match=words):
        read_architecture(tmp_path / "model.toml", SCHEMA)
