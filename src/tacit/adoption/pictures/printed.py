"""The printed way to join source and target: whichever autoencoder reconstructs a row best names its class.

[membership] Alg. 5, 6 and eq. 79-87: the owner hands out its rows with noise in every entry, the receiver learns from
them. The source is ignored whenever its errors are on another scale, as they are with noise; kept to compare with.
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
from tacit.kinds.noisy_rows import FILE as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import PrivateRows, private_rows
from tacit.models.membership.classifier import MembershipClassifier
from tacit.models.membership.mapping import MembershipMapping
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable, owner_schema, shared_classes

Labels = NDArray[np.intp]

# [membership] section 5: the source's subspace dimension, layers of an autoencoder, subspace dimensions of the rounds,
# and (Alg. 3) rows of a part.
SOURCE_DIMENSION, LAYERS = 20, 5
DIMENSIONS = (5, 10, 15, 20)
PART_SIZE = 1000


@dataclass(frozen=True)
class PrintedTransfer:
    """Source, source-to-target and target models of one release."""

    to_source: FloatArray | None
    """[p_tg, p_sr] or None: maps our rows into the source's space by matching principal directions by rank (eq. 79);
    None: as they are."""
    source: MembershipClassifier
    target: MembershipClassifier
    """Of noisy source rows and of our rows, by our class codes."""
    bridge: MembershipMapping
    """From a row as the source's autoencoder of its class sees it to the row (eq. 84-86)."""

    def mapped(self, X: Rows) -> Rows:
        """Return our rows in the source's space (eq. 79)."""
        return _mapped(X, self.to_source)

    def __call__(self, X: Rows, n_classes: int) -> FloatArray:
        """Return minus the smallest of the three reconstruction errors of each class [N, C] (eq. 87)."""
        rows = self.mapped(X)
        errors = np.full((len(rows), n_classes), np.inf)
        errors[:, self.target.classes_] = self.target.reconstruction_errors(rows)
        for code in self.source.classes_:
            reconstructed = self.source.reconstruct(rows, code)
            for image in (reconstructed, self.bridge.predict(reconstructed)):
                errors[:, code] = np.minimum(errors[:, code], ((rows - image) ** 2).sum(axis=1))
        # A class that no autoencoder knows is the worst of all.
        known = np.where(np.isfinite(errors), errors, -np.inf).max(axis=1, keepdims=True)
        scores: FloatArray = -np.where(np.isfinite(errors), errors, known + 1)
        return scores


def learn_printed(
    release: Release, table: ReceiverTable, *, random_state: int | None = None, n_jobs: int | None = None
) -> PrintedTransfer:
    """Return the printed models of one release and the receiver's rows."""
    if release.kind != NOISY_ROWS:
        raise InputError(
            "combine='paper' learns from the noisy rows themselves: it needs releases of kind 'rows' "
            f"(tacit release --method rows); got one of kind {release.kind!r}. Use combine='calibrated'."
        )
    classes = shared_classes(table.schema, owner_schema(release))
    return learn_from_rows(private_rows(release), classes, table, random_state=random_state, n_jobs=n_jobs)


def learn_from_rows(
    noisy: PrivateRows,
    classes: Mapping[int, int],
    table: ReceiverTable,
    *,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> PrintedTransfer:
    """Return the printed models of the owner's noisy rows, whose class codes ``classes`` gives by ours."""
    random = check_random_state(random_state)
    settings: dict[str, Any] = {"random_state": random.randint(2**31 - 1), "n_jobs": n_jobs}
    source = _source(noisy, classes, settings)
    to_source = _rank_matching(noisy.rows, table.X)
    rows = _mapped(table.X, to_source)
    target, guesses = _target(rows, table.labelled, table.codes, settings)
    shared = np.isin(guesses, source.classes_)
    outputs = source.reconstruct(rows[shared], guesses[shared])
    bridge = MembershipMapping(random_state=settings["random_state"]).fit(outputs, rows[shared])
    return PrintedTransfer(to_source, source, target, bridge)


def _mapped(X: Rows, to_source: FloatArray | None) -> Rows:
    return X.astype(np.float32) if to_source is None else (X @ to_source).astype(np.float32)


def _source(noisy: PrivateRows, classes: Mapping[int, int], settings: Mapping[str, Any]) -> MembershipClassifier:
    """Return Alg. 6: the classifier of all noisy rows whose class we share, by our class codes."""
    ours = np.full(noisy.n_classes, -1, dtype=np.intp)
    ours[list(classes.values())] = list(classes)
    codes = ours[noisy.codes]
    n_components = min(SOURCE_DIMENSION, noisy.rows.shape[1])
    return _fitted(noisy.rows[codes >= 0], codes[codes >= 0], n_components=n_components, settings=settings)


def _rank_matching(noisy: Rows, X: Rows) -> FloatArray | None:
    """Return (V_tg)ᵀ V_sr, directions ordered by variance on either side; None where both have as many columns."""
    if noisy.shape[1] == X.shape[1]:
        return None
    n_shared = max(1, min(noisy.shape[1] // 2, X.shape[1]))
    mapping: FloatArray = _directions(X, n_shared) @ _directions(noisy, n_shared).T
    return mapping


def _directions(X: Rows, count: int) -> FloatArray:
    """Return the ``count`` principal directions [p, count] of the rows, the largest variance first."""
    directions: FloatArray = np.linalg.eigh(np.cov(X.T, dtype=np.float64))[1][:, ::-1][:, :count]
    return directions


def _target(
    rows: Rows, labelled: NDArray[np.intp], codes: Labels, settings: Mapping[str, Any]
) -> tuple[MembershipClassifier, Labels]:
    """Return the classifier after the printed rounds, and the label it gives to each row (eq. 82-83)."""
    fewest = int(np.unique(codes, return_counts=True)[1].min())
    model = _fitted(
        rows[labelled],
        codes,
        n_components=max(1, min(20, fewest - 1)),
        settings=dict(settings) | {"max_landmarks": 1.0, "n_layers": 1},
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


def _fitted(rows: Rows, labels: Labels, *, n_components: int, settings: Mapping[str, Any]) -> MembershipClassifier:
    defaults: dict[str, Any] = {"max_landmarks": 0.5, "n_layers": LAYERS, "part_size": PART_SIZE, "overlap": 1}
    model = MembershipClassifier(n_components=n_components, **defaults | dict(settings))
    with warnings.catch_warnings():
        # scikit-learn takes few labels of many classes for a regression; here they are the usual case.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        fitted: MembershipClassifier = model.fit(rows, labels)
    return fitted
