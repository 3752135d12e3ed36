"""The release of a private linear classifier: its weights, and all that is needed to score rows with them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, Rows
from tacit.errors import InputError, ReleaseError, TacitError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.regularization import BEND
from tacit.models.two_class_problems import centred, unit_rows
from tacit.privacy.card import Card
from tacit.privacy.mechanisms.disjoint import stacking_features
from tacit.records import record
from tacit.releases.file import Release

KIND = "linear"
# Weights of unit rows are about as long as 1, with noise as long as the number of features; a million of them lie far
# below. Larger ones are made to overflow on chosen rows, so that a failure would tell that these rows are there.
LARGEST_WEIGHT = 1e9


@record
class LinearScores:
    """Scores of rows: for each group of features the unit row times its weights, then a combination of the groups."""

    split: FeatureSplit
    weights: FloatArray
    """[R, p]: of each two-class problem, zero outside the groups."""
    combination: FloatArray
    """[R, K]: public weights of the groups, or stacking weights."""
    noise: FloatArray
    """[K]: expected length of the noise in each group's weights."""
    bounds: tuple[Any, Any] | None = None
    row_norm: float | None = None
    stacked: bool = False
    """Whether the combination was learned from `stacking_features`."""
    regularization: FloatArray | None = None
    """[K] or None: lambda of each group; None where the number of rows is hidden, or in files that do not say it."""

    @property
    def felt_noise(self) -> FloatArray:
        """Expected length of the noise in each group's weights where rows vary: how far a receiver may trust them.

        Noise is d/beta over the curvature of the objective: n lambda, and where rows vary n (lambda + 0.1).
        """
        if self.regularization is None:
            return self.noise
        felt: FloatArray = self.noise * self.regularization / (self.regularization + BEND)
        return felt

    def margins(self, X: Rows) -> list[FloatArray]:
        """Return the scores [N, R] of each group."""
        rows = centred(np.asarray(X, dtype=np.float64), self.bounds)
        groups = (np.asarray(group) for group in self.split.positions)
        return [unit_rows(rows[:, group], self.row_norm) @ self.weights[:, group].T for group in groups]

    def __call__(self, X: Rows) -> FloatArray:
        """Return the scores of the problems [N, R]."""
        margins = np.stack(self.margins(X), axis=-1)  # [N, R, K]
        if self.stacked:
            margins = np.stack([stacking_features(margins[:, r]) for r in range(margins.shape[1])], axis=1)
        scores: FloatArray = np.einsum("nrk,rk->nr", margins, self.combination)
        return scores

    def per_class(self) -> FloatArray:
        """Return weights for each class [C, p]: the one problem of two classes speaks for one and against the other."""
        return np.vstack([-self.weights, self.weights]) if len(self.weights) == 1 else self.weights


def linear_release(
    scores: LinearScores,
    classes: NDArray[Any],
    card: Card,
    *,
    schema: Mapping[str, Any] | None = None,
    adopted: tuple[str, ...] = (),
) -> Release:
    """Return the file to hand out; ``adopted`` says in a line each which releases were learned from."""
    arrays, settings = linear_parts(scores)
    settings |= {"classes": np.asarray(classes).tolist(), "adopted": list(adopted)}
    return Release(KIND, arrays, settings, card, schema)


def linear_parts(scores: LinearScores) -> tuple[Arrays, dict[str, Any]]:
    """Return arrays and JSON-ready settings from which ``scores_from_parts`` makes the scores again."""
    bounds = None if scores.bounds is None else [np.asarray(bound, dtype=float).tolist() for bound in scores.bounds]
    settings = {
        "positions": [list(group) for group in scores.split.positions],
        "shares": list(scores.split.shares),
        "bounds": bounds,
        "row_norm": scores.row_norm,
        "stacked": scores.stacked,
        "regularization": None if scores.regularization is None else scores.regularization.tolist(),
    }
    return {"weights": scores.weights, "combination": scores.combination, "noise": scores.noise}, settings


def read_scores(release: Release) -> LinearScores:
    """Return the scores in a linear release; a release of another kind, or a malformed one, is refused."""
    if release.kind != KIND:
        raise ReleaseError(f"the release is of kind {release.kind!r}; a linear one comes from --method linear.")
    try:
        scores = scores_from_parts(release.arrays, release.settings)
        _require_shapes(scores, len(release.settings["classes"]))
    except (KeyError, TypeError, ValueError, IndexError, TacitError) as problem:
        raise ReleaseError(f"the linear release is malformed: {problem}") from problem
    return scores


def scores_from_parts(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> LinearScores:
    """Return the scores that ``linear_parts`` took apart."""
    groups = tuple(tuple(group) for group in settings["positions"])
    bounds, strengths = settings["bounds"], settings.get("regularization")
    return LinearScores(
        split=FeatureSplit(groups, tuple(settings["shares"])),
        weights=np.asarray(arrays["weights"], dtype=np.float64),
        combination=np.asarray(arrays["combination"], dtype=np.float64),
        noise=np.asarray(arrays["noise"], dtype=np.float64),
        bounds=None if bounds is None else (np.asarray(bounds[0]), np.asarray(bounds[1])),
        row_norm=settings["row_norm"],
        stacked=bool(settings["stacked"]),
        regularization=None if strengths is None else np.asarray(strengths, dtype=np.float64),
    )


def _require_shapes(scores: LinearScores, n_classes: int) -> None:
    R, K = (1 if n_classes == 2 else n_classes), len(scores.split.positions)
    if scores.weights.ndim != 2 or len(scores.weights) != R:
        raise ReleaseError(f"weights must have a row for each of {R} problems.")
    scores.split.require(scores.weights.shape[1])
    if scores.combination.shape != (R, K) or scores.noise.shape != (K,):
        raise ReleaseError(f"combination and noise must have one number for each of {K} groups.")
    for name in ("weights", "combination", "noise"):
        require_weights(name, getattr(scores, name), error=ReleaseError)
    if (scores.noise <= 0).any():
        raise ReleaseError("noise must be above 0 in each group.")
    if scores.regularization is not None and (
        scores.regularization.shape != (K,) or not (scores.regularization > 0).all()
    ):
        raise ReleaseError(f"regularization must be above 0 in each of {K} groups.")


def require_weights(name: str, values: FloatArray, *, error: type[TacitError] = InputError) -> FloatArray:
    """Return ``values`` if no sum over unit rows of them can overflow."""
    if not bool((np.abs(values) <= LARGEST_WEIGHT).all()):  # NaN compares as false
        raise error(f"{name} must be finite numbers of at most {LARGEST_WEIGHT:g} in size.")
    return values
