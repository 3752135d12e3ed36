"""Released weights placed in a receiver's columns, and how far they are trusted by public numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.regularization import VARIANCE
from tacit.models.linear.release import read_scores, require_weights
from tacit.models.two_class_problems import n_problems
from tacit.records import record
from tacit.releases.file import Release

# How far the weights of related problems lie apart, as a part of their length: a public guess that decides what a
# release is worth beside one's own rows. Chosen, like BEND, on eleven tables of pydataset.
UNLIKE = 0.5


@record
class LinearHypothesis:
    """Weights of another table, placed in our columns."""

    split: FeatureSplit
    """Its groups, with one more for columns of ours that it does not know."""
    weights: Mapping[Any, FloatArray]
    """dict of class to array [p]"""
    noise: FloatArray
    """[K]: expected length of the noise in the weights of each group, where rows vary; infinite where it knows nothing.
    """
    note: str = ""
    """What it has in common with our table."""


@record
class PriorWeights:
    """Weights that a regression starts from."""

    split: FeatureSplit
    weights: FloatArray
    """[R, p]: of each two-class problem."""
    noise: FloatArray
    """[K]: expected length of the noise in the weights of each group; infinite where nothing is known."""

    def trust(self, place: int) -> tuple[float, float]:
        """Return `trust` in the weights of the group at ``place``."""
        return trust(self.length(place), len(self.split.positions[place]), float(self.noise[place]))

    def length(self, place: int) -> float:
        """Return the length of the weights of the group at ``place``, over all problems the root of the mean square."""
        weights = self.weights[:, list(self.split.positions[place])]
        return float(np.sqrt(np.square(weights).sum(axis=1).mean()))


def trust(length: float, size: int, noise: float) -> tuple[float, float]:
    """Return how much ``size`` prior weights of this length count, and the part of our weights' variance left open.

    Noise makes up noise² of their squared length L², so that they count by c = (1 - noise²/L²)+ [stein]. Where they
    tell something, weights of ours lie about them within noise² + (L/2)²; where they do not, as if there were none.
    Only what was released enters, and public numbers.
    """
    if noise >= length:
        return 0.0, 1.0
    share = 1 - (noise / length) ** 2
    about = (noise**2 + (UNLIKE * length) ** 2) / size
    return share, min(share * about / VARIANCE + 1 - share, 1.0)


def place_columns(release: Release) -> LinearHypothesis:
    """Return the hypothesis of a release whose columns are ours, in our order."""
    scores = read_scores(release)
    labels = release.settings["classes"]
    weights = dict(zip(labels, scores.per_class(), strict=True))
    return LinearHypothesis(scores.split, weights, scores.felt_noise, f"{scores.weights.shape[1]} columns")


def place_by_schema(release: Release, schema: Schema) -> LinearHypothesis:
    """Return the hypothesis of a release in the columns and class codes of our ``schema``.

    Columns are matched by name. Where bounds differ, a column of theirs is scale times ours but for a constant, which
    is dropped: weights are multiplied by the change of scale.
    """
    if release.schema is None:
        raise InputError("the release must carry a schema to be matched with ours. Ask its owner for one that does.")
    scores = read_scores(release)
    theirs = Schema.from_dict(release.schema, source="the release's schema")
    if len(theirs.encoded_names) != scores.weights.shape[1]:
        raise InputError("the release's weights and its schema disagree about the number of columns.")
    shared = schema.shared_with(theirs)
    if not shared.pairings or not shared.classes:
        raise InputError(
            "the release has no column or no class in common with this table. Columns and classes are matched by name."
        )
    by_class = scores.per_class()
    scales = np.array([pairing.scale for pairing in shared.pairings])
    weights = {}
    for ours, code in shared.classes.items():
        placed = np.zeros(len(schema.encoded_names))
        with np.errstate(over="ignore"):  # refused below
            placed[shared.ours] = by_class[code, shared.theirs] / scales
        weights[ours] = require_weights("weights of the release, in the scale of our bounds,", placed)
    split, noise = _placed_split(
        scores.split, scores.felt_noise, dict(zip(shared.theirs, shared.ours, strict=True)), schema
    )
    note = f"{len(shared.names)} columns and {len(shared.classes)} classes shared by name"
    return LinearHypothesis(split, weights, noise, note)


def combined_prior(hypotheses: Sequence[LinearHypothesis], classes: Sequence[Any], n_features: int) -> PriorWeights:
    """Return the mean weights of our problems under the split of the first hypothesis."""
    split = hypotheses[0].split.require(n_features)
    weights = [_problems(hypothesis, classes, n_features) for hypothesis in hypotheses]
    # Groups of another split cannot be told apart in ours: the largest noise stands for all of them.
    noises = [
        hypothesis.noise if hypothesis.split == split else np.full(len(split.shares), hypothesis.noise.max())
        for hypothesis in hypotheses
    ]
    noise: FloatArray = np.sqrt(np.sum(np.square(noises), axis=0)) / len(noises)
    return PriorWeights(split, np.mean(weights, axis=0), noise)


def no_prior(split: FeatureSplit, n_features: int, n_classes: int) -> PriorWeights:
    """Return weights of zero for each problem, with infinite noise: nothing to start from."""
    split = split.require(n_features)
    return PriorWeights(split, np.zeros((n_problems(n_classes), n_features)), np.full(len(split.shares), np.inf))


def _problems(hypothesis: LinearHypothesis, classes: Sequence[Any], n_features: int) -> FloatArray:
    """Return weights of our problems; a class that the hypothesis does not know has weights of zero."""
    unknown = np.zeros(n_features)
    weights = np.stack([np.asarray(hypothesis.weights.get(label, unknown)) for label in classes])
    if weights.shape[1] != n_features:
        raise InputError(f"X must have the {weights.shape[1]} columns that the release speaks of; got {n_features}.")
    if not weights.any():
        raise InputError(f"the release must know one of the classes {list(classes)}; it knows others.")
    # Two classes are one problem: for the second, against the first.
    return (weights[1:] - weights[:1]) / 2 if n_problems(len(classes)) == 1 else weights


def _placed_split(
    theirs: FeatureSplit, noise: FloatArray, ours_of: Mapping[int, int], schema: Schema
) -> tuple[FeatureSplit, FloatArray]:
    placed = list(_shared_groups(theirs, noise, ours_of))
    shared = {place for group, _, _ in placed for place in group}
    others = tuple(place for place in range(len(schema.encoded_names)) if place not in shared)
    if others:
        # Its share is by size, so that the shared groups keep theirs among themselves.
        total = sum(share for _, share, _ in placed)
        placed.append((others, total * len(others) / len(shared), np.inf))
    groups, shares, noises = zip(*placed, strict=True)
    return FeatureSplit(groups, shares), np.array(noises)


def _shared_groups(
    theirs: FeatureSplit, noise: FloatArray, ours_of: Mapping[int, int]
) -> Iterator[tuple[tuple[int, ...], float, float]]:
    for group, share, length in zip(theirs.positions, theirs.shares, noise, strict=True):
        places = tuple(sorted(int(ours_of[place]) for place in group if place in ours_of))
        if places:
            yield places, share, float(checks.positive("noise", length))
