"""The losses of one step of each algorithm, on labelled and on unlabelled rows. [sharpening] eq. 4.1."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from tacit.models.semi_supervised.augmentation import Augmentation
from tacit.models.semi_supervised.distillation import (
    Link,
    SoftTargets,
    balanced,
    distillation_loss,
    distilled,
    imbalance,
    link_of,
)
from tacit.models.semi_supervised.recipe import Recipe
from tacit.models.semi_supervised.virtual_adversarial import vat_direction
from tacit.records import record

# Layers with running statistics of their inputs, and layers that drop units at random.
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)
DROPS = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)
# Distillation losses that an unsure prediction never satisfies; the others leave it alone.
SEPARATING = ("ads", "sh", "me")
# How fast the mean prediction forgets, and the Beta distribution that rows are mixed by in MixMatch.
FORGETTING = 0.99
MIXING = 0.75


@record
class TrainingBatch:
    """Labelled rows and codes, unlabelled rows (perhaps none), and soft labels [M, K] for those, with weights [M]."""

    rows: Tensor
    codes: Tensor
    unlabelled: Tensor
    guide: Tensor | None = None
    guide_weights: Tensor | None = None


@dataclass
class TrainingState:
    """A network in training, its recipe, and the running mean of its predictions."""

    network: nn.Module
    recipe: Recipe
    augmentation: Augmentation
    prior: Tensor
    link: Link = field(init=False)
    usual: Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.link = link_of(self.recipe)
        self.usual = self.prior.clone()

    @torch.no_grad()
    def expected(self, variants: list[Tensor]) -> SoftTargets:
        """Return the targets of unlabelled rows: the mean prediction of their variants, distilled."""
        p = torch.stack([self.link.probabilities(self.network(variant)) for variant in variants]).mean(dim=0)
        self.usual = FORGETTING * self.usual + (1.0 - FORGETTING) * p.mean(dim=0)
        p = balanced(p, usual=self.usual, prior=self.prior, strength=self.recipe.losses.class_balance)
        return distilled(p, self.recipe)


LossParts = dict[str, Tensor]
Algorithm = Callable[[TrainingState, TrainingBatch], tuple[LossParts, Tensor]]


def supervised(learner: TrainingState, batch: TrainingBatch) -> tuple[LossParts, Tensor]:
    """Return the loss of labelled rows alone; unlabelled rows are predicted only if there is a guide for them."""
    strong = learner.augmentation.strong(batch.unlabelled) if len(batch.unlabelled) else batch.unlabelled
    labelled, others = _both(learner, learner.augmentation.weak(batch.rows), strong)
    return {"labelled": learner.link.fit(labelled, batch.codes).mean()}, others


def vat(learner: TrainingState, batch: TrainingBatch) -> tuple[LossParts, Tensor]:
    """Return the losses of labels, of predictions that a small adversarial step changes, and of distillation.

    [vat], [sharpening] eq. 4.18. The step has length ``vat_radius`` in the units of the rows. The consistency is s
    times the link's divergence, s its steepness: ∇_z s FY(z, y) = s (p - y) for sparsemax, as
    ∇_z KL(y‖softmax(s z)) = s (softmax(s z) - y) for the softmax that is about as certain. The other losses of
    unlabelled rows are on that scale or above it: the balance is of softmax(s z), and the gradient of ADS,
    (1/|S| - p)/‖p‖², is K times p - q where p is almost uniform. FY alone is weak beside them.
    """
    labelled, others = _both(learner, batch.rows, batch.unlabelled)
    parts = {"labelled": learner.link.fit(labelled, batch.codes).mean()}
    if not len(others):
        return parts, others
    steepness = learner.link.steepness
    with steadied(learner.network) as was_random:
        # By softmax whatever the link, as in eq. 4.18: a certain prediction by sparsemax has no slope to follow. It is
        # made as certain as the link, or the step would serve classes that have no part in the prediction.
        direction = vat_direction(lambda rows: steepness * learner.network(rows), batch.unlabelled)
        there = learner.network(batch.unlabelled + learner.recipe.losses.vat_radius * direction)
        here = learner.network(batch.unlabelled).detach() if was_random else others
    parts["consistency"] = steepness * learner.link.divergence(there, here).mean()
    return parts | own_terms(learner, others), others


def fixmatch(learner: TrainingState, batch: TrainingBatch) -> tuple[LossParts, Tensor]:
    """Return the losses of labels, and of strong variants against targets distilled from weak ones. [fixmatch]."""
    vary = learner.augmentation
    if not len(batch.unlabelled):
        return supervised(learner, batch)
    targets = learner.expected([vary.weak(batch.unlabelled)])
    labelled, others = _both(learner, vary.weak(batch.rows), vary.strong(batch.unlabelled))
    parts = {"labelled": learner.link.fit(labelled, batch.codes).mean()}
    parts["consistency"] = (targets.weights * learner.link.fit(others, targets.probabilities)).mean()
    if learner.recipe.distillation == "me":
        parts |= own_terms(learner, others, balance=False)
    return parts, others


def mixmatch(learner: TrainingState, batch: TrainingBatch) -> tuple[LossParts, Tensor]:
    """Return the losses of labelled and of unlabelled rows after both were mixed with each other. [mixmatch]."""
    vary, n = learner.augmentation, len(batch.rows)
    rows = vary.weak(batch.rows)
    onehot = nn.functional.one_hot(batch.codes, len(learner.prior)).to(rows.dtype)
    if not len(batch.unlabelled):
        mixed, targets = mix(rows, onehot)
        return {"labelled": learner.link.fit(learner.network(mixed), targets).mean()}, mixed[:0]
    variants = [vary.weak(batch.unlabelled), vary.weak(batch.unlabelled)]
    expected = learner.expected(variants)
    mixed, targets = mix(torch.cat([rows, *variants]), torch.cat([onehot, *[expected.probabilities] * 2]))
    logits = learner.network(mixed)
    loss = learner.link.fit(logits, targets)
    others = logits[n : n + len(batch.unlabelled)]
    parts = {"labelled": loss[:n].mean(), "consistency": (expected.weights.repeat(2) * loss[n:]).mean()}
    if learner.recipe.distillation == "me":
        parts |= own_terms(learner, others, balance=False)
    return parts, others


STEPS: dict[str, Algorithm] = {"supervised": supervised, "vat": vat, "mixmatch": mixmatch, "fixmatch": fixmatch}


def own_terms(learner: TrainingState, logits: Tensor, *, balance: bool = True) -> LossParts:
    """Return the distillation loss of predictions, and how far their mean is from the prior.

    The mean is balanced best by being unsure of every row; only beside a loss that forbids this does it help.
    """
    parts: LossParts = {}
    loss = distillation_loss(learner.recipe)
    if loss is not None:
        parts["distillation"] = loss(logits).mean()
    if balance and learner.recipe.losses.class_balance and learner.recipe.distillation in SEPARATING:
        parts["balance"] = imbalance(learner.link.steepness * logits, learner.prior)
    return parts


def guide_loss(learner: TrainingState, batch: TrainingBatch, others: Tensor) -> Tensor:
    """Return the loss of predictions of unlabelled rows against their guide, weighed by how certain each row's is."""
    if batch.guide is None or batch.guide_weights is None:
        return others.sum() * 0.0
    return (batch.guide_weights * learner.link.fit(others, batch.guide)).mean()


