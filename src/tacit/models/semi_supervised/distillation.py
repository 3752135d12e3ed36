"""Targets made of a network's own predictions, and losses on these predictions. [sharpening] chapter 4."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from tacit.models.semi_supervised import losses
from tacit.models.semi_supervised.recipe import Recipe
from tacit.models.semi_supervised.sparsemax import sparsemax
from tacit.models.semi_supervised.virtual_adversarial import softmax_divergence
from tacit.records import record

TensorFunction = Callable[[Tensor], Tensor]


@record
class Link:
    """How logits become probabilities, and the losses [N] that belong to it.

    ``fit`` compares logits with class codes [N] or probabilities [N, K], ``divergence`` with other logits, held fixed.
    Softmax of ``steepness`` times the logits is about as certain as the link itself, with a slope for every class.
    """

    probabilities: TensorFunction
    fit: Callable[[Tensor, Tensor], Tensor]
    divergence: Callable[[Tensor, Tensor], Tensor]
    steepness: float


@record
class SoftTargets:
    """Probabilities [N, K] to learn, and how much each row counts [N]."""

    probabilities: Tensor
    weights: Tensor


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    return cross_entropy(logits, targets, reduction="none")


def _softmax(logits: Tensor) -> Tensor:
    return logits.softmax(dim=1)


SOFTMAX = Link(_softmax, _cross_entropy, softmax_divergence, steepness=1.0)
SPARSEMAX = Link(sparsemax, losses.fenchel_young_loss, losses.consistency_loss, steepness=4.0)


def link_of(recipe: Recipe) -> Link:
    """Return the link that all parts of the losses share; sparsemax belongs to adaptive sharpening.

    [sharpening] section 4.3.2.
    """
    return SPARSEMAX if recipe.sparse else SOFTMAX


def distillation_loss(recipe: Recipe) -> TensorFunction | None:
    """Return the loss [N] of a prediction against its own distilled form; None if nothing is distilled."""
    sparse_losses: dict[str, TensorFunction] = {
        "me": losses.sparse_entropy_loss,
        "pl": lambda z: losses.sparse_pseudo_label_loss(z, confidence=recipe.losses.confidence),
        "ns": lambda z: losses.sparse_negative_sampling_loss(z, negligible=recipe.losses.negligible),
    }
    losses_by_name: dict[str, TensorFunction] = {
        "ads": lambda z: losses.adaptive_sharpening_loss(z, power=recipe.losses.power),
        "sh": lambda z: losses.sharpening_loss(z, temperature=recipe.losses.temperature),
        "me": losses.entropy_loss,
        "pl": lambda z: losses.pseudo_label_loss(z, confidence=recipe.losses.confidence),
        "ns": lambda z: losses.negative_sampling_loss(z, negligible=recipe.losses.negligible),
    }
    if recipe.sparse and recipe.distillation in sparse_losses:
        return sparse_losses[recipe.distillation]
    return losses_by_name.get(recipe.distillation)


def distilled(p: Tensor, recipe: Recipe) -> SoftTargets:
    """Return the targets of one variant of each row, from the probabilities p [N, K] of another variant.

    Adaptive sharpening and sharpening raise p to a power; pseudo-labels are the likeliest class, of confident rows
    only; negative sampling drops negligible classes. Minimum entropy makes no target: p is taught as it is.
    """
    weights = torch.ones_like(p[:, 0])
    if recipe.distillation in {"ads", "sh"}:
        power = recipe.losses.power if recipe.distillation == "ads" else 1.0 / recipe.losses.temperature
        # Relative to the largest, so that powers of small probabilities do not all underflow.
        p = (p / p.amax(dim=1, keepdim=True)).pow(power)
    elif recipe.distillation == "pl":
        largest, codes = p.max(dim=1)
        return SoftTargets(one_hot(codes, p.shape[1]).to(p.dtype), (largest > recipe.losses.confidence).to(p.dtype))
    elif recipe.distillation == "ns":
        kept = p >= recipe.losses.negligible
        p = p * (kept | ~kept.any(dim=1, keepdim=True))
    return SoftTargets(p / p.sum(dim=1, keepdim=True), weights)


def balanced(p: Tensor, *, usual: Tensor, prior: Tensor, strength: float) -> Tensor:
    """Return p times (prior / usual)^strength, scaled to sum to 1 in each row: distribution alignment. [remixmatch].

    ``usual`` [K] is the recent mean prediction, ``prior`` [K] how common the classes are.
    """
    if not strength:
        return p
    leaning = (prior / usual.clamp_min(1e-6)).pow(strength)
    # A class that was never predicted must not be multiplied by a large factor because of noise.
    q = p * leaning.clamp(0.1, 10.0)
    return q / q.sum(dim=1, keepdim=True)


def imbalance(logits: Tensor, prior: Tensor) -> Tensor:
    """Return KL(prior ‖ mean of softmax(z) over the batch): 0 if all classes are as common as they should be."""
    mean = logits.softmax(dim=1).mean(dim=0)
    return (prior * (prior.clamp_min(1e-12).log() - mean.clamp_min(1e-12).log())).sum()
