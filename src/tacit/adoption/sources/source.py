"""What the engine asks of a release: class log-odds of rows, and what is publicly known of their quality."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_softmax
from scipy.stats import norm

from tacit.adoption.average.hypotheses import UNCALIBRATED_SD, WEIGHT_SD
from tacit.arrays import BoolArray, FloatArray, Rows
from tacit.errors import InputError
from tacit.records import record

RowScores = Callable[[Rows], FloatArray]

# Beyond these log-odds a score says no more than that it is sure; a hostile one can be no surer.
LARGEST_SCORE = 8.0
# Prior probability that a release's scores hold for the receiver's rows, at best and of a release that shows nothing.
# Over sixteen tables other than those reported, with 10 and 20 labels: from .6 to .8 good releases gain .002 AUC and
# .004 log-loss, beyond nothing; but on pictures releases of another question cost .013 AUC at .6, .016 at .7 and .024
# at .8.
MOST_TRUST, LEAST_TRUST = 0.7, 0.02
# Of a release that holds something, the self-check's separation lies about this many deviations of its noise above 0.
# Beforehand so large a part of them does: with one half, a release of shuffled labels costs twice as much.
USUAL_Z, INFORMATIVE = 4.0, 1 / 3
# Separation from which a release has its full trust.
FULL_SEPARATION = 0.5
# Variance of log-odds between the tables of two owners.
BETWEEN_OWNERS = 0.05
# Standard deviation of what calibrated log-odds are to be multiplied by in another table, without noise, and variance
# that noise adds to it over rows times mu. Over 28 releases of seven tables the best factors spread by .08 above 800
# rows times mu, by .2 from 250 on and by .4 below. A little less than that: a release of another question is believed
# once its weight may become small.
WEIGHT_DRIFT, WEIGHT_NOISE = 0.2, 8.0
# Standard deviation of log-odds over rows from which a release has its full trust. With .75, three and more classes
# that differ little lost a good release: .02 AUC at 20 and 50 labels.
FULL_SPREAD = 0.5
# Prior probability that the receiver's labels are better learned in the features of a release.
VIEW_TRUST = 0.3


@dataclass(frozen=True)
class Reliability:
    """What a release's card says of its quality; None where it says nothing."""

    separation: float | None = None
    """Difference of the classes' mean scores in the owner's private self-check, in standard deviations of the scores.
    """
    separation_z: float | None = None
    """The same difference in standard deviations of its noise."""
    rows_times_mu: float | None = None
    """The owner's number of rows times the privacy parameter mu of Gaussian noise: how large the signal can be."""
    noise_share: float | None = None
    """The part of the scores' variance that is noise, in [0, 1]."""

    @property
    def trust(self) -> float:
        """The prior probability that the scores hold, between LEAST_TRUST and MOST_TRUST.

        Each known figure multiplies it: the probability that a release with this z holds something, min(1, s/.5) with
        s the separation or what it would be two deviations of its noise above 0, min(1, n mu/100) and 1 - noise share.
        """
        factor, z = 1.0, self.separation_z
        if z is not None:
            factor *= informative_probability(z)
        if self.separation is not None:
            # Below two deviations the separation itself is hardly known: noise may have hidden that much of it.
            hidden = max(2 - z, 0.0) * self.separation / z if z else 0.0
            factor *= float(np.clip((self.separation + hidden) / FULL_SEPARATION, 0.0, 1.0))
        return self._between(factor)

    @property
    def clear_trust(self) -> float:
        """The trust without labels: as `trust`, with (1 - 4/z²)+ for z and the separation as it is.

        A release of shuffled labels fits them a little, and then no label speaks against it.
        """
        factor, z = 1.0, self.separation_z
        if z is not None:
            factor *= max(0.0, 1 - 4 / z**2) if z > 0 else 0.0
        if self.separation is not None:
            factor *= float(np.clip(self.separation / FULL_SEPARATION, 0.0, 1.0))
        return self._between(factor)

    def _between(self, factor: float) -> float:
        """Return the trust of a release by its self-check, less for few rows and much noise."""
        if self.rows_times_mu is not None:
            factor *= float(np.clip(self.rows_times_mu / 100, 0.0, 1.0))
        if self.noise_share is not None:
            factor *= float(np.clip(1 - self.noise_share, 0.0, 1.0))
        return LEAST_TRUST + (MOST_TRUST - LEAST_TRUST) * factor

    @property
    def precision(self) -> float:
        """How much the scores count among those of other releases that hold: 1 over their variance.

        The variance is that of the noise, 100/(n mu) or the noise's share, plus what tables of two owners differ by.
        """
        noise = 0.0 if self.rows_times_mu is None else 100 / max(self.rows_times_mu, 1.0)
        if self.noise_share is not None:
            noise = max(noise, self.noise_share)
        return 1 / (noise + BETWEEN_OWNERS)


def informative_probability(z: float) -> float:
    """Return the probability that a release whose self-check came out ``z`` deviations above 0 holds something.

    z is N(0, 1) of a release of nothing, and N(s, 1) of another, s half-normal with scale USUAL_Z: the latter has the
    density 2 N(z; 0, v) Phi(z USUAL_Z/sqrt(v)) with v = 1 + USUAL_Z².
    """
    variance = 1 + USUAL_Z**2
    spread = float(np.sqrt(variance))
    held = np.log(2) + norm.logpdf(z, scale=spread) + norm.logcdf(z * USUAL_Z / spread)
    return float(expit(np.log(INFORMATIVE / (1 - INFORMATIVE)) + held - norm.logpdf(z)))


