"""How a network learns, as plain checked values that need no network library."""

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from tacit import checks
from tacit.errors import InputError
from tacit.numerics.sharpening import checked_power

ALGORITHMS = ("supervised", "vat", "mixmatch", "fixmatch")
DISTILLATIONS = ("ads", "sh", "me", "pl", "ns", "none")
OPTIMIZERS = ("adam", "nesterov")
LINKS = ("auto", "softmax", "sparsemax")
# What is defined by one link alone: on the other it would be the other of the two.
ONE_LINK = {"ads": "sparsemax", "sh": "softmax"}


@dataclass(frozen=True, eq=False, kw_only=True)
class LossSettings:
    """What the losses of unlabelled rows are made of, and what they weigh.

    Parameters
    ----------
    power, temperature, confidence, negligible : float
        The power of adaptive sharpening, the temperature of sharpening, how likely a pseudo-label must be, and below
        which probability negative sampling takes a class for impossible.
    consistency_weight, distillation_weight : float
        α and β of [sharpening] eq. 4.1; β acts where the algorithm makes no target (VAT, or minimum entropy). In VAT
        on sparsemax α counts four times, as much as for a softmax about as certain as sparsemax.
    class_balance : float
        How strongly the mean prediction is drawn to ``class_prior``; 0 leaves it free. VAT does so beside "ads", "sh"
        and "me" only: beside the others the mean would be balanced by being unsure of every row.
    class_prior : array-like [K] or None
        How common the classes are among unlabelled rows; None: as among the labelled.
    guide_weight : float
        Weight of the guide at the start of training; it falls to 0 by the middle.
    ramp_up : float
        The share of the steps over which the weights of unlabelled rows grow to their full size.
    vat_radius : float
        Length of the adversarial step, in the network's units.
    link : {"auto", "softmax", "sparsemax"}
        How logits become probabilities, in every loss. "auto": sparsemax with "ads", softmax with all others, as they
        are defined; "sparsemax" also with "me", "pl", "ns" and "none": [sharpening] Table 4.3.
    """

    power: float = 2.0
    temperature: float = 0.5
    confidence: float = 0.95
    negligible: float = 0.01
    consistency_weight: float = 1.0
    distillation_weight: float = 1.0
    class_balance: float = 1.0
    class_prior: ArrayLike | None = None
    guide_weight: float = 1.0
    ramp_up: float = 0.3
    vat_radius: float = 1.0
    link: str = "auto"

    def __post_init__(self) -> None:
        checked_power(self.power)
        checks.one_of("link", self.link, LINKS)
        for name in ("temperature", "vat_radius"):
            checks.positive(name, getattr(self, name))
        for name in ("confidence", "negligible"):
            checks.fraction(name, getattr(self, name), zero=True)
        checks.fraction("ramp_up", self.ramp_up, zero=True, one=True)
        for name in ("consistency_weight", "distillation_weight", "class_balance", "guide_weight"):
            _not_negative(name, getattr(self, name))


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How the weights of the network are found.

    Parameters
    ----------
    batch_size : int
        Labelled rows in a step.
    optimizer : {"adam", "nesterov"}
    learning_rate, weight_decay : float
    averaging : float
        How slowly the averaged weights, which predict, follow the trained ones; in [0, 1).
    early_stopping : bool
        Stop when held-out labelled rows no longer improve or, without such, when predictions no longer change.
    """

    batch_size: int = 64
    optimizer: str = "adam"
    learning_rate: float = 0.002
    weight_decay: float = 0.0005
    averaging: float = 0.99
    early_stopping: bool = True

    def __post_init__(self) -> None:
        # Normalisation over a batch needs two rows.
        checks.whole("batch_size", self.batch_size, least=2)
        checks.one_of("optimizer", self.optimizer, OPTIMIZERS)
        checks.positive("learning_rate", self.learning_rate)
        _not_negative("weight_decay", self.weight_decay)
        checks.fraction("averaging", self.averaging, zero=True)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All settings of ``SharpenedClassifier`` that training reads; they are explained there."""

    algorithm: str = "fixmatch"
    distillation: str = "ads"
    n_steps: int = 1500
    unlabelled_ratio: int = 4
    losses: LossSettings = field(default_factory=LossSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)

    def __post_init__(self) -> None:
        checks.one_of("algorithm", self.algorithm, ALGORITHMS)
        checks.one_of("distillation", self.distillation, DISTILLATIONS)
        checks.whole("n_steps", self.n_steps)
        needed = ONE_LINK.get(self.distillation, self.losses.link)
        if self.losses.link not in {"auto", needed}:
            raise InputError(
                f'link must be "auto" or "{needed}" with distillation="{self.distillation}"; got {self.losses.link!r}. '
                'Sharpening on sparsemax is "ads", on softmax "sh".'
            )
        checks.whole("unlabelled_ratio", self.unlabelled_ratio)

    @property
    def sparse(self) -> bool:
        """Whether probabilities are sparsemax of the logits."""
        return self.losses.link == "sparsemax" or (self.losses.link == "auto" and self.distillation == "ads")

    @property
    def learns_unlabelled(self) -> bool:
        """Whether unlabelled rows are read even without a guide."""
        return self.algorithm != "supervised"


def _not_negative(name: str, value: Any) -> None:
    if value != 0:
        checks.positive(name, value, hint=", or 0 to leave it out")
