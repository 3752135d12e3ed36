"""How a classifier learns, as plain values that need no network library."""

from dataclasses import dataclass
from typing import Any

from tacit import checks
from tacit.numerics.sharpening import checked_power

ALGORITHMS = ("supervised", "vat", "mixmatch", "fixmatch")
DISTILLATIONS = ("ads", "sh", "me", "pl", "ns", "none")
OPTIMIZERS = ("adam", "nesterov")


@dataclass(frozen=True)
class Recipe:
    """The settings of ``SharpenedClassifier`` that training reads; they are explained there."""

    algorithm: str
    distillation: str
    power: float
    temperature: float
    confidence: float
    negligible: float
    consistency_weight: float
    distillation_weight: float
    class_balance: float
    guide_weight: float
    ramp_up: float
    vat_radius: float
    n_steps: int
    batch_size: int
    unlabelled_ratio: int
    optimizer: str
    learning_rate: float
    weight_decay: float
    averaging: float
    early_stopping: bool

    def __post_init__(self) -> None:
        checks.one_of("algorithm", self.algorithm, ALGORITHMS)
        checks.one_of("distillation", self.distillation, DISTILLATIONS)
        checks.one_of("optimizer", self.optimizer, OPTIMIZERS)
        checked_power(self.power)
        for name in ("temperature", "learning_rate", "vat_radius"):
            checks.positive(name, getattr(self, name))
        for name in ("confidence", "negligible", "averaging"):
            checks.fraction(name, getattr(self, name), zero=True)
        checks.fraction("ramp_up", self.ramp_up, zero=True, one=True)
        for name in ("consistency_weight", "distillation_weight", "class_balance", "guide_weight", "weight_decay"):
            _not_negative(name, getattr(self, name))
        checks.whole("n_steps", self.n_steps)
        # Normalisation over a batch needs two rows.
        checks.whole("batch_size", self.batch_size, least=2)
        checks.whole("unlabelled_ratio", self.unlabelled_ratio)

    @property
    def learns_unlabelled(self) -> bool:
        """Whether unlabelled rows are read even without a guide."""
        return self.algorithm != "supervised"


def _not_negative(name: str, value: Any) -> None:
    if value != 0:
        checks.positive(name, value, hint=", or 0 to leave it out")
