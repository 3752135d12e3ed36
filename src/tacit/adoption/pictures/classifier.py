"""The receiver's side: a classifier from few labels, many unlabelled rows, and any number of releases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.pictures.pooled_releases import ReleasePool, by_release, notes_by_release, pools_by_labels
from tacit.adoption.pictures.pooled_scores import JOINED_ONLY, joined_part, pool_weights, pooled
from tacit.adoption.pictures.printed import PrintedTransfer, learn_printed
from tacit.adoption.pictures.refit_evidence import refit_predictions
from tacit.adoption.pictures.self_training import label_loss, self_train
from tacit.adoption.pictures.source_scores import sources_of
from tacit.adoption.pictures.storage import (
    all_source_parts,
    all_stored_sources,
    axes_arrays,
    printed_parts,
    stored_axes,
    stored_printed,
    stored_trained,
    trained_arrays,
    view_settings,
)
from tacit.adoption.pictures.views import PrincipalAxes, own_views, released_views
from tacit.adoption.pictures.weighting import probabilities
from tacit.adoption.receiver_table import LabelledReceiverMixin
from tacit.adoption.stored_model import ReceiverEstimator, stored_classes
from tacit.arrays import FLOATS, UNLABELLED, Arrays, Codes, FloatArray, Rows
from tacit.checks import one_of
from tacit.models.per_class import ProbabilityClassifierMixin, best_classes, decisions
from tacit.models.schema_rows import schema_rows
from tacit.releases.lesson import ReceiverTable


@dataclass(eq=False, repr=False, kw_only=True)
class TransferClassifier(LabelledReceiverMixin, ProbabilityClassifierMixin, ReceiverEstimator):
    """Learn from few labels, many unlabelled rows and the releases of others.

    Releases of pictures also bring a public view: the owner's frame, and oriented gradients in it. What the view alone
    is worth is kept apart from what the private knowledge is worth (``view_only_predict``).

    The receiver's own table is not protected by this estimator: a fitted model holds landmarks made of its rows.
    Releases are private already; adopting them spends nothing.

    Parameters
    ----------
    releases : sequence of Release
        What owners handed out, made by ``tacit release``. Empty: semi-supervised learning alone.
    schema : Schema or None
        The receiver's schema. None: columns as in the first release, or numbers in [0, 1] without one.
    combine : {"calibrated", "paper"}
        "calibrated": releases are weighed by the likelihood of the receiver's labels and ignored where they do not
        raise it. "paper": the best of source, source-to-target and target reconstructions names the class, as in
        [membership] eq. 79-87, which ignores one side when scales differ; entry-level releases only.
    evidence : bool, default True
        Whether to learn again without each third of the labels, to show what adopting did; it takes three times as
        long again.
    random_state : int or None
        Seed of splits and landmarks; no privacy depends on it.
    n_jobs : int or None

    Attributes
    ----------
    classes_ : array [C]
        Classes of the schema, by name or by code as ``y`` has them; or the labels found in ``y``.
    pool_ : array [3]
        Probabilities of scores learned without the releases' knowledge, of their mean with the joined ones, and of
        the joined ones.
    evidence_ : Evidence
    sources_ : list of SourceScores
        Of each release; releases of several owners that hold the same sums are read as one.
    """

    model_kind = "transfer_model"
    made_by = "`tacit adopt`"
    stored_parameters = ("combine",)
    row_type = FLOATS

    combine: str = "calibrated"
    evidence: bool = True
    random_state: int | None = None
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        one_of("combine", self.combine, ("calibrated", "paper"))

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return combined class scores [N, C]; for two classes their difference [N]."""
        return decisions(self._scores(self._rows(X)))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]: the softmax of the combined scores, as weighed on the labels."""
        return probabilities(self._scores(self._rows(X)))

    def target_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row by the same learner without any release."""
        rows = self._rows(X)
        return best_classes(self.alone_.scores(self.own_axes_(rows), []), self.classes_)

    def view_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row by the same learner in the releases' view, without their private knowledge."""
        rows = self._rows(X)
        return best_classes(self.in_view_.scores(self.axes_(rows), []), self.classes_)

    def reconstruct_layers(self, X: ArrayLike) -> Rows:
        """Return [L, N, p]: each row as the layers of its predicted class see it, learned without any release."""
        rows = self._rows(X)
        codes = self._scores(rows).argmax(axis=1)
        own_classes = self.alone_.last.classes_
        nearest = np.where(np.isin(codes, own_classes), codes, own_classes[0])
        layers = self.alone_.last.reconstruct_layers(self.own_axes_(rows), nearest)
        images: Rows = layers @ self.own_axes_.directions + self.own_axes_.centre
        return images

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        sources, source_settings = all_source_parts(self.sources_)
        printed = [printed_parts(each, f"printed_{place}") for place, each in enumerate(self.printed_)]
        arrays: Arrays = {
            **axes_arrays(self.own_axes_, "own"),
            **axes_arrays(self.axes_, "view"),
            "classes": stored_classes(self.classes_),
            "pool": self.pool_,
            **trained_arrays(self.alone_, "alone"),
            **trained_arrays(self.in_view_, "in_view"),
            **trained_arrays(self.joined_, "joined"),
            **sources,
        }
        for more, _ in printed:
            arrays |= more
        return arrays, {
            "opinions": source_settings,
            "printed": [settings for _, settings in printed],
            "combine": self.combine,
            "evidence": self.evidence_.to_dict(),
            "own": view_settings(self.own_axes_.view),
            "view": view_settings(self.axes_.view),
        }

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        self.classes_ = np.asarray(arrays["classes"])
        self.own_axes_ = stored_axes(arrays, "own", settings["own"])
        self.axes_ = stored_axes(arrays, "view", settings["view"])
        self.alone_, self.in_view_, self.joined_ = (
            stored_trained(arrays, prefix) for prefix in ("alone", "in_view", "joined")
        )
        # Models written before scores were pooled predict by the joined ones.
        self.pool_ = np.asarray(arrays.get("pool", JOINED_ONLY))
        self.sources_ = all_stored_sources(arrays, settings["opinions"])
        self.printed_ = [stored_printed(arrays, each, f"printed_{k}") for k, each in enumerate(settings["printed"])]
        self.evidence_ = Evidence.from_dict(settings["evidence"])

    def _learn(self, table: ReceiverTable) -> None:
        """Learn from the rows alone, in the releases' view, and together with what the releases say."""
        rows, labelled, labels = table.X, table.labelled, table.codes
        pools = self._pools(table)
        self.sources_, of_rows, of_labelled = sources_of([pool.release for pool in pools], table)
        common: dict[str, Any] = {"n_classes": len(self.classes_), "random_state": self.random_state}
        self.own_axes_, self.axes_ = self._axes_pair(rows, labelled, labels, common)
        common["n_jobs"] = self.n_jobs
        self.alone_ = self_train(self.own_axes_(rows), labelled, labels, **common)
        F = self.axes_(rows)
        self.in_view_ = self.alone_ if self.axes_ is self.own_axes_ else self_train(F, labelled, labels, **common)
        self.joined_, self.pool_ = self.in_view_, JOINED_ONLY
        if of_rows:
            self.joined_ = self_train(F, labelled, labels, sources=of_rows, sources_labelled=of_labelled, **common)
        # Where no release weighs anything, both are the same to the byte.
        if self._release_weights().any():
            self.pool_ = pool_weights(self.in_view_.labelled_scores, self.joined_.labelled_scores, labels)
        self.printed_ = self._printed(table) if self.combine == "paper" else []
        self.evidence_ = self._evidence(table, pools)

    def _pools(self, table: ReceiverTable) -> list[ReleasePool]:
        """Return the releases, those that say the same kind of thing as one; the printed form takes each by itself."""
        if self.combine == "paper":
            return [ReleasePool(release, (place,), (1.0,)) for place, release in enumerate(self.releases)]
        return pools_by_labels(self.releases, table)

    def _printed(self, table: ReceiverTable) -> list[PrintedTransfer]:
        return [
            learn_printed(release, table, random_state=self.random_state, n_jobs=self.n_jobs)
            for release in self.releases
        ]

    def _scores(self, rows: Rows) -> FloatArray:
        if self.printed_:
            best: FloatArray = np.max([printed(rows, len(self.classes_)) for printed in self.printed_], axis=0)
            return best
        F = self.axes_(rows)
        joined = self.joined_.scores(F, [source(rows) for source in self.sources_])
        if self.pool_ @ JOINED_ONLY == 1:
            return joined
        return pooled(self.pool_, self.in_view_.scores(F, []), joined)

    def _release_weights(self) -> FloatArray:
        """Return the weight of each source in the joined scores: of a release, or of several that are read as one."""
        return self.joined_.weights[len(self.joined_.scales) :]

    def _rows(self, X: ArrayLike) -> Rows:
        check_is_fitted(self)
        return schema_rows(self, X, self.schema_, dtype=self.own_axes_.centre.dtype, reset=False)

    def _axes_pair(
        self, rows: Rows, labelled: NDArray[np.intp], codes: NDArray[np.intp], settings: Mapping[str, Any]
    ) -> tuple[PrincipalAxes, PrincipalAxes]:
        """Return the best of our own bases, and the best with those that releases bring, as our labels tell."""

        def loss(axes: PrincipalAxes) -> float:
            return label_loss(axes(rows), labelled, codes, **settings)

        own = [PrincipalAxes.of(rows, view) for view in own_views(rows, pictures=self.schema_.image is not None)]
        best = own[0] if len(own) == 1 else min(own, key=loss)
        frames = [getattr(source.scores, "frame", None) for source in self.sources_]
        released = [PrincipalAxes.of(rows, view) for view in released_views(frames)]
        return best, min([best, *released], key=loss) if released else best

    def _evidence(self, table: ReceiverTable, pools: Sequence[ReleasePool]) -> Evidence:
        held_out = self._held_out(table) if self.evidence else None
        truth = () if held_out is None else tuple(table.codes.tolist())
        alone, viewed, adopted = ((), (), ()) if held_out is None else (tuple(each) for each in held_out.tolist())
        return Evidence(
            n_labelled=len(table.labelled),
            n_unlabelled=len(table.X) - len(table.labelled),
            classes=tuple(self.schema_.classes),
            weights=tuple((joined_part(self.pool_) * by_release(pools, self._release_weights())).tolist()),
            notes=notes_by_release(pools, [source.note for source in self.sources_]),
            view="" if self.axes_ is self.own_axes_ else self.axes_.view.note,
            truth=truth,
            target_only=alone,
            view_only=viewed,
            adopted=adopted,
        )

    def _held_out(self, table: ReceiverTable) -> Codes | None:
        """Return codes of the labelled rows [3, L], learned again without them: alone, in view and adopted."""
        codes = np.full(len(table.X), UNLABELLED, dtype=np.intp)
        codes[table.labelled] = table.codes

        def refit(rest: Codes, held_out: Codes) -> Codes:
            again = TransferClassifier(
                self.releases,
                schema=self.schema_,
                combine=self.combine,
                evidence=False,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
            ).fit(table.X, rest)
            rows = table.X[held_out]
            return np.stack([again.target_only_predict(rows), again.view_only_predict(rows), again.predict(rows)])

        return refit_predictions(refit, codes, seed=self.random_state)
