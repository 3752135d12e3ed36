"""The receiver's rows and labels, checked against its schema or described by one that is made for them."""

from collections.abc import Sequence
from typing import Any

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


def receiver_table(estimator: Any, X: ArrayLike, y: ArrayLike, dtype: Any) -> tuple[ReceiverTable, NDArray[Any]]:
    """Return the checked rows and labels of an estimator's ``fit``, and the classes in the order of their codes.

    The estimator has ``schema`` and ``releases``. Labels of fewer than two classes are refused.
    """
    known = known_schema(estimator.schema, estimator.releases)
    rows, classes, codes = receiver_rows(estimator, X, y, known, dtype)
    require_two_classes(codes)
    labelled = np.flatnonzero(codes != UNLABELLED)
    schema = plain_schema(rows.shape[1], classes) if known is None else known
    return ReceiverTable(schema, rows, labelled, codes[labelled]), classes


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
