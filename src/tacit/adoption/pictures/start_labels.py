"""Labels to start from where there are none: the rows of each class of which releases are surest."""

import numpy as np
from scipy.special import softmax

from tacit.adoption.sources.class_shares import moved_scores, normalised
from tacit.arrays import UNLABELLED, Codes, FloatArray

# The share of each class's rows that get a start label.
STARTED = 0.6
# How sure soft labels are: scores of standard deviation 1 are multiplied by this.
SHARPNESS = 4.0


def class_leads(scores: FloatArray) -> FloatArray:
    """Return by how much each class's score [N, C] leads the best of the others."""
    ordered = np.sort(scores, axis=1)
    best, second = ordered[:, -1:], ordered[:, -2:-1]
    return np.asarray(scores - np.where(scores == best, second, best))


def guessed_shares(scores: FloatArray) -> FloatArray:
    """Return how common the classes are [C] among rows, each taken for the class of its largest score."""
    counts = np.bincount(scores.argmax(axis=1), minlength=scores.shape[1])
    return normalised(counts.astype(np.float64))


def start_codes(scores: FloatArray, shares: FloatArray, *, started: float = STARTED) -> Codes:
    """Return class codes [N] of the rows of largest lead, -1 for all others.

    Of each class as many rows as make up ``started`` of its share. Two classes may want a row if stated shares differ
    from the guessed ones; it goes to the class of larger lead.
    """
    leads = class_leads(scores)
    codes = np.full(len(scores), UNLABELLED, dtype=np.intp)
    lead_of_code = np.full(len(scores), -np.inf)
    for code, share in enumerate(shares):
        n_rows = round(started * float(share) * len(scores))
        surest = np.argsort(-leads[:, code], kind="stable")[:n_rows]
        taken = surest[leads[surest, code] > lead_of_code[surest]]
        codes[taken], lead_of_code[taken] = code, leads[taken, code]
    return codes


def soft_labels(scores: FloatArray, shares: FloatArray | None = None, *, sharpness: float = SHARPNESS) -> FloatArray:
    """Return class probabilities [N, C]: softmax(4 s), moved so that their mean is ``shares`` where they are stated."""
    sharp = sharpness * scores
    return np.asarray(softmax(sharp if shares is None else sharp + moved_scores(sharp, shares), axis=1))
