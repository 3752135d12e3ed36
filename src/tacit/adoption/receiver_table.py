"""The receiver's rows and labels, checked against its schema or described by one that is made for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from tacit.arrays import UNLABELLED, Rows
from tacit.data.columns import Label, Numeric
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable


def receiver_table(estimator: Any, X: ArrayLike, y: ArrayLike, dtype: Any) -> tuple[ReceiverTable, NDArray[Any]]:
    """Return the checked rows and labels of an estimator's ``fit``, and the classes in the order of their codes.

    The estimator has ``schema`` and ``releases``; -1 marks an unlabelled row.
    """
    rows, labels = validate_data(estimator, X, y, dtype=dtype)
    check_classification_targets(labels)
    schema, classes, codes = receiver_classes(rows, np.asarray(labels), estimator.schema, estimator.releases)
    labelled = np.flatnonzero(codes != UNLABELLED)
    return ReceiverTable(schema, rows, labelled, codes[labelled]), classes


def receiver_classes(
    rows: Rows, y: NDArray[Any], schema: Schema | None, releases: Sequence[Release]
) -> tuple[Schema, NDArray[Any], NDArray[np.intp]]:
    """Return the receiver's schema, its classes and the code of each row, -1 where unlabelled.

    Without a schema, columns and classes are those of the first release, or as found without one. Labels of fewer than
    two classes are refused.
    """
    known = y[y != UNLABELLED] if y.dtype.kind in "iuf" else y
    n_found = len(np.unique(known))
    if n_found < 2:
        raise InputError(f"y must hold labels of at least two classes; got {n_found} class{'' if n_found else 'es'}.")
    if schema is None and releases:
        schema = Schema.from_dict(releases[0].schema or {}, source="the release's schema")
    if schema is None:
        classes = np.unique(known)
        codes = np.searchsorted(classes, y)
        unknown = ~np.isin(y, classes)
        return _plain_schema(rows.shape[1], classes), classes, np.where(unknown, UNLABELLED, codes)
    if len(schema.encoded_names) != rows.shape[1]:
        raise InputError(
            f"X must have the {len(schema.encoded_names)} encoded columns of the schema; got {rows.shape[1]}."
        )
    classes = np.arange(len(schema.classes))
    if not np.isin(y, [UNLABELLED, *classes]).all():
        raise InputError(f"y must hold class codes 0 to {len(classes) - 1}, or -1 for unlabelled rows; got others.")
    return schema, classes, y.astype(np.intp)


def _plain_schema(n_columns: int, classes: NDArray[Any]) -> Schema:
    """Return the schema of anonymous numbers in [0, 1]."""
    columns = tuple(Numeric(f"x{place}", (0.0, 1.0)) for place in range(n_columns))
    names = tuple(str(each) for each in classes)
    return Schema((*columns, Label("label", names)) if len(names) > 1 else columns)
