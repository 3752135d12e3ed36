"""The registry of reproducible tables: each name runs one experiment and yields its rows."""

import importlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from tacit.errors import InputError


@dataclass(frozen=True)
class Row:
    """One line of a table: a method in a setting, its mean and spread over runs, and the published figure if any."""

    method: str
    setting: str
    metric: str
    mean: float
    std: float = 0.0
    runs: int = 1
    paper: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON-ready data."""
        return asdict(self)


@dataclass(frozen=True)
class Experiment:
    """A named table: what it shows, and the module whose ``rows()`` yields it."""

    name: str
    summary: str
    module: str

    def rows(self) -> Iterator[Row]:
        """Run the experiment and yield its rows as they are ready."""
        made: Iterator[Row] = importlib.import_module(self.module).rows()
        return made


EXPERIMENTS = (
    Experiment(
        "units",
        "what an entry-level promise means for a whole record, by the number of features",
        "tacit.experiments.tables.units",
    ),
    Experiment(
        "class-means",
        "nearest class mean on MNIST from noisy sums, at record-level epsilons",
        "tacit.experiments.tables.class_means",
    ),
    Experiment(
        "membership-mnist",
        "MNIST to MNIST with 100 labels, releases at entry and record level; [membership] Table 1",
        "tacit.experiments.tables.membership_mnist",
    ),
    Experiment(
        "membership-usps",
        "MNIST to USPS with 100 labels, image shapes declared and not; [membership] Table 2",
        "tacit.experiments.tables.membership_usps",
    ),
    Experiment(
        "membership-labels",
        "USPS to MNIST with 100 to 500 labels; [membership] Table 3",
        "tacit.experiments.tables.membership_labels",
    ),
    Experiment(
        "membership-office",
        "Office-Caltech, 12 pairs of domains with 3 labels a class; [membership] Tables 4-15",
        "tacit.experiments.tables.membership_office",
    ),
    Experiment(
        "hull-mnist",
        "MNIST by the affine hulls of its classes, next to peers that learn the same rows",
        "tacit.experiments.tables.hull_mnist",
    ),
    Experiment(
        "hull-fabrication",
        "MNIST from noisy and from fabricated rows, at entry and record level; [hull] Def. 14",
        "tacit.experiments.tables.hull_fabrication",
    ),
    Experiment(
        "hearts",
        "Cleveland releases at record level, Hungary adopts with 20 labels",
        "tacit.experiments.tables.hearts",
    ),
    Experiment(
        "pptl-mnist",
        "digits 0/8 to 0/9 by private linear transfer, with and without feature splitting; [pptl] Table 1",
        "tacit.experiments.tables.pptl_mnist",
    ),
    Experiment(
        "pptl-centres",
        "private hospitals and countries with and without transfer, averaged ranks; in the manner of [pptl] Table 4",
        "tacit.experiments.tables.pptl_centres",
    ),
    Experiment(
        "hull-federated",
        "MNIST divided among parties that answer with distances, without noise and at entry level",
        "tacit.experiments.tables.hull_federated",
    ),
    Experiment(
        "autoencoder-mnist",
        "private autoencoder on small digits beside linear models; where a layer pays and where not; [dpa]",
        "tacit.experiments.tables.autoencoder_mnist",
    ),
    Experiment(
        "autoencoder-transfer",
        "an encoder learned from many digits helps a receiver with few rows of two others",
        "tacit.experiments.tables.autoencoder_transfer",
    ),
    Experiment(
        "behaviour",
        "what people do next, on Glasgow friendships and Fitbit days, per tuple and per person; [dpa] Fig. 2-3",
        "tacit.experiments.tables.behaviour",
    ),
    Experiment(
        "feedback-toy",
        "two Gaussian classes that moved, a last layer tuned from 80 scores; [feedback] section 5.3.1",
        "tacit.experiments.tables.feedback_toy",
    ),
    Experiment(
        "feedback-noise",
        "what a search gains from noisy scores, as a share of what it gains from exact ones",
        "tacit.experiments.tables.feedback_noise",
    ),
    Experiment(
        "feedback-adult",
        "Adult, a last layer tuned from scores, what matters, and fair tuning; [feedback] sections 5.4.2 to 5.4.5",
        "tacit.experiments.tables.feedback_adult",
    ),
    Experiment(
        "feedback-digits",
        "faulty digits, batch normalisations tuned from scores, together and layer by layer; [feedback] section 5.4",
        "tacit.experiments.tables.feedback_digits",
    ),
    Experiment(
        "pairs-bank",
        "Bank Marketing, nearest neighbours under metrics learned from pairs; [pairs] figure 3.9",
        "tacit.experiments.tables.pairs_bank",
    ),
    Experiment(
        "pairs-adult",
        "Adult, nearest neighbours under metrics learned from pairs; [pairs] figure 3.9",
        "tacit.experiments.tables.pairs_adult",
    ),
    Experiment(
        "pairs-strips",
        "two aligned strips, nearest neighbours under metrics learned from pairs; [pairs] figure 3.7",
        "tacit.experiments.tables.pairs_strips",
    ),
    Experiment(
        "pairs-transfer",
        "Bank and Adult, a receiver with 50, 200 or 1000 labels adopts a metric learned from an owner's pairs",
        "tacit.experiments.tables.pairs_transfer",
    ),
    Experiment(
        "sharpening-mnist",
        "MNIST from 20 labels: FixMatch and VAT with each way to distil predictions; [sharpening] Table 4.1",
        "tacit.experiments.tables.sharpening_mnist",
    ),
    Experiment(
        "sharpening-transfer",
        "MNIST to MNIST with a network for a receiver, 100 and 20 labels, with and without a release",
        "tacit.experiments.tables.sharpening_transfer",
    ),
    Experiment(
        "sharpening-adult",
        "Adult from 200 labels, and blank cells of sex and race filled, next to scikit-learn's learners",
        "tacit.experiments.tables.sharpening_adult",
    ),
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name; an unknown one is refused with the list of all."""
    for each in EXPERIMENTS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in EXPERIMENTS)
    raise InputError(f"NAME must be one of {known}; got {name!r}.")
