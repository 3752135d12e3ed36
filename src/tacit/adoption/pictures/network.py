"""The receiver's side with a network: few labels, many unlabelled rows, and releases that guide it and then vote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit import checks
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.pictures.self_training import stratified_folds
from tacit.adoption.pictures.source_scores import sources_of
from tacit.adoption.pictures.storage import all_source_parts, all_stored_sources
from tacit.adoption.pictures.weighting import centred, combine, gated_weights, probabilities
from tacit.adoption.receiver_table import LabelledReceiverMixin
from tacit.adoption.stored_model import ReceiverEstimator, stored_classes
from tacit.arrays import UNLABELLED, Arrays, Codes, FloatArray
from tacit.errors import InputError
from tacit.models.per_class import ProbabilityClassifierMixin, best_classes
from tacit.models.schema_rows import schema_rows
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.storage import layout_arrays, layout_settings, network_arrays, stored_learner
from tacit.releases.lesson import ReceiverTable

# Of digits, more steps gain another half point and take as much longer.
STEPS = 1500


@dataclass(eq=False, repr=False, kw_only=True)
class SharpenedTransfer(LabelledReceiverMixin, ProbabilityClassifierMixin, ReceiverEstimator):
    """Learn a network from few labels, many unlabelled rows and what releases say of them.

    Releases that raise the likelihood of the receiver's labels make soft labels, which guide the network while it
    learns. Then network and releases vote, with weights found on labelled rows by networks that did not learn them; a
    release that does not help there weighs nothing. In the evidence, votes on each part of the labels are weighed by
    the other parts. Adopting spends nothing; the fitted network holds knowledge of the receiver's rows and must not be
    handed out.

    Parameters
    ----------
    releases, schema
        As in ``TransferClassifier``.
    learner : SharpenedClassifier or None
        How networks learn; None: FixMatch with sharpening in 1500 steps. Its schema and seed are set here.
    folds : int, default 2
        Into how many parts the labelled rows are divided to weigh the votes; fewer where a class has fewer labels.
    compare : bool, default True
        Whether to learn without releases as well, for ``evidence_`` and ``target_only_predict``; it doubles the time.
    random_state : int or None
        Seed of folds, networks and their training; no privacy depends on it.
    verbose : bool
        Show the progress of each network.

    Attributes
    ----------
    classes_ : array [C]
    learner_, alone_ : SharpenedClassifier
        The network that the releases guided, and the same without any release.
    spread_ : float
        Of the guided network's logits, by which they are divided before they vote.
    sources_ : list of SourceScores
    weights_ : array [1 + number of releases]
        Of the network's vote and of each release's; zeros where a release was ignored.
    evidence_ : Evidence
        What adopting did on the labelled rows, each by networks that did not learn it; with ``compare``.
    """

    model_kind = "sharpened_model"
    made_by = "`tacit adopt --learner sharpened`"
    row_type = np.float32

    learner: SharpenedClassifier | None = None
    folds: int = 2
    compare: bool = True
    random_state: int | None = None
    verbose: bool = False

    def _check_parameters(self) -> None:
        checks.whole("folds", self.folds, least=2)

    def _learn(self, table: ReceiverTable) -> None:
        """Learn a network guided by the releases, weigh its vote and theirs, and learn another without them."""
        rows, labels = table.X, table.codes
        codes = np.full(len(rows), UNLABELLED, dtype=np.intp)
        codes[table.labelled] = labels
        if (np.bincount(labels) > 1).sum() < 2:
            raise InputError("y must hold at least two labels of each of at least two classes, to weigh votes on.")
        self.sources_, of_rows, of_labelled = sources_of(self.releases, table)
        guide = _guide(of_rows, of_labelled, labels)
        folds = self._folds(labels)
        votes = self._out_of_fold(table, folds, guided=True)
        self.weights_ = gated_weights(votes[:1], votes[1:], labels)
        self.learner_ = self._network().fit(rows, codes, guide=guide)
        self.spread_ = _spread(self.learner_.logits(rows))
        if self.compare:
            alone = self._out_of_fold(table, folds, guided=False)[0] if self.releases else votes[0]
            self.alone_ = self.learner_ if guide is None else self._network().fit(rows, codes)
            self.evidence_ = self._evidence(labels, alone, _cross_weighed(votes, labels, folds), len(rows))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]: the softmax of the weighed votes."""
        return probabilities(self._scores(X))

    def target_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row by the same learner without any release."""
        check_is_fitted(self, "alone_", msg="fit with compare=True before target_only_predict.")
        return best_classes(self.alone_.logits(self._rows(X)), self.classes_)

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        check_is_fitted(self, "alone_", msg="fit with compare=True before to_model: its report compares.")
        learner = self.learner_
        if learner.network is not None:
            raise InputError(
                "learner must use the default network to be stored in a model file; yours is your own code."
            )
        sources, source_settings = all_source_parts(self.sources_)
        arrays: Arrays = {
            "classes": stored_classes(self.classes_),
            "weights": self.weights_,
            **network_arrays(learner.network_, "network"),
            **network_arrays(self.alone_.network_, "alone"),
            **layout_arrays(learner.layout_),
            **sources,
        }
        return arrays, {
            "layout": layout_settings(learner.layout_),
            "spread": self.spread_,
            "temperature": learner.temperature_,
            "opinions": source_settings,
            "evidence": self.evidence_.to_dict(),
        }

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        self.classes_ = np.asarray(arrays["classes"])
        self.weights_, self.spread_ = arrays["weights"], float(settings["spread"])
        self.sources_ = all_stored_sources(arrays, settings["opinions"])
        self.evidence_ = Evidence.from_dict(settings["evidence"])
        self.learner_, self.alone_ = (
            stored_learner(arrays, settings, self.schema_, name) for name in ("network", "alone")
        )

    def _scores(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        rows = self._rows(X)
        votes = [centred(self.learner_.logits(rows)) / self.spread_, *(source(rows) for source in self.sources_)]
        return combine(self.weights_, votes)

    def _rows(self, X: ArrayLike) -> NDArray[Any]:
        return schema_rows(self, X, self.schema_, dtype=np.float32, reset=False)

    def _network(self) -> SharpenedClassifier:
        """Return an unfitted learner of this table."""
        network: SharpenedClassifier = default_learner() if self.learner is None else clone(self.learner)
        network.set_params(schema=self.schema_, random_state=self.random_state, verbose=self.verbose)
        return network

    def _folds(self, labels: Codes) -> NDArray[np.intp]:
        """Return the part that each labelled row is held out with."""
        fewest = int(np.unique(labels, return_counts=True)[1].min())
        n_folds = min(self.folds, max(2, fewest))
        return stratified_folds(labels, n_folds, check_random_state(self.random_state))

    def _out_of_fold(self, table: ReceiverTable, folds: NDArray[np.intp], *, guided: bool) -> list[FloatArray]:
        """Return votes on the labelled rows [L, C] of the network and, if guided, of each release.

        Each part of the labels is hidden from all that votes on it: how releases are read, the guide, and the network.
        """
        n_sources = len(self.releases) if guided else 0
        votes = [np.zeros((len(folds), len(self.classes_))) for _ in range(1 + n_sources)]
        for fold in np.unique(folds):
            in_fold, kept = folds == fold, folds != fold
            rest = ReceiverTable(table.schema, table.X, table.labelled[kept], table.codes[kept])
            _, of_rows, of_rest = sources_of(self.releases, rest) if guided else ([], [], [])
            codes = np.full(len(table.X), UNLABELLED, dtype=np.intp)
            codes[rest.labelled] = rest.codes
            network = self._network().fit(table.X, codes, guide=_guide(of_rows, of_rest, rest.codes))
            held_out = table.labelled[in_fold]
            votes[0][in_fold] = centred(network.logits(table.X[held_out])) / _spread(network.logits(table.X))
            for vote, scores in zip(votes[1:], of_rows, strict=True):
                vote[in_fold] = scores[held_out]
        return votes

    def _evidence(self, labels: Codes, alone: FloatArray, adopted: FloatArray, n_rows: int) -> Evidence:
        target_only = tuple(alone.argmax(axis=1).tolist())
        return Evidence(
            n_labelled=len(labels),
            n_unlabelled=n_rows - len(labels),
            classes=tuple(self.schema_.classes),
            weights=tuple(float(weight) for weight in self.weights_[1:]),
            notes=tuple(source.note for source in self.sources_),
            view="",
            truth=tuple(labels.tolist()),
            target_only=target_only,
            view_only=target_only,
            adopted=tuple(adopted.argmax(axis=1).tolist()),
        )


def default_learner() -> SharpenedClassifier:
    """Return how networks learn unless told otherwise."""
    return SharpenedClassifier(distillation="sh", n_steps=STEPS, unlabelled_ratio=2)


def _cross_weighed(votes: Sequence[FloatArray], codes: Codes, folds: NDArray[np.intp]) -> FloatArray:
    """Return combined votes [L, C], those of each part weighed by the labels of the others."""
    combined = np.zeros_like(votes[0])
    for fold in np.unique(folds):
        in_fold = folds == fold
        others = [vote[~in_fold] for vote in votes]
        combined[in_fold] = combine(
            gated_weights(others[:1], others[1:], codes[~in_fold]), [vote[in_fold] for vote in votes]
        )
    return combined


def _guide(of_rows: Sequence[FloatArray], of_labelled: Sequence[FloatArray], codes: Codes) -> FloatArray | None:
    """Return the soft labels [N, C] that the releases make together; None if labels bear none of them out."""
    nothing = np.zeros((len(codes), of_rows[0].shape[1])) if of_rows else None
    if nothing is None:
        return None
    weights = gated_weights([nothing], of_labelled, codes)[1:]
    return probabilities(combine(weights, of_rows)) if weights.any() else None


def _spread(logits: FloatArray) -> float:
    return float(centred(logits).std()) or 1.0
