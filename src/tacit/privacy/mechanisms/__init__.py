"""The mechanisms: each states its event and draws noise for whole arrays."""

from tacit.privacy.mechanisms.additive import EntryNoise, Gaussian, Laplace, NormGamma, Staircase
from tacit.privacy.mechanisms.against_rest import AgainstRest
from tacit.privacy.mechanisms.base import Mechanism, from_settings, settings_of
from tacit.privacy.mechanisms.disjoint import StackedPerturbation, TunedPerturbation
from tacit.privacy.mechanisms.joint import JointGaussian
from tacit.privacy.mechanisms.local import Duchi, RandomizedResponse
from tacit.privacy.mechanisms.objective import ObjectivePerturbation
from tacit.privacy.mechanisms.selection import Exponential

__all__ = [
    "AgainstRest",
    "Duchi",
    "EntryNoise",
    "Exponential",
    "Gaussian",
    "JointGaussian",
    "Laplace",
    "Mechanism",
    "NormGamma",
    "ObjectivePerturbation",
    "RandomizedResponse",
    "StackedPerturbation",
    "Staircase",
    "TunedPerturbation",
    "from_settings",
    "settings_of",
]
