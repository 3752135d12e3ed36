"""An adopted model, opened from its file for predicting and reporting."""

import zipfile
from dataclasses import dataclass

from tacit.adoption.classifier import TransferClassifier
from tacit.adoption.neighbours import KIND as NEIGHBOURS
from tacit.adoption.neighbours import MetricNeighbours
from tacit.adoption.network import SharpenedTransfer
from tacit.adoption.network_storage import KIND as SHARPENED
from tacit.data.schema import Schema
from tacit.errors import ReleaseError
from tacit.files.regular import FilePath
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.release import KIND as LINEAR
from tacit.releases.container import RELEASE
from tacit.releases.file import read_release
from tacit.releases.model import Model, read_model

Receiver = TransferClassifier | SharpenedTransfer | MetricNeighbours
# By the kind of their model files; TransferClassifier reads its own and says what is wrong with any other.
RECEIVERS: dict[str, type[Receiver]] = {SHARPENED: SharpenedTransfer, NEIGHBOURS: MetricNeighbours}


@dataclass(frozen=True)
class Adopted:
    """A model file, the classifier that it holds, and the schema of the receiver's tables."""

    model: Model
    classifier: Receiver
    schema: Schema


def open_model(path: FilePath) -> Adopted:
    """Return the adopted model in the file at ``path``, ready to predict."""
    model = read_model(path)
    if model.schema is None:
        raise ReleaseError(f"{path}: the model has no schema, so tables cannot be read for it. Adopt again.")
    receiver = RECEIVERS.get(model.kind, TransferClassifier)
    return Adopted(model, receiver.from_model(model), Schema.from_dict(model.schema, source=str(path)))


@dataclass(frozen=True)
class Predictor:
    """Whatever predicts: the model of an adoption, or a linear release, which is one by itself."""

    classifier: Receiver | FeatureSplitClassifier
    schema: Schema


def open_predictor(path: FilePath) -> Predictor:
    """Return what the file at ``path`` predicts with: a model, or a linear release."""
    release = read_release(path) if _is_release(path) else None
    if release is None or release.kind != LINEAR or release.schema is None:
        opened = open_model(path)  # which says why any other release is no model
        return Predictor(opened.classifier, opened.schema)
    return Predictor(FeatureSplitClassifier.from_release(release), Schema.from_dict(release.schema, source=str(path)))


def _is_release(path: FilePath) -> bool:
    """Whether to read the file as a release; whatever is wrong with it, the readers say."""
    try:
        with zipfile.ZipFile(path) as archive:
            return RELEASE.document in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False
