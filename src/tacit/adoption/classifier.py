"""The receiver's side: a classifier from few labels, many unlabelled rows, and any number of releases."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.adoption.printed import learn_printed
from tacit.adoption.self_training import label_loss, self_train
from tacit.adoption.source_scores import Meeting, heard
from tacit.adoption.views import Basis, lent_views, own_views
from tacit.adoption.weighting import probabilities
from tacit.arrays import FLOATS, UNLABELLED, FloatArray, Rows
from tacit.checks import one_of
from tacit.data.columns import Label, Numeric
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.releases.file import Release
from tacit.releases.model import Model


@dataclass(frozen=True)
class Evidence:
    """What adopting did on the receiver's own labelled rows, by models that did not learn them.

    Attributes
    ----------
    weights : tuple of float
        Of each release; 0 where it was ignored.
    notes : tuple of str
        What each release and the table have in common.
    view : str
        In which view that came with a release the rows are learned; empty if none.
    truth, target_only, view_only, adopted : tuple of int
        Class codes of the labelled rows: true, and as predicted without any release, with no more of the releases than
        their view, and with the releases.
    """

    n_labelled: int
    n_unlabelled: int
    classes: tuple[str, ...]
    weights: tuple[float, ...]
    notes: tuple[str, ...]
    view: str
    truth: tuple[int, ...]
    target_only: tuple[int, ...]
    view_only: tuple[int, ...]
    adopted: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Evidence":
        """Return the evidence that ``to_dict`` wrote."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in content.items()
        }
        return cls(**values)


class TransferClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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
    random_state : int or None
        Seed of splits and landmarks; no privacy depends on it.
    n_jobs : int or None

    Attributes
    ----------
    classes_ : array [C]
        Class codes of the schema, or the labels found in ``y``.
    evidence_ : Evidence
    opinions_ : list of Opinion
    """

    def __init__(
        self,
        releases: Sequence[Release] = (),
        *,
        schema: Schema | None = None,
        combine: str = "calibrated",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.releases = releases
        self.schema = schema
        self.combine = combine
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from rows ``X`` [N, p] in [0, 1] and codes ``y`` [N], -1 where unlabelled."""
        one_of("combine", self.combine, ("calibrated", "paper"))
        rows, given = validate_data(self, X, y, dtype=FLOATS)
        check_classification_targets(given)
        schema, self.classes_, codes = receiver_classes(rows, np.asarray(given), self.schema, self.releases)
        labelled = np.flatnonzero(codes != UNLABELLED)
        seen = codes[labelled]
        self.schema_ = schema
        meetings = [Meeting(each, schema, rows, labelled, seen) for each in self.releases]
        self.opinions_, lent, on_labels = heard(meetings)
        common: dict[str, Any] = {"n_classes": len(self.classes_), "random_state": self.random_state}
        self.own_basis_, self.basis_ = self._bases(rows, labelled, seen, common)
        common["n_jobs"] = self.n_jobs
        self.alone_ = self_train(self.own_basis_(rows), labelled, seen, **common)
        F = self.basis_(rows)
        self.in_view_ = self.alone_ if self.basis_ is self.own_basis_ else self_train(F, labelled, seen, **common)
        self.joined_ = self.in_view_
        if lent:
            self.joined_ = self_train(F, labelled, seen, lent=lent, lent_labelled=on_labels, **common)
        self.printed_ = (
            [learn_printed(meeting, random_state=self.random_state, n_jobs=self.n_jobs) for meeting in meetings]
            if self.combine == "paper"
            else []
        )
        self.evidence_ = self._evidence(labelled, seen, len(rows))
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return combined class scores [N, C]; for two classes their difference [N]."""
        scores = self._scores(self._rows(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row."""
        codes = self._scores(self._rows(X)).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]: the softmax of the combined scores, as weighed on the labels."""
        return probabilities(self._scores(self._rows(X)))

    def target_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row by the same learner without any release."""
        rows = self._rows(X)
        scores = self.alone_.scores(self.own_basis_(rows), [])
        labels: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return labels

    def view_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row by the same learner in the releases' view, without their private knowledge."""
        rows = self._rows(X)
        scores = self.in_view_.scores(self.basis_(rows), [])
        labels: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return labels

    def reconstruct_layers(self, X: ArrayLike) -> Rows:
        """Return [L, N, p]: each row as the layers of its predicted class see it, learned without any release."""
        rows = self._rows(X)
        codes = self._scores(rows).argmax(axis=1)
        known = self.alone_.last.classes_
        nearest = np.where(np.isin(codes, known), codes, known[0])
        layers = self.alone_.last.reconstruct_layers(self.own_basis_(rows), nearest)
        images: Rows = layers @ self.own_basis_.directions + self.own_basis_.centre
        return images

    def to_model(self) -> Model:
        """Return the file that the receiver keeps; not to be handed out."""
        from tacit.adoption.storage import classifier_to_model  # noqa: PLC0415 - storage knows this class

        check_is_fitted(self)
        return classifier_to_model(self)

    @classmethod
    def from_model(cls, file: Model) -> "TransferClassifier":
        """Return the fitted classifier in ``file``."""
        from tacit.adoption.storage import classifier_from_model  # noqa: PLC0415 - storage knows this class

        return classifier_from_model(file)

    def _scores(self, rows: Rows) -> FloatArray:
        if self.printed_:
            best: FloatArray = np.max([printed(rows, len(self.classes_)) for printed in self.printed_], axis=0)
            return best
        lent = [opinion(rows) for opinion in self.opinions_]
        return self.joined_.scores(self.basis_(rows), lent)

    def _rows(self, X: ArrayLike) -> Rows:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=self.own_basis_.centre.dtype, reset=False))

    def _bases(
        self, rows: Rows, labelled: NDArray[np.intp], codes: NDArray[np.intp], settings: Mapping[str, Any]
    ) -> tuple[Basis, Basis]:
        """Return the best of our own bases, and the best with those that releases bring, as our labels tell."""

        def loss(basis: Basis) -> float:
            return label_loss(basis(rows), labelled, codes, **settings)

        own = [Basis.of(rows, view) for view in own_views(rows, pictures=self.schema_.image is not None)]
        mine = own[0] if len(own) == 1 else min(own, key=loss)
        frames = [getattr(opinion.scores, "frame", None) for opinion in self.opinions_]
        lent = [Basis.of(rows, view) for view in lent_views(frames)]
        return mine, min([mine, *lent], key=loss) if lent else mine

    def _evidence(self, labelled: NDArray[np.intp], codes: NDArray[np.intp], n_rows: int) -> Evidence:
        return Evidence(
            n_labelled=len(labelled),
            n_unlabelled=n_rows - len(labelled),
            classes=tuple(self.schema_.classes),
            weights=tuple(float(weight) for weight in self.joined_.weights[len(self.joined_.scales) :]),
            notes=tuple(opinion.note for opinion in self.opinions_),
            view="" if self.basis_ is self.own_basis_ else self.basis_.view.note,
            truth=tuple(codes.tolist()),
            target_only=tuple(self.alone_.labelled_scores.argmax(axis=1).tolist()),
            view_only=tuple(self.in_view_.labelled_scores.argmax(axis=1).tolist()),
            adopted=tuple(self.joined_.labelled_scores.argmax(axis=1).tolist()),
        )


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
