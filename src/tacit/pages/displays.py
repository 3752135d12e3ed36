"""Pictures in the manner of scikit-learn's displays: figures in, ``plot(ax)`` draws them; matplotlib is an extra."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.arrays import FloatArray
from tacit.audit.attacks.outcome import AttackOutcome
from tacit.audit.attacks.release_attack import ReleaseAttack
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.models.class_labels import partial_codes
from tacit.privacy.conversions import converted
from tacit.privacy.ledger import Ledger, LedgerLike, as_ledger
from tacit.privacy.spending import Spending
from tacit.releases.file import Release


def axes_for(ax: Any) -> Any:
    """Return ``ax``, or new axes; one line says what to install if matplotlib is missing."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra, needed only to draw
    except ModuleNotFoundError as problem:
        raise TacitError("pictures need matplotlib: pip install 'tacit-knowledge[plots]'.") from problem
    return plt.subplots()[1]


@dataclass(eq=False)
class _Display:
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    def _drawn_on(self, ax: Any) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass(eq=False)
class PrivacyAccuracyDisplay(_Display):
    """How well releases of several epsilons serve a receiver who has no labels."""

    epsilons: FloatArray
    accuracies: FloatArray
    """[R]: NaN where a release says no more than chance, and is refused."""
    majority: float
    """What naming the commonest class reaches; of other figures than accuracy, what is reached without the release."""
    says: str = "without any label"
    compared: str = "commonest class"
    axis: str = "accuracy"
    """What the two lines are called, and the axis of the figures."""

    @classmethod
    def from_releases(cls, releases: Sequence[Release], X: Any, y: ArrayLike, *, schema: Schema | None = None) -> Self:
        """Return the accuracy of each release on rows ``X``, whose labels ``y`` are used to score alone.

        ``X`` is encoded or a data frame with the columns of the schema: rows of a receiver, or public stand-ins.
        """
        rules = schema or Schema.from_dict(releases[0].schema or {}, source="the release's schema")
        _, truth = partial_codes(y, rules.classes)
        shares = np.bincount(truth[truth >= 0]) / max((truth >= 0).sum(), 1)
        accuracies = [unlabelled_accuracy(release, X, truth, rules) for release in releases]
        return cls(np.array([each.card.epsilon for each in releases]), np.array(accuracies), float(shares.max()))

    def plot(self, ax: Any = None) -> Self:
        """Draw accuracy over epsilon; dotted: the commonest class."""
        ax = axes_for(ax)
        order = np.argsort(self.epsilons)
        ax.semilogx(self.epsilons[order], self.accuracies[order], marker="o", label=self.says)
        ax.axhline(self.majority, linestyle=":", color="grey", label=self.compared)
        ax.set(xlabel="epsilon", ylabel=self.axis)
        ax.legend()
        return self._drawn_on(ax)


def unlabelled_accuracy(release: Release, X: Any, truth: Any, schema: Schema) -> float:
    """Return the share of rows right by ``release`` without a label; NaN if it says no more than chance."""
    try:
        model = AveragedTransfer([release], schema=schema, evidence=False).fit(X, np.full(len(truth), -1))
    except InputError:
        return float("nan")
    labelled = truth >= 0
    return float((np.asarray(model.predict(X))[labelled] == truth[labelled]).mean())


@dataclass(eq=False)
class ReleaseGainDisplay(_Display):
    """What each adopted release gains on the receiver's labels, out of fold, with 95 % intervals."""

    names: tuple[str, ...]
    gains: FloatArray
    """[R, 3]: Log-loss without it minus with it: value, low, high; NaN where labels cannot tell."""

    @classmethod
    def from_model(cls, model: Any) -> Self:
        """Return the gains in the evidence of an adopted model or a fitted ``AveragedTransfer``."""
        evidence = getattr(model, "evidence_", None) or model.evidence
        figures = [(each.name, each.gain) for each in evidence.releases]
        unknown = (np.nan, np.nan, np.nan)
        gains = [unknown if gain is None else (gain.value, gain.low, gain.high) for _, gain in figures]
        return cls(tuple(name for name, _ in figures), np.array(gains, dtype=np.float64).reshape(-1, 3))

    def plot(self, ax: Any = None) -> Self:
        """Draw a point and an interval for each release; right of 0 it helps."""
        ax = axes_for(ax)
        places = np.arange(len(self.names))
        value, low, high = self.gains.T
        ax.errorbar(value, places, xerr=[value - low, high - value], fmt="o", capsize=3)
        ax.axvline(0, color="grey", linestyle=":")
        ax.set(yticks=places, yticklabels=self.names, xlabel="gain in log-loss, held out")
        return self._drawn_on(ax)


@dataclass(eq=False)
class LedgerDisplay(_Display):
    """What is spent after each charge of a ledger, and its budget."""

    spent: FloatArray
    """One number a line: epsilon of all charges up to each, at the ledger's delta."""
    budget: float
    purposes: tuple[str, ...]

    @classmethod
    def from_ledger(cls, ledger: LedgerLike) -> Self:
        """Return the history of a ledger, or of the one at a path."""
        book = as_ledger(ledger)
        if not isinstance(book, Ledger):
            raise InputError("ledger must be a Ledger or the path of one; got None.")
        lines = book.lines()
        spending, spent = Spending(book.budget), []
        for line in lines:
            spending = spending.plus(converted(line.claim, book.budget.unit, book.budget.relation))
            spent.append(spending.epsilon())
        return cls(np.array(spent), book.budget.epsilon, tuple(line.purpose for line in lines))

    def plot(self, ax: Any = None) -> Self:
        """Draw a staircase below the budget."""
        ax = axes_for(ax)
        steps = [0.0, *self.spent]
        # The last step goes on for a while, so that one can see it.
        ax.step([*range(len(steps)), len(steps) - 0.5], [*steps, steps[-1]], where="post")
        ax.axhline(self.budget, color="tab:red", label="budget")
        ax.set(xlabel="charges", ylabel="epsilon spent", ylim=(0, None))
        ax.legend()
        return self._drawn_on(ax)


@dataclass(eq=False)
class RocDisplay(_Display):
    """ROC curves of attacks that try to tell members from others."""

    outcomes: tuple[AttackOutcome, ...]

    @classmethod
    def from_attack(cls, attack: ReleaseAttack) -> Self:
        """Return the curves of ``attack_release``'s result."""
        return cls(attack.outcomes)

    def plot(self, ax: Any = None) -> Self:
        """Draw each curve; dotted: guessing."""
        ax = axes_for(ax)
        for outcome in self.outcomes:
            false, true = outcome.curve
            ax.step(false, true, where="post", label=f"{outcome.name} (area {outcome.area:.3f})")
        ax.plot([0, 1], [0, 1], linestyle=":", color="grey")
        ax.set(xlabel="non-members taken for members", ylabel="members found")
        ax.legend()
        return self._drawn_on(ax)
