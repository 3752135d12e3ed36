"""The tables of ``tacit reproduce``: one line each, and the module of a table is loaded when the table is run."""

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from tacit.errors import InputError
from tacit.experiments.results import Conditions, ResultRow


@runtime_checkable
class TableModule(Protocol):
    """What a module of ``tacit.experiments.tables`` holds: its rows, and constants of a quick run."""

    QUICK: Mapping[str, Any]

    def rows(self) -> Iterator[ResultRow]:
        """Run the experiment and yield its rows as they are ready."""
        ...


@dataclass(frozen=True)
class Experiment:
    """A named table and what it shows; its module has the same name, with underscores.

    What it was measured under stands in ``conditions.toml`` beside this module, in the section of its name.
    """

    name: str
    summary: str

    def load(self) -> TableModule:
        """Return the module of this table, imported now: others may need libraries that are not installed."""
        module = importlib.import_module(f"tacit.experiments.tables.{self.name.replace('-', '_')}")
        if not isinstance(module, TableModule):
            raise TypeError(f"{module.__name__} must define rows() and QUICK.")
        return module

    @property
    def conditions(self) -> Conditions:
        """What the table was measured under, in words."""
        return Conditions(**_all_conditions()[self.name])

    def rows(self, *, quick: bool = False, draws: int | None = None) -> Iterator[ResultRow]:
        """Run the experiment and yield its rows as they are ready; a quick run uses fewer seeds and rows.

        A quick run shows that the table still works. Its figures are no results. ``draws`` limits the seeds alone.
        """
        module = self.load()
        constants = dict(module.QUICK) if quick else {}
        if draws is not None:
            constants["SEEDS"] = self._first_seeds(draws)
        with replaced(module, constants):
            yield from module.rows()

    def _first_seeds(self, draws: int) -> int | range:
        """Return the first ``draws`` seeds in the form in which the table holds them; InputError if it has fewer."""
        seeds: int | range | None = getattr(self.load(), "SEEDS", None)
        most = 0 if seeds is None else len(seeds) if isinstance(seeds, range) else seeds
        if not 1 <= draws <= most:
            has = f"has {most} draws" if most else "has no draws of one kind"
            raise InputError(f"--draws must be at least 1 and at most what the table has; {self.name} {has}.")
        return seeds[:draws] if isinstance(seeds, range) else draws


@cache
def _all_conditions() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("conditions.toml").read_text(encoding="utf-8"))


@contextmanager
def replaced(module: TableModule, constants: Mapping[str, Any]) -> Iterator[None]:
    """Give constants of a module other values for a while; raise AttributeError if the module lacks one of them."""
    before = {name: getattr(module, name) for name in constants}
    try:
        for name, value in constants.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


