"""Every estimator of a receiver becomes a model file and comes back by the same two functions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from tacit.adoption.neighbours import MetricNeighbours
from tacit.adoption.stored_model import StoredModelMixin, stored_classes
from tacit.arrays import Arrays
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.workflows.models import RECEIVERS

SCHEMA = Schema((Numeric("x", (0, 1)), Label("y", ("a", "b"))))


class Doubler(StoredModelMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that keeps one number."""

    model_kind = "doubler"
    made_by = "this test"
    stored_parameters = ("unit",)
    releases = ()

    def __init__(self, unit: int = 1, schema: Schema | None = None) -> None:
        self.unit, self.schema = unit, schema

    def fit(self, number: float) -> Self:
        self.number_, self.schema_ = 2 * number, SCHEMA
        return self

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        return {"number": np.array([self.number_])}, {"unit": self.unit}

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        self.number_ = float(arrays["number"][0])
        if settings["unit"] > 2:
            raise ValueError("its unit is another")


def test_an_estimator_comes_back_from_its_file() -> None:
    file = Doubler(unit=2).fit(4.0).to_model()
    assert (file.kind, file.cards, file.schema) == ("doubler", (), SCHEMA.to_dict())
    again = Doubler.from_model(file)
    assert (again.number_, again.unit) == (8.0, 2)
    assert (again.schema_, again.n_features_in_) == (SCHEMA, 1)


def test_what_was_not_fitted_has_no_file() -> None:
    with pytest.raises(NotFittedError):
        Doubler().to_model()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "other"}, "of kind 'other'; this test makes 'doubler'"),
        ({"schema": None}, "this test makes"),
        ({"arrays": {}}, "misses a part of the classifier: 'number'"),
        ({"settings": {"unit": 3}}, "its unit is another"),
        ({"settings": {}}, "misses a part"),
    ],
)
def test_a_file_of_another_kind_or_without_a_part_is_refused_in_words(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ReleaseError, match=words):
        Doubler.from_model(replace(Doubler().fit(1.0).to_model(), **changes))


def test_every_receiver_states_a_kind_of_its_own() -> None:
    assert {receiver.model_kind for receiver in RECEIVERS.values()} == set(RECEIVERS)
    assert len({receiver.made_by for receiver in RECEIVERS.values()}) >= len(RECEIVERS) - 1
    assert all(issubclass(receiver, StoredModelMixin) for receiver in RECEIVERS.values())


def test_names_of_classes_are_stored_as_codes_and_numbers_as_they_are() -> None:
    assert stored_classes(np.array(["b", "a"])).tolist() == [0, 1]
    assert stored_classes(np.array([3, 7])).tolist() == [3, 7]
    assert stored_classes(np.array([False, True])).tolist() == [False, True]


def test_names_of_classes_are_read_from_the_schema_of_the_file() -> None:
    rows, names = [[0.1], [0.2], [0.8], [0.9]], ["a", "a", "b", "b"]
    model = MetricNeighbours(schema=SCHEMA, n_neighbors=1).fit(rows, names)
    assert model.predict([[0.7]]).tolist() == ["b"]
    again = MetricNeighbours.from_model(model.to_model())
    assert again.classes_.tolist() == [0, 1]
    assert again.predict([[0.7]]).tolist() == [1]
