"""The parameters that estimators made of wide membership-mapping autoencoders have in common."""

from dataclasses import dataclass
from typing import Any

from tacit.models.scikit_learn import BaseEstimator


@dataclass(eq=False, repr=False, kw_only=True)
class WideMembershipEstimator(BaseEstimator):
    """Stores the parameters; they are explained in ``MembershipClassifier``."""

    n_components: int = 20
    max_landmarks: float | None = 0.5
    n_layers: int = 1
    part_size: int | None = 700
    overlap: int = 2
    random_state: Any = None
    n_jobs: int | None = None
