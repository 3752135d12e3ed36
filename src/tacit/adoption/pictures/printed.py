"""The printed way to join source and target: whichever autoencoder reconstructs a row best names its class.

[membership] eq. 79-87. It ignores the source whenever its errors are on another scale, as they are with noise; kept
to compare with.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, Rows
from tacit.errors import InputError
from tacit.models.membership.classifier import MembershipClassifier
from tacit.models.membership.mapping import MembershipMapping
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable, owner_schema, shared_classes

Labels = NDArray[np.intp]

# Subspace dimensions of the rounds, and rows drawn for each class of the source.
DIMENSIONS = (5, 10, 15, 20)
SOURCE_ROWS = 1000


@dataclass(frozen=True)
class PrintedTransfer:
    """Source, source-to-target and target models of one release.

    Attributes
    ----------
    to_source : array [p_tg, p_sr] or None
        Maps our rows into the source's space by matching principal directions by rank (eq. 79); None: as they are.
    source, target : MembershipClassifier
        Of noisy source rows and of our rows, by our class codes.
    bridge : MembershipMapping
        From a row as the source's autoencoder of its class sees it to the row (eq. 84-86).
    """

    to_source: FloatArray | None
    source: MembershipClassifier
    target: MembershipClassifier
    bridge: MembershipMapping

    def __call__(self, X: Rows, n_classes: int) -> FloatArray:
        """Return minus the smallest of the three reconstruction errors of each class [N, C] (eq. 87)."""
        rows = _mapped(X, self.to_source)
        errors = np.full((len(rows), n_classes), np.inf)
        errors[:, self.target.classes_] = self.target.reconstruction_errors(rows)
        for code in self.source.classes_:
            seen = self.source.reconstruct(rows, code)
            for image in (seen, self.bridge.predict(seen)):
                errors[:, code] = np.minimum(errors[:, code], ((rows - image) ** 2).sum(axis=1))
        # A class that no autoencoder knows is the worst of all.
        known = np.where(np.isfinite(errors), errors, -np.inf).max(axis=1, keepdims=True)
        scores: FloatArray = -np.where(np.isfinite(errors), errors, known + 1)
        return scores


def learn_printed(
    release: Release, table: ReceiverTable, *, random_state: int | None = None, n_jobs: int | None = None
) -> PrintedTransfer:
    """Return the printed models of one release and the receiver's rows."""
    if "covariances" not in release.arrays:
        raise InputError(
            "combine='paper' needs releases at entry level, from which noisy rows can be drawn again; "
            f"got one of kind {release.kind!r}. Use combine='calibrated'."
        )
    random = check_random_state(random_state)
    drawn, labels = _source_rows(release.arrays, shared_classes(table.schema, owner_schema(release)), random)
    settings: dict[str, Any] = {"random_state": random.randint(2**31 - 1), "n_jobs": n_jobs}
    source = _fitted(drawn, labels, n_components=20, settings=settings)
    to_source = _rank_matching(release.arrays, table.X)
    rows = _mapped(table.X, to_source)
    target, guesses = _target(rows, table.labelled, table.codes, settings)
    shared = np.isin(guesses, source.classes_)
    seen = source.reconstruct(rows[shared], guesses[shared])
    bridge = MembershipMapping(random_state=settings["random_state"]).fit(seen, rows[shared])
    return PrintedTransfer(to_source, source, target, bridge)


def _mapped(X: Rows, to_source: FloatArray | None) -> Rows:
    return X.astype(np.float32) if to_source is None else (X @ to_source).astype(np.float32)


def _source_rows(
    arrays: Mapping[str, NDArray[Any]], classes: Mapping[int, int], random: Any
) -> tuple[Rows, NDArray[np.intp]]:
    """Return rows drawn from the released class moments with the public noise on top, by our class codes."""
    pieces, labels = [], []
    for ours, theirs in classes.items():
        values, axes = np.linalg.eigh(arrays["covariances"][theirs].astype(np.float64))
        root = axes * np.sqrt(np.maximum(values, 0))
        count = int(min(max(arrays["counts"][theirs], 2), SOURCE_ROWS))
        clean = arrays["means"][theirs] + random.standard_normal((count, len(values))) @ root.T
        pieces.append(clean + random.laplace(scale=np.sqrt(arrays["noise"][theirs] / 2), size=clean.shape))
        labels.append(np.full(count, ours, dtype=np.intp))
    return np.concatenate(pieces).astype(np.float32), np.concatenate(labels)


def _rank_matching(arrays: Mapping[str, NDArray[Any]], X: Rows) -> FloatArray | None:
    """Return (V_tg)ᵀ V_sr, directions ordered by variance on either side; None where both have as many columns."""
    means, counts = arrays["means"], arrays["counts"]
    if means.shape[1] == X.shape[1]:
        return None
    shares = counts / max(float(counts.sum()), 1.0)
    middle = means - shares @ means
    total = np.tensordot(shares, arrays["covariances"], axes=1) + middle.T @ (middle * shares[:, None])
    n_shared = max(1, min(means.shape[1] // 2, X.shape[1]))
    theirs = np.linalg.eigh(total)[1][:, ::-1][:, :n_shared]
    ours = np.linalg.eigh(np.cov(X.T, dtype=np.float64))[1][:, ::-1][:, :n_shared]
    mapping: FloatArray = ours @ theirs.T
    return mapping


def _target(
    rows: Rows, labelled: NDArray[np.intp], codes: Labels, settings: Mapping[str, Any]
) -> tuple[MembershipClassifier, Labels]:
    """Return the classifier after the printed rounds, and the label it gives to each row (eq. 82-83)."""
    fewest = int(np.unique(codes, return_counts=True)[1].min())
    model = _fitted(
        rows[labelled], codes, n_components=max(1, min(20, fewest - 1)), max_landmarks=1.0, settings=settings
    )
    guesses = _guessed(model, rows, labelled, codes)
    for n_components in DIMENSIONS:
        model = _fitted(rows, guesses, n_components=n_components, settings=settings)
        guesses = _guessed(model, rows, labelled, codes)
    return model, guesses


def _guessed(model: MembershipClassifier, rows: Rows, labelled: NDArray[np.intp], codes: Labels) -> Labels:
    guesses: Labels = np.asarray(model.predict(rows), dtype=np.intp)
    guesses[labelled] = codes
    return guesses


def _fitted(
    rows: Rows, labels: Labels, *, n_components: int, settings: Mapping[str, Any], max_landmarks: float = 0.5
) -> MembershipClassifier:
    model = MembershipClassifier(n_components=n_components, max_landmarks=max_landmarks, overlap=1, **settings)
    with warnings.catch_warnings():
        # scikit-learn takes few labels of many classes for a regression; here they are the usual case.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        fitted: MembershipClassifier = model.fit(rows, labels)
    return fitted
