"""The receiver's rows and labels: by its own schema, by that of a release, or by one made for them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from tacit.adoption.receiver_table import LabelledReceiverMixin, known_schema, plain_schema, receiver_rows
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.releases.lesson import ReceiverTable

SCHEMA = Schema((Numeric("x", (0, 1)), Numeric("z", (0, 1)), Label("y", ("no", "yes"))))
ROWS = np.array([[0.1, 0.2], [0.8, 0.9], [0.5, 0.5]])


class Remembering(LabelledReceiverMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps the table that it was to learn from."""

    row_type = np.float32

    def __init__(self, releases: Any = (), schema: Schema | None = None, limit: int = 1) -> None:
        self.releases, self.schema, self.limit = releases, schema, limit

    def _check_parameters(self) -> None:
        if self.limit < 1:
            raise InputError("limit must be at least 1.")

    def _learn(self, table: ReceiverTable) -> None:
        self.table_ = table


def release_of(schema: Schema) -> Any:
    return SimpleNamespace(schema=schema.to_dict())


def test_labelled_rows_and_their_codes_are_told_from_the_others() -> None:
    model = Remembering(schema=SCHEMA).fit(ROWS, np.array(["yes", "no", None]))
    assert model.table_.labelled.tolist() == [0, 1]
    assert model.table_.codes.tolist() == [1, 0]
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.table_.X.dtype == np.float32
    assert model.schema_ == model.table_.schema == SCHEMA


def test_codes_and_names_say_the_same() -> None:
    names, codes = (Remembering(schema=SCHEMA).fit(ROWS, y) for y in (["yes", "no", ""], [1, 0, -1]))
    assert names.table_.codes.tolist() == codes.table_.codes.tolist()
    assert codes.classes_.tolist() == [0, 1]


def test_without_a_schema_that_of_the_first_release_holds_else_one_is_made() -> None:
    other = Schema((Numeric("x", (0, 9)), Numeric("z", (0, 1)), Label("y", ("no", "yes"))))
    assert known_schema(SCHEMA, [release_of(other)]) == SCHEMA
    assert known_schema(None, [release_of(other), release_of(SCHEMA)]) == other
    assert known_schema(None, []) is None
    made = Remembering().fit(ROWS, np.array(["b", "a", None])).schema_
    assert tuple(made.encoded_names) == ("x0", "x1")
    assert made.classes == ("a", "b")


def test_a_made_schema_of_one_class_has_no_label() -> None:
    assert plain_schema(2, np.array(["only"])).label is None
    assert plain_schema(1, np.array([0, 1])).classes == ("0", "1")


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        (ROWS[:, :1], [0, 1, -1], "2 encoded columns of the schema; got 1"),
        (ROWS, [0, 0, -1], "at least two classes; got 1 class"),
        (ROWS, [-1, -1, -1], "at least two classes; got 0 classes"),
        (ROWS, [0, 2, -1], "class codes 0 to 1"),
        (ROWS, ["no", "maybe", None], "names of the 2 classes"),
    ],
)
def test_rows_and_labels_that_do_not_fit_are_refused(rows: np.ndarray, labels: list[Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Remembering(schema=SCHEMA).fit(rows, labels)


def test_parameters_are_checked_before_anything_is_read() -> None:
    with pytest.raises(InputError, match="limit"):
        Remembering(schema=SCHEMA, limit=0).fit("no rows", None)  # type: ignore[arg-type]


def test_as_many_labels_as_rows_are_needed() -> None:
    with pytest.raises(ValueError, match="inconsistent"):
        receiver_rows(Remembering(schema=SCHEMA), ROWS, [0, 1], SCHEMA, np.float64)
