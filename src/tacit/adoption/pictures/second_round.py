"""A second round with an owner: the receiver sends its features, the owner answers with a private layer on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.adoption.pictures.network import SharpenedTransfer
from tacit.adoption.pictures.private_head import HeadPlan, descend_head, plan_head
from tacit.arrays import Codes, Float32Array, FloatArray
from tacit.data.schemas.schema import PUBLIC, Schema
from tacit.errors import InputError, ReleaseError
from tacit.kinds.answer import FILE as ANSWER_FILE
from tacit.kinds.answer.teach import encoded_alike
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.embedding import embedding_of, fitted_head
from tacit.models.semi_supervised.feature_layer import FeatureLayer
from tacit.privacy.ledger import LedgerLike
from tacit.releases.file import Model, Release

REQUEST = "second_round_request"
TOLD = (
    "the request holds a network and whitened directions learned from the receiver's rows without any privacy: whoever "
    "reads it can learn about those rows"
)


@dataclass(frozen=True, eq=False)
class Request:
    """What a receiver asks an owner: features of pictures or tables like its own, and a layer to start from.

    Not private: the owner learns about the receiver's rows.
    """

    layer: FeatureLayer
    schema: Schema

    def to_model(self) -> Model:
        """Return the request as a file."""
        arrays, settings = self.layer.to_parts()
        return Model(REQUEST, arrays, {**settings, "told": TOLD}, (), self.schema.to_dict())

    @classmethod
    def from_model(cls, file: Model) -> "Request":
        """Return the request in ``file``; raise ReleaseError for another kind."""
        return cls(*_stored(file, REQUEST, "`tacit request`"))


@dataclass(eq=False)
class OwnerAnswer:
    """A classifier of the receiver's features, private for the owner's rows; it may be handed out."""

    layer: FeatureLayer
    schema: Schema

    def __post_init__(self) -> None:
        self.classes_: NDArray[Any] = np.arange(len(self.schema.classes))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]."""
        return np.exp(self.layer(np.asarray(X, dtype=np.float32)))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    @classmethod
    def from_release(cls, release: Release) -> "OwnerAnswer":
        """Return the classifier in an owner's answer."""
        return cls(*_stored(release, ANSWER_FILE, "`tacit answer`"))


def make_request(classifier: object, X: ArrayLike, schema: Schema) -> Request:
    """Return the request by a receiver's fitted network, whitened on its rows ``X`` [N, p]."""
    network = _network_of(classifier)
    rows = np.asarray(X, dtype=np.float32)
    embedding = embedding_of(network, rows)
    return Request(FeatureLayer(embedding, fitted_head(embedding(rows), network.predict_proba(rows))), schema)


def plan_answer(request: Request, *, epsilon: float, delta: float) -> HeadPlan:
    """Return what an answer will draw; nothing is charged."""
    return plan_head(request.layer.embedding.size, len(request.schema.classes), epsilon=epsilon, delta=delta)


def answer_request(
    request: Request,
    X: Float32Array,
    y: Codes,
    schema: Schema,
    *,
    epsilon: float,
    delta: float,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    purpose: str = "answer to a request",
) -> Release:
    """Charge the ledger, then return the private layer learned from the owner's encoded rows and class codes."""
    _require_same_rows(request.schema, schema)
    plan = plan_answer(request, epsilon=epsilon, delta=delta)
    features = request.layer.embedding.one_by_one(np.asarray(X, dtype=np.float32))
    codes = np.array([request.schema.classes.index(name) for name in schema.classes])[np.asarray(y)]
    account = plan.plan.open(ledger=ledger, random_state=random_state, purpose=purpose)
    head = descend_head(features, codes, request.layer.head, plan, account)
    card = account.card(
        "a softmax layer on a receiver's features",
        adjacency="two tables are neighbours if one row, with its label, is added or removed",
        assumptions=[PUBLIC, "the receiver's features are shortened to length 1, each row by itself"],
        not_protected=[PUBLIC, TOLD],
    )
    arrays, settings = FeatureLayer(request.layer.embedding, head).to_parts()
    return Release(ANSWER_FILE, arrays, settings, card, request.schema.to_dict())


def _network_of(classifier: object) -> SharpenedClassifier:
    network: SharpenedClassifier | None = None
    if isinstance(classifier, LabelFreeTransfer):
        network = classifier.network_
    elif isinstance(classifier, SharpenedTransfer):
        network = classifier.learner_
    if network is None:
        raise InputError("the model must hold a network to ask an owner: adopt with --learner sharpened.")
    if network.network is not None:
        raise InputError("the model must hold the default network to ask an owner; yours is your own code.")
    return network


def _require_same_rows(ours: Schema, theirs: Schema) -> None:
    """Raise InputError unless the owner's rows are encoded as the receiver's, with the same classes."""
    if sorted(ours.classes) != sorted(theirs.classes):
        raise InputError(f"your classes must be those of the request, {', '.join(ours.classes)}.")
    if not encoded_alike(ours, theirs):
        raise InputError("your rows must be encoded as the request's: pictures of one shape, or the same columns.")


def _stored(file: Model | Release, kind: str, made_by: str) -> tuple[FeatureLayer, Schema]:
    """Return the layer and schema in a file; raise ReleaseError for a file of another kind."""
    if file.kind != kind or file.schema is None:
        raise ReleaseError(f"the file is of kind {file.kind!r}; {made_by} makes {kind!r}.")
    schema = Schema.from_dict(file.schema, source="the file's schema")
    return FeatureLayer.from_parts(file.arrays, file.settings, schema), schema