EXPERIMENTS = (
    Experiment("units", "what an entry-level promise means for a whole record, by the number of features"),
    Experiment("class-means", "nearest class mean on MNIST from noisy sums, at record-level epsilons"),
    Experiment(
        "membership-mnist", "MNIST to MNIST with 100 labels, releases at entry and record level; [membership] Table 1"
    ),
    Experiment("membership-printed", "MNIST to MNIST by noisy rows and eq. 87 as printed; [membership] Table 1"),
    Experiment("membership-usps", "MNIST to USPS with 100 labels, image shapes declared and not; [membership] Table 2"),
    Experiment("membership-labels", "USPS to MNIST with 100 to 500 labels; in the manner of [membership] Table 3"),
    Experiment(
        "membership-printed-labels",
        "USPS to MNIST by noisy rows and eq. 87 as printed, 60000 rows of the receiver; [membership] Table 3",
    ),
    Experiment(
        "membership-multitask",
        "MNIST, three owners' releases adopted one by one and together; multi-task form of [membership] section 4.2",
    ),
    Experiment(
        "membership-office", "Office-Caltech, 12 pairs of domains with 3 labels a class; [membership] Tables 4-15"
    ),
    Experiment("hull-mnist", "MNIST by the affine hulls of its classes, next to peers that learn the same rows"),
    Experiment(
        "hull-fabrication", "MNIST from noisy and from fabricated rows, at entry and record level; [hull] Def. 14"
    ),
    Experiment(
        "hull-leakage",
        "accuracy and membership score of raw, noisy and fabricated digits by affine hulls; [hull] eq. 65-69",
    ),
    Experiment(
        "tables-classify", "classes of Adult, Bank and flights from additive releases without labels, and peers"
    ),
    Experiment("tables-regress", "hours, prices and delays from additive releases without labels, and peers"),
    Experiment(
        "adoption-tables", "tables of other owners adopted with 0 to 200 labels, beside what labels teach alone"
    ),
    Experiment("joint-owners", "small owners: one joint release of their rows beside separate and pooled ones"),
    Experiment(
        "adoption-numbers", "prices, delays, visits and hours of other owners adopted with 0 to 200 known values"
    ),
    Experiment("adoption-none", "digits adopted without any label, by a network and by self-training"),
    Experiment("adoption-harm", "what adopting noise, flipped, shuffled, wrong and hostile releases costs"),
    Experiment("hearts", "Cleveland releases at record level, Hungary adopts with 20 labels"),
    Experiment(
        "pptl-mnist", "digits 0/8 to 0/9 by private linear transfer, with and without feature splitting; [pptl] Table 1"
    ),
    Experiment("pptl-groups", "the same by the number of groups of features; [pptl] Figure 4"),
    Experiment(
        "pptl-centres",
        "private hospitals and countries with and without transfer, averaged ranks; in the manner of [pptl] Table 4",
    ),
    Experiment(
        "hull-federated", "MNIST divided among parties that answer with distances, without noise and at entry level"
    ),
    Experiment(
        "autoencoder-mnist",
        "private autoencoder on small digits beside linear models; where a layer pays and where not; [dpa]",
    ),
    Experiment(
        "autoencoder-transfer", "an encoder learned from many digits helps a receiver with few rows of two others"
    ),
    Experiment(
        "behaviour",
        "what people do next, on Glasgow friendships and Fitbit days, per tuple and per person; [dpa] Fig. 2-3",
    ),
    Experiment(
        "feedback-toy", "two Gaussian classes that moved, a last layer tuned from 80 scores; [feedback] section 5.3.1"
    ),
    Experiment("feedback-noise", "what a search gains from noisy scores, as a share of what it gains from exact ones"),
    Experiment(
        "feedback-adult",
        "Adult, a last layer tuned from scores, what matters, and fair tuning; [feedback] sections 5.4.2 to 5.4.5",
    ),
    Experiment(
        "feedback-digits",
        "faulty digits, batch normalisations tuned from scores, together and layer by layer; [feedback] section 5.4",
    ),
    Experiment(
        "feedback-faults",
        "fifteen faults of pictures, a metric of five classes, queries to a preset error; [feedback] Tables 5.2, 5.3",
    ),
    Experiment("pairs-bank", "Bank Marketing, nearest neighbours under metrics learned from pairs; [pairs] figure 3.9"),
    Experiment("pairs-adult", "Adult, nearest neighbours under metrics learned from pairs; [pairs] figure 3.9"),
    Experiment(
        "pairs-curves",
        "the printed descent of pairs by step, mechanism and setting; in the manner of [pairs] figures 3.8, 3.10, 3.11",
    ),
    Experiment("pairs-margin", "Bank, descent without privacy by the margin of its loss; [pairs] figure 3.11 (c)"),
    Experiment(
        "pairs-strips", "two aligned strips, nearest neighbours under metrics learned from pairs; [pairs] figure 3.7"
    ),
    Experiment(
        "pairs-transfer",
        "Bank and Adult, a receiver with 50, 200 or 1000 labels adopts a metric learned from an owner's pairs",
    ),
    Experiment(
        "sharpening-mnist",
        "MNIST from 20 labels: FixMatch and VAT with each way to distil predictions; [sharpening] Table 4.1",
    ),
    Experiment(
        "sharpening-links",
        "MNIST from 20 labels: sparsemax alone and with each distillation, and MixMatch; [sharpening] Table 4.3",
    ),
    Experiment(
        "sharpening-cifar",
        "CIFAR-10 from 250 labels: MixMatch and FixMatch with adaptive sharpening; a small [sharpening] Table 4.2",
    ),
    Experiment(
        "sharpening-curves",
        "certainty, classes ruled out and the power r while learning; in the manner of [sharpening] figures 4.4 to 4.8",
    ),
    Experiment(
        "sharpening-transfer",
        "MNIST to MNIST with a network for a receiver, 100 and 20 labels, with and without a release",
    ),
    Experiment(
        "sharpening-adult",
        "Adult from 200 labels, and blank cells of sex and race filled, next to scikit-learn's learners",
    ),
    Experiment(
        "tables-rows",
        "fabricated rows of Adult, Bank, diamonds and flights: likeness, learning, impossible rows, closeness",
    ),
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name; raise InputError with the list of all names if there is none."""
    for candidate in EXPERIMENTS:
        if candidate.name == name:
            return candidate
    names = ", ".join(candidate.name for candidate in EXPERIMENTS)
    raise InputError(f"NAME must be one of {names}; got {name!r}.")
