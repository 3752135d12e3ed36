"""An adopted model, opened from its file for predicting and reporting."""

from dataclasses import dataclass

from tacit.data.schema import Schema
from tacit.errors import ReleaseError
from tacit.release.model import Model, read_model
from tacit.release.regular import FilePath
from tacit.scenarios.transfer.classifier import TransferClassifier


@dataclass(frozen=True)
class Adopted:
    """A model file, the classifier that it holds, and the schema of the receiver's tables."""

    model: Model
    classifier: TransferClassifier
    schema: Schema


def open_model(path: FilePath) -> Adopted:
    """Return the adopted model in the file at ``path``, ready to predict."""
    model = read_model(path)
    if model.schema is None:
        raise ReleaseError(f"{path}: the model has no schema, so tables cannot be read for it. Adopt again.")
    return Adopted(model, TransferClassifier.from_model(model), Schema.from_dict(model.schema, source=str(path)))