def mix(rows: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows and targets mixed with those of other rows, never less than half their own. [mixmatch] eq. 8-11."""
    beta = torch.distributions.Beta(torch.tensor(MIXING), torch.tensor(MIXING))
    share: Tensor = beta.sample((len(rows),))
    share = torch.maximum(share, 1.0 - share)
    other = torch.randperm(len(rows))
    wide = share.view(-1, *[1] * (rows.ndim - 1))
    mixed_targets = share[:, None] * targets + (1.0 - share[:, None]) * targets[other]
    return wide * rows + (1.0 - wide) * rows[other], mixed_targets


@contextmanager
def steadied(network: nn.Module) -> Iterator[bool]:
    """Keep running means of batch normalisation as they are and drop nothing out; gives whether anything was.

    Rows that are not data must not move the means, and two predictions are compared that chance must not tell apart.
    """
    norms = [layer for layer in network.modules() if isinstance(layer, NORMS)]
    drops = [layer for layer in network.modules() if isinstance(layer, DROPS) and layer.training]
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = 0.0
    for drop in drops:
        drop.eval()
    try:
        yield bool(drops)
    finally:
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
        for drop in drops:
            drop.train()


def _both(learner: TrainingState, rows: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logits of both in one pass: few labelled rows alone would make poor statistics of a batch."""
    if not len(others):
        logits = learner.network(rows)
        return logits, logits[:0]
    logits = learner.network(torch.cat([rows, others]))
    return logits[: len(rows)], logits[len(rows) :]
