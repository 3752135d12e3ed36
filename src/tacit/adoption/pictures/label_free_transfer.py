"""The receiver's side for pictures without labels: releases give start labels, its own rows do the rest."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.pictures.answered import STARTED as STARTED_BY_ANSWERS
from tacit.adoption.pictures.answered import Answers, answers_among
from tacit.adoption.pictures.label_free_sources import joint_scores, label_free_sources, pooled_sources
from tacit.adoption.pictures.self_training import SelfTrained, label_loss, self_train
from tacit.adoption.pictures.start_labels import STARTED, guessed_shares, soft_labels, start_codes
from tacit.adoption.pictures.storage import axes_arrays, stored_axes, stored_trained, trained_arrays, view_settings
from tacit.adoption.pictures.views import PrincipalAxes, own_views, released_views
from tacit.adoption.pictures.weighting import probabilities
from tacit.adoption.sources.class_shares import stated_shares
from tacit.adoption.stored_model import ReceiverEstimator
from tacit.adoption.tables.averaged_transfer import ESTIMATED, Shares
from tacit.arrays import UNLABELLED, Arrays, Codes, Float32Array, FloatArray
from tacit.checks import one_of
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.per_class import ProbabilityClassifierMixin
from tacit.models.schema_rows import require_encoded_columns
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import LossSettings, TrainingSettings
from tacit.models.semi_supervised.storage import layout_arrays, layout_settings, network_arrays, stored_learner

AUTO, NETWORK, SELF_TRAINING = LEARNERS = ("auto", "network", "self-training")
STEPS = 1500
# Start labels that self-training is given at most, of each class; its rounds label all other rows.
MOST_STARTED = 1000
# Probabilities below this are taken for it where their logarithms are added to those of an answer.
LEAST = 1e-30


@dataclass(eq=False, repr=False, kw_only=True)
class LabelFreeTransfer(ProbabilityClassifierMixin, ReceiverEstimator):
    """Learn from unlabelled rows and the releases of others, with no labels or labels of one class.

    The rows of which the releases are surest become labelled, as many of each class as its share; a network, or
    self-training where torch is not installed, learns from them and from all other rows. Whether the releases say more
    than noise is told by parts of them with independent noise: where these agree no more than by chance, adopting is
    refused. Nothing else can be measured without labels. Where all that is adopted are owners' answers to requests,
    nine tenths of the rows start; beside a network, the answers' log-odds are added to its own.

    The receiver's rows are not protected: the fitted model holds knowledge of them. Adopting spends nothing.

    Parameters
    ----------
    releases : sequence of Release
        What owners handed out, of kinds that have class scores.
    schema : Schema or None
        The receiver's. None: that of the first release.
    shares : mapping, "estimated" or None
        How common the classes are among the receiver's rows, by name. None or "estimated": as the releases guess.
    learner : {"auto", "network", "self-training"}
    network : SharpenedClassifier or None
        How the network learns. None: FixMatch with sharpening in 1500 steps.
    random_state : int or None
        No privacy depends on it.
    verbose : bool
        Show the network's progress.

    Attributes
    ----------
    classes_ : array [C]
    shares_ : array [C]
        As stated or guessed.
    network_ : SharpenedClassifier or None
    answers_ : Answers
        Owners' answers among the releases; their log-odds are added to the network's.
    trained_, axes_ : SelfTrained and PrincipalAxes, or None
    evidence_ : Evidence
        Without labels only the agreement of each release's halves.
    """

    model_kind = "label_free_model"
    made_by = "`tacit adopt` without labels"

    shares: Shares = None
    learner: str = AUTO
    network: SharpenedClassifier | None = None
    random_state: int | None = None
    verbose: bool = False

    def _forget(self) -> None:
        """Hold neither a network nor self-trained autoencoders."""
        self.network_: SharpenedClassifier | None = None
        self.trained_: SelfTrained | None = None
        self.axes_: PrincipalAxes | None = None

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn from rows ``X`` [N, p] in [0, 1]; codes ``y`` [N] may name rows of one class, -1 for all others."""
        one_of("learner", self.learner, LEARNERS)
        rows = np.asarray(validate_data(self, X, dtype=np.float32))
        self.schema_ = self._schema(rows)
        self.classes_ = np.arange(len(self.schema_.classes))
        label_codes = self._known_codes(y, len(rows))
        self.sources_ = label_free_sources(self.releases, self.schema_, rows)
        scores = joint_scores(pooled_sources(self.releases, self.sources_, self.schema_, rows), rows)
        stated = self._stated()
        self.shares_ = guessed_shares(scores) if stated is None else stated
        self.answers_ = answers_among(self.sources_, rows, len(self.classes_), stated)
        answered = len(self.answers_.sources) == sum(each.weight > 0 for each in self.sources_)
        started = start_codes(scores, self.shares_, started=STARTED_BY_ANSWERS if answered else STARTED)
        codes = np.where(label_codes == UNLABELLED, started, label_codes)
        self._forget()
        if self._uses_network():
            guide = self.answers_.soft_labels(rows) if answered else soft_labels(scores, stated)
            self.network_ = self._network().fit(rows, codes, guide=guide)
        else:
            self._self_train(rows, codes)
        self.evidence_ = self._evidence(label_codes)
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]."""
        check_is_fitted(self)
        rows = np.asarray(validate_data(self, X, dtype=np.float32, reset=False))
        if self.network_ is not None:
            own = self.network_.predict_proba(rows)
            return probabilities(np.log(np.maximum(own, LEAST)) + self.answers_(rows)) if self.answers_.sources else own
        if self.trained_ is None or self.axes_ is None:
            raise InputError("the model holds neither a network nor self-trained autoencoders.")
        return probabilities(self.trained_.scores(self.axes_(rows), []))

    def target_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the commonest class for every row: without labels nothing else is known without the releases."""
        check_is_fitted(self)
        return np.full(len(np.asarray(X)), self.classes_[int(self.shares_.argmax())])

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        arrays: Arrays = {"classes": np.asarray(self.classes_), "shares": self.shares_}
        content = {"evidence": self.evidence_.to_dict(), "network": self.network_ is not None}
        answers, answer_settings = self.answers_.to_parts()
        arrays, content = {**arrays, **answers}, {**content, **answer_settings}
        if self.network_ is not None:
            if self.network_.network is not None:
                raise InputError("network must be the default one to be stored in a model file; yours is your own.")
            arrays |= {**network_arrays(self.network_.network_, "network"), **layout_arrays(self.network_.layout_)}
            content |= {"layout": layout_settings(self.network_.layout_), "temperature": self.network_.temperature_}
        elif self.trained_ is not None and self.axes_ is not None:
            arrays |= {**axes_arrays(self.axes_, "view"), **trained_arrays(self.trained_, "trained")}
            content |= {"view": view_settings(self.axes_.view)}
        return arrays, content

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        self.classes_, self.shares_ = np.asarray(arrays["classes"]), np.asarray(arrays["shares"])
        self.evidence_ = Evidence.from_dict(settings["evidence"])
        self._forget()
        self.answers_ = Answers.from_parts(arrays, settings, len(self.classes_))
        if settings["network"]:
            self.network_ = stored_learner(arrays, settings, self.schema_, "network")
        else:
            self.axes_ = stored_axes(arrays, "view", settings["view"])
            self.trained_ = stored_trained(arrays, "trained")

    def _schema(self, rows: Float32Array) -> Schema:
        if self.schema is None and not self.releases:
            raise InputError("releases must hold at least one release: without labels nothing else can be learned.")
        schema = self.schema or Schema.from_dict(self.releases[0].schema or {}, source="the release's schema")
        return require_encoded_columns(schema, rows.shape[1])

    def _known_codes(self, y: ArrayLike | None, n_rows: int) -> Codes:
        codes = np.full(n_rows, UNLABELLED, dtype=np.intp) if y is None else np.asarray(y)
        if codes.shape != (n_rows,) or not np.isin(codes, [UNLABELLED, *self.classes_]).all():
            raise InputError(f"y must hold a class code from 0 to {len(self.classes_) - 1}, or -1, for each row of X.")
        if len(np.unique(codes[codes != UNLABELLED])) > 1:
            raise InputError("y must hold labels of one class at most; with more use SharpenedTransfer.")
        return codes.astype(np.intp)

    def _stated(self) -> FloatArray | None:
        if self.shares is None or self.shares == ESTIMATED:
            return None
        if isinstance(self.shares, str):
            raise InputError(f"shares must be a share for each class, or {ESTIMATED!r}; got {self.shares!r}.")
        return stated_shares(self.shares, self.schema_.classes)

    def _uses_network(self) -> bool:
        return self.learner == NETWORK or (self.learner == AUTO and importlib.util.find_spec("torch") is not None)

    def _network(self) -> SharpenedClassifier:
        """Return the unfitted network; start labels are no truth to stop by or to hold out."""
        network: SharpenedClassifier = label_free_network() if self.network is None else clone(self.network)
        losses = LossSettings(class_prior=self.shares_)
        network.set_params(losses=losses, schema=self.schema_, random_state=self.random_state, verbose=self.verbose)
        return network

    def _self_train(self, rows: Float32Array, codes: Codes) -> None:
        random = check_random_state(self.random_state)
        chosen = [random.permutation(np.flatnonzero(codes == code))[:MOST_STARTED] for code in self.classes_]
        started = np.sort(np.concatenate(chosen))
        common: dict[str, Any] = {"n_classes": len(self.classes_), "random_state": self.random_state}
        frames = [getattr(each.scores.scores, "frame", None) for each in self.sources_ if each.scores is not None]
        views = [*own_views(rows, pictures=self.schema_.image is not None), *released_views(frames)]
        axes = [PrincipalAxes.of(rows, view) for view in views]
        best = min(axes, key=lambda each: label_loss(each(rows), started, codes[started], **common))
        self.axes_, self.trained_ = best, self_train(best(rows), started, codes[started], **common)

    def _evidence(self, label_codes: Codes) -> Evidence:
        n_labelled = int((label_codes != UNLABELLED).sum())
        weights = np.array([each.weight for each in self.sources_])
        agreements = [each.agreement for each in self.sources_]
        return Evidence(
            n_labelled=n_labelled,
            n_unlabelled=len(label_codes) - n_labelled,
            classes=tuple(self.schema_.classes),
            weights=tuple((weights / weights.sum()).tolist()),
            notes=tuple("" if each.scores is None else each.scores.note for each in self.sources_),
            view="" if self.axes_ is None or self.axes_.view.frame is None else self.axes_.view.note,
            truth=(),
            target_only=(),
            view_only=(),
            adopted=(),
            agreements=tuple(None if each is None else (each.agreement, each.chance) for each in agreements),
            shares=tuple(self.shares_.tolist()),
        )


def label_free_network() -> SharpenedClassifier:
    """Return how networks learn from start labels unless told otherwise."""
    return SharpenedClassifier(
        distillation="sh",
        n_steps=STEPS,
        unlabelled_ratio=2,
        training=TrainingSettings(early_stopping=False),
        validation_fraction=0.0,
    )
