"""The receiver's rows and labels, checked against its schema or described by one that is made for them."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from tacit.arrays import UNLABELLED, Codes
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.class_labels import partial_codes, require_two_classes
from tacit.models.schema_rows import require_encoded_columns, schema_rows
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable


class LabelledReceiverMixin:
    """``fit`` of a receiver's estimator that needs labels of at least two classes; ``_learn`` does the rest."""

    row_type: ClassVar[Any]
    schema: Schema | None
    releases: Sequence[Release]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from rows ``X`` and labels ``y`` [N].

        ``X`` is encoded, in [0, 1], or a data frame with the columns of the schema. ``y`` holds names of classes or
        their codes; -1, None, NaN or blank where unlabelled.
        """
        self._check_parameters()
        schema = known_schema(self.schema, self.releases)
        rows, self.classes_, codes = receiver_rows(self, X, y, schema, self.row_type)
        require_two_classes(codes)
        labelled = np.flatnonzero(codes != UNLABELLED)
        self.schema_ = plain_schema(rows.shape[1], self.classes_) if schema is None else schema
        self._learn(ReceiverTable(self.schema_, rows, labelled, codes[labelled]))
        return self

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise InputError for a parameter that is out of its range."""

    @abstractmethod
    def _learn(self, table: ReceiverTable) -> None:
        """Learn from the checked rows and labels."""


def receiver_rows(
    estimator: Any, X: ArrayLike, y: ArrayLike, schema: Schema | None, dtype: Any
) -> tuple[NDArray[Any], NDArray[Any], Codes]:
    """Return encoded rows, the classes, and the code of each row, -1 where unlabelled.

    ``X`` is encoded already, or a data frame with the columns of ``schema``. Classes are those of the schema, by name
    or by code as ``y`` has them, else the labels found.
    """
    rows = schema_rows(estimator, X, schema, dtype=dtype)
    if schema is not None:
        require_encoded_columns(schema, rows.shape[1])
    classes, codes = partial_codes(y, None if schema is None else schema.classes)
    check_consistent_length(rows, codes)
    return rows, classes, codes


def known_schema(schema: Schema | None, releases: Sequence[Release]) -> Schema | None:
    """Return the receiver's schema: as given, or of the first release; None without either."""
    if schema is not None or not releases:
        return schema
    return Schema.from_dict(releases[0].schema or {}, source="the release's schema")


def plain_schema(n_columns: int, classes: NDArray[Any]) -> Schema:
    """Return the schema of anonymous numbers in [0, 1]."""
    columns = tuple(Numeric(f"x{place}", (0.0, 1.0)) for place in range(n_columns))
    names = tuple(str(each) for each in classes)
    return Schema((*columns, Label("label", names)) if len(names) > 1 else columns)