@record
class Source:
    """One release as the engine sees it."""

    name: str
    scores: RowScores | None
    """Rows to class log-odds [N, C] by the receiver's class codes; NaN in a whole column for a class it does not know.
    None for a release that has features only."""
    reliability: Reliability = Reliability()
    shares: FloatArray | None = None
    """[C] or None: the classes' shares at the owner's, as released."""
    halves: Callable[[Rows], tuple[FloatArray, FloatArray]] | None = None
    """Rows to two class log-odds [N, C] with independent noise, if the release can be divided."""
    residual: float | None = None
    """Of a numeric target, whose scores are its mean [N, 1]: the standard deviation of what they leave, as released."""
    calibrated: bool = True
    """Whether the softmax of the scores is a probability; else their scale is only about right."""
    view: RowScores | None = None
    """Rows to features [N, d] of about unit size in which the receiver's own learners may see them."""
    note: str = ""
    """What the release and the table have in common."""

    @property
    def weight_sd(self) -> float:
        """The prior standard deviation of the scores' weight."""
        if not self.calibrated:
            return UNCALIBRATED_SD
        amount = self.reliability.rows_times_mu
        noise = 0.0 if amount is None else WEIGHT_NOISE / max(amount, 1.0)
        return WEIGHT_SD if amount is None else min(WEIGHT_SD, float(np.hypot(WEIGHT_DRIFT, np.sqrt(noise))))


@record
class CleanScores:
    """Usable class scores."""

    values: FloatArray
    """[N, C]: finite and within about ±2 LARGEST_SCORE. If all classes are known, the mean of each row is 0; else an
    unknown class has 0 and the known ones logs of probabilities times their number: what the release says of them
    then does not change how likely a row is to be of an unknown class."""
    known: BoolArray
    """[C]: the classes that the release knows."""
    n_unusable: int
    """Rows whose scores were not finite; they score as the mean row does."""


def clean_scores(raw: FloatArray, n_rows: int, n_classes: int, *, name: str = "source") -> CleanScores:
    """Return what can be used of a release's scores; refuse those of another shape."""
    raw = np.asarray(raw, dtype=np.float64)
    if raw.shape != (n_rows, n_classes):
        raise InputError(f"the scores of {name} must have shape {(n_rows, n_classes)}; got {raw.shape}.")
    known: BoolArray = np.ones(n_classes, dtype=bool)
    if n_rows:
        known = np.asarray(~np.isnan(raw).all(axis=0))
    values = np.zeros_like(raw)
    if known.sum() < 2:
        return CleanScores(values, known, 0)
    kept = raw[:, known]
    usable = np.asarray(np.isfinite(kept).all(axis=1))
    # Clipping keeps sums finite; rows that say too much are scaled as a whole, so that their best class stays the best.
    bounded = np.clip(np.where(usable[:, None], kept, 0.0), -1e6, 1e6)
    centred = bounded - bounded.mean(axis=1, keepdims=True)
    centred *= LARGEST_SCORE / np.maximum(np.abs(centred).max(axis=1, keepdims=True), LARGEST_SCORE)
    centred[~usable] = centred[usable].mean(axis=0) if usable.any() else 0.0
    if known.all():
        values = centred - centred.mean(axis=1, keepdims=True)
    else:
        values[:, known] = log_softmax(centred, axis=1) + np.log(known.sum())
    return CleanScores(values, known, int((~usable).sum()))


def trust_on_rows(trust: float, scores: FloatArray) -> float:
    """Return the prior trust in a release given its clean scores [N, C] of the receiver's rows.

    Scores that hardly differ between rows can help no one; then evidence for them is evidence for the class shares
    alone. Below a standard deviation of FULL_SPREAD between a class and the others, trust falls with its square.
    """
    n_classes = scores.shape[1]
    contrast = n_classes / (n_classes - 1) * np.sqrt(scores.var(axis=0).mean()) if len(scores) else 0.0
    return LEAST_TRUST + (trust - LEAST_TRUST) * min(1.0, (float(contrast) / FULL_SPREAD) ** 2)


def all_scores(
    sources: Sequence[Source], X: Rows, n_classes: int, *, only: Collection[int] | None = None
) -> list[CleanScores]:
    """Return the usable scores of rows ``X`` by each source; zeros by those whose place is not in ``only``."""
    nothing = CleanScores(np.zeros((len(X), n_classes)), np.ones(n_classes, dtype=bool), 0)

    def scores(place: int, source: Source) -> CleanScores:
        if source.scores is None or not len(X) or not (only is None or place in only):
            return nothing
        return clean_scores(np.asarray(source.scores(X)), len(X), n_classes, name=source.name)

    return [scores(place, each) for place, each in enumerate(sources)]


def score_correlations(scores: Sequence[FloatArray]) -> FloatArray:
    """Return how far the clean scores [N, C] of each two releases go together over rows and classes [R, R]."""
    if not scores:
        return np.empty((0, 0))
    centred = np.array([(each - each.mean(axis=0)).ravel() for each in scores])
    lengths = np.linalg.norm(centred, axis=1)
    directions = centred / np.where(lengths > 0, lengths, 1.0)[:, None]
    return np.asarray(directions @ directions.T)


def all_views(sources: Sequence[Source], X: Rows, *, only: Collection[int] | None = None) -> dict[int, FloatArray]:
    """Return rows ``X`` in the features of each source that has any, by its place, or of those in ``only``."""
    places = range(len(sources)) if only is None else only
    views = ((place, sources[place].view) for place in places)
    return {place: view(X) for place, view in views if view is not None}
