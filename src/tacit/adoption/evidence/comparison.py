"""How a learner with releases compares with the same learner without them, on the same rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from tacit.adoption.evidence.figures import wilson_interval
from tacit.arrays import IntArray
from tacit.errors import InputError
from tacit.records import record


@dataclass(frozen=True)
class Share:
    """``count`` rows of ``total``, and the interval of shares that they do not contradict."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share itself; of no rows it is 0."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return wilson_interval(self.count, self.total)


@dataclass(frozen=True)
class ClassChange:
    """What the releases did to the rows of one class: ``helped`` are right only with them, ``harmed`` only without."""

    name: str
    target_only: Share
    adopted: Share
    helped: int
    harmed: int

    @property
    def points(self) -> float:
        """The change of the class's share of right rows, in percentage points."""
        return 100 * (self.adopted.value - self.target_only.value)


@record
class Comparison:
    """Two sets of predictions of the same rows; made by `compare`."""

    classes: tuple[str, ...]
    """Names of the codes."""
    truth: IntArray
    right_only: NDArray[np.bool_]
    right_with: NDArray[np.bool_]
    """[N]: true codes, and which rows are right without and with the releases."""
    confusion: IntArray
    confusion_only: IntArray
    """[C, C]: rows by true class (first axis) and predicted class, with the releases and without."""
    view_only: Share | None = None

    @property
    def target_only(self) -> Share:
        """Rows that are right without any release."""
        return Share(int(self.right_only.sum()), len(self.truth))

    @property
    def adopted(self) -> Share:
        """Rows that are right with the releases."""
        return Share(int(self.right_with.sum()), len(self.truth))

    @property
    def points(self) -> float:
        """The change of accuracy, in percentage points."""
        return 100 * (self.adopted.value - self.target_only.value)

    @property
    def helped(self) -> int:
        """Rows that are right only with the releases."""
        return int((self.right_with & ~self.right_only).sum())

    @property
    def harmed(self) -> int:
        """Rows that are right only without the releases."""
        return int((self.right_only & ~self.right_with).sum())

    @property
    def chance(self) -> float:
        """How likely a split of the changed rows at least so uneven is if helping and harming are equally likely.

        The exact sign test of the ``helped`` and ``harmed`` rows; 1 if no row changed.
        """
        changed = self.helped + self.harmed
        return float(binomtest(self.helped, changed).pvalue) if changed else 1.0

    def by_class(self) -> Iterator[ClassChange]:
        """Give the change of each class that has rows."""
        for code, name in enumerate(self.classes):
            of_class = self.truth == code
            total = int(of_class.sum())
            if total == 0:
                continue
            only, both = self.right_only[of_class], self.right_with[of_class]
            yield ClassChange(
                name,
                Share(int(only.sum()), total),
                Share(int(both.sum()), total),
                helped=int((both & ~only).sum()),
                harmed=int((only & ~both).sum()),
            )


def compare(
    truth: ArrayLike,
    *,
    target_only: ArrayLike,
    adopted: ArrayLike,
    classes: Sequence[str],
    view_only: ArrayLike | None = None,
) -> Comparison:
    """Return the comparison of predicted codes with the true ones; ``view_only`` where a release brought a view."""
    codes_by_name = {"truth": truth, "target_only": target_only, "adopted": adopted}
    codes_by_name |= {} if view_only is None else {"view_only": view_only}
    rows = {name: _codes(name, values, len(classes)) for name, values in codes_by_name.items()}
    if len({len(codes) for codes in rows.values()}) != 1:
        raise InputError(f"{', '.join(rows)} must be as long as each other; got {[len(c) for c in rows.values()]}.")
    true, only, both, size = rows["truth"], rows["target_only"], rows["adopted"], len(classes)
    viewed = Share(int((rows["view_only"] == true).sum()), len(true)) if "view_only" in rows else None
    return Comparison(
        tuple(classes), true, only == true, both == true, _table(true, both, size), _table(true, only, size), viewed
    )


def _codes(name: str, values: ArrayLike, n_classes: int) -> IntArray:
    codes = np.asarray(values, dtype=np.int64)
    if codes.ndim != 1 or not ((codes >= 0) & (codes < n_classes)).all():
        raise InputError(f"{name} must be a list of class codes from 0 to {n_classes - 1}; got something else.")
    return codes


def _table(truth: IntArray, predicted: IntArray, size: int) -> IntArray:
    return np.bincount(truth * size + predicted, minlength=size**2).reshape(size, size)
