"""Adopted models: written, opened from their files, and used to predict and report."""

import zipfile
from typing import Any, Protocol, get_args

from numpy.typing import ArrayLike, NDArray

from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence
from tacit.adoption.evidence.target_evidence import TargetEvidence
from tacit.adoption.neighbours import MetricNeighbours
from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.adoption.pictures.network import SharpenedTransfer
from tacit.adoption.pictures.second_round import OwnerAnswer
from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.adoption.tables.private_transfer import PrivateTransfer
from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.files.regular import FilePath
from tacit.kinds.answer import FILE as ANSWER_FILE
from tacit.kinds.registry import kind_of
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.records import record
from tacit.releases import file as model_files
from tacit.releases.container import MODEL, RELEASE
from tacit.releases.file import Model, read_release

Receiver = (
    AveragedTransfer | TransferClassifier | SharpenedTransfer | MetricNeighbours | LabelFreeTransfer | PrivateTransfer
)
Regressor = TargetTransfer
# By the kind that their model files state.
RECEIVERS: dict[str, type[Receiver | Regressor]] = {
    receiver.model_kind: receiver for receiver in (*get_args(Receiver), Regressor)
}


# Releases that name classes by themselves, and are no linear models.
RELEASED_CLASSIFIERS = {ANSWER_FILE: OwnerAnswer.from_release}


class Classifier(Protocol):
    """Whatever names the class of encoded rows."""

    classes_: NDArray[Any]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]."""
        ...


@record
class AdoptedModel:
    """A model file, the classifier or regressor that it holds, and the schema of the receiver's tables.

    It holds knowledge of the receiver's rows: keep it, do not hand it out, unless it was adopted privately.
    """

    model: Model
    learner: Receiver | Regressor
    schema: Schema

    def __repr__(self) -> str:
        return f"<AdoptedModel {self.model.kind!r}: {type(self.learner).__name__}>"

    @property
    def evidence(self) -> Evidence | AdoptionEvidence | TargetEvidence:
        """What adopting did on the receiver's own labelled rows."""
        return self.learner.evidence_

    @property
    def classifier(self) -> Receiver:
        """The classifier; raise InputError for a model of a numeric target."""
        if isinstance(self.learner, TargetTransfer):
            raise InputError("the model is of a numeric target and names no classes; see its regressor.")
        return self.learner

    @property
    def regressor(self) -> Regressor:
        """The regressor; raise InputError for a model of classes."""
        if not isinstance(self.learner, TargetTransfer):
            raise InputError("the model is of classes and predicts no number; see its classifier.")
        return self.learner


@record
class Predictor:
    """Whatever predicts: the model of an adoption, or a linear release, which is one by itself."""

    learner: Classifier | Regressor
    schema: Schema


def read_model(path: FilePath) -> AdoptedModel:
    """Return the adopted model in the file at ``path``, ready to predict."""
    model = model_files.read_model(path)
    if model.schema is None:
        raise ReleaseError(f"{path}: the model has no schema, so tables cannot be read for it. Adopt again.")
    # TransferClassifier says what is wrong with a model of another kind.
    receiver = RECEIVERS.get(model.kind, TransferClassifier)
    return AdoptedModel(model, receiver.from_model(model), Schema.from_dict(model.schema, source=str(path)))


def write_model(model: AdoptedModel | Model, path: FilePath) -> None:
    """Write an adopted model to ``path``, whole or not at all, readable by its owner alone."""
    model_files.write_model(model.model if isinstance(model, AdoptedModel) else model, path)


def open_predictor(path: FilePath) -> Predictor:
    """Return what the file at ``path`` predicts with: a model, or a linear release."""
    release = read_release(path) if is_release_file(path) else None
    if release is not None and release.kind in RELEASED_CLASSIFIERS:
        answered = RELEASED_CLASSIFIERS[release.kind](release)
        return Predictor(answered, answered.schema)
    if release is None or release.schema is None or "prior" not in kind_of(release).teaches:
        opened = read_model(path)  # which says why any other release is no model
        return Predictor(opened.learner, opened.schema)
    return Predictor(FeatureSplitClassifier.from_release(release), Schema.from_dict(release.schema, source=str(path)))


def is_release_file(path: FilePath) -> bool:
    """Return whether to read the file as a release; whatever else is wrong with it, the readers say."""
    return _holds(path, RELEASE.document)


def is_model_file(path: FilePath) -> bool:
    """Return whether to read the file as a model; whatever else is wrong with it, the readers say."""
    return _holds(path, MODEL.document)


def _holds(path: FilePath, document: str) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return document in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False
