"""What estimators made of wide affine hull machines have in common: their parameters, and rows mapped in blocks."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

from tacit.models.affine_hull.layers import ShiftedRows, shifted
from tacit.models.parts import in_blocks
from tacit.models.scikit_learn import BaseEstimator
from tacit.numerics.kernels import Floats


@dataclass(eq=False, repr=False, kw_only=True)
class WideHullEstimator(BaseEstimator):
    """Stores the parameters; they are explained in ``AffineHullClassifier``."""

    n_components: int = 20
    n_layers: int = 1
    part_size: int | None = 700
    overlap: int = 2
    rank: int | None = 80
    random_state: Any = None
    n_jobs: int | None = None

    def _mapped(self, function: Callable[[ShiftedRows], Floats], X: ArrayLike, origin: Floats) -> Floats:
        """Return ``function`` of the rows of ``X`` less ``origin``, which is near all machines."""
        Y = np.asarray(validate_data(self, X, dtype=origin.dtype, reset=False))
        return np.concatenate(in_blocks(partial(_of_shifted, function, origin), Y, n_jobs=self.n_jobs))


def _of_shifted(function: Callable[[ShiftedRows], Floats], origin: Floats, Y: Floats) -> Floats:
    return function(shifted(Y, origin))
