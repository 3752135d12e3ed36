"""Predictions of labelled rows by models that were learned again, from scratch, without their labels."""

from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from tacit.adoption.pictures.self_training import stratified_folds
from tacit.arrays import UNLABELLED, Codes

FOLDS = 3

# Codes of all rows, -1 where unlabelled or held out, and the held-out rows; to predicted codes [methods, held out].
Refit = Callable[[Codes, Codes], Codes]


def refit_predictions(refit: Refit, codes: Codes, *, seed: int | None) -> Codes | None:
    """Return the codes [methods, L] predicted for the labelled rows, each by models that never saw its label.

    Nothing that a held-out label chose is kept: views, settings, weights and guesses of other rows are learned anew.
    None if a part of the labels leaves labels of fewer than two classes.
    """
    labelled = np.flatnonzero(codes != UNLABELLED)
    folds = stratified_folds(codes[labelled], FOLDS, check_random_state(seed))
    predictions: Codes | None = None
    for fold in np.unique(folds):
        held_out, rest = labelled[folds == fold], codes.copy()
        rest[held_out] = UNLABELLED
        if len(np.unique(rest[rest != UNLABELLED])) < 2:
            return None
        predicted = refit(rest, held_out)
        if predictions is None:
            predictions = np.empty((len(predicted), len(labelled)), dtype=np.intp)
        predictions[:, folds == fold] = predicted
    return predictions
