"""What every mechanism has: a name, an event, a declared sensitivity, a way to draw, and the grid of its outputs.

Noisy values live on a grid, so that no output's digits give away its input.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy.events import Event
from tacit.privacy.stream import NoiseStream

# One grid step costs at most this part of the sensitivity, over all coordinates together.
FINENESS = 2.0**-14
# Integers up to here survive the addition of noise without overflow.
LARGEST = 2.0**61


class Mechanism(Protocol):
    """A frozen dataclass that turns a private array into one that may be released.

    ``draw`` is called by an account, which has charged ``event`` before.
    """

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...

    @property
    def event(self) -> Event:
        """What one draw tells about one unit."""
        ...

    @property
    def sensitivity(self) -> float:
        """How far one unit may move the input, in the sense of ``distance``."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the noise follows its law exactly, rather than up to the rounding of doubles."""
        ...

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return how far two inputs lie apart in the norm of the sensitivity."""
        ...

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return a fresh noisy version of ``values``."""
        ...


class PositiveSettings:
    """Settings of a mechanism, a dataclass, that are all above 0: numbers, and whole numbers."""

    def __post_init__(self) -> None:
        for field in fields(cast("Any", self)):
            check = checks.whole if field.type is int else checks.positive
            check(field.name, getattr(self, field.name))


AnyMechanism = TypeVar("AnyMechanism", bound=type[Any])
_REGISTRY: dict[str, type[Any]] = {}


def registered(kind: AnyMechanism) -> AnyMechanism:
    """Register a mechanism class under its name, so that a card can be audited again from its settings."""
    _REGISTRY[kind.name] = kind
    return kind


def settings_of(one: Mechanism) -> dict[str, Any]:
    """Return the settings that make ``one`` again by ``from_settings``."""
    if not is_dataclass(one) or isinstance(one, type):
        raise InputError(f"mechanism must be an instance of a registered dataclass; got {one!r}.")
    return {"mechanism": one.name, **asdict(one)}


def from_settings(settings: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism that ``settings`` describe; unknown names and settings are refused."""
    arguments = dict(settings)
    kind = _REGISTRY.get(str(arguments.pop("mechanism", None)))
    if kind is None:
        raise InputError(f"mechanism must be one of {', '.join(sorted(_REGISTRY))}; got {settings.get('mechanism')!r}.")
    field_names = {field.name for field in fields(kind)}
    if not set(arguments) <= field_names:
        raise InputError(
            f"settings of {settings['mechanism']} must be among {sorted(field_names)}; got {sorted(arguments)}."
        )
    try:
        mechanism: Mechanism = kind(**arguments)
    except TypeError as problem:
        raise InputError(f"settings of {settings['mechanism']} are malformed: {problem}") from problem
    return mechanism


def norm_1(first: FloatArray, second: FloatArray) -> float:
    """Return the sum of absolute differences."""
    return float(np.abs(first - second).sum())


def norm_2(first: FloatArray, second: FloatArray) -> float:
    """Return the Euclidean distance."""
    return float(np.linalg.norm((first - second).ravel()))


def step_for(sensitivity: float, coordinates: float) -> float:
    """Return the power of two that is at most sensitivity / (2^14 coordinates)."""
    return 2.0 ** math.floor(math.log2(sensitivity * FINENESS / coordinates))


def to_grid(values: FloatArray | IntegerSum, step: float) -> NDArray[Any]:
    """Return floor(values / step): two values that differ by c land at most ceil(c / step) apart.

    The step is a power of two, so the division is exact, and floor(a) - floor(b) <= ceil(a - b).
    """
    if isinstance(values, IntegerSum):
        return integers_to_grid(values, step)
    cells = np.floor(checks.finite_array("values", values) / step)
    if cells.size and np.abs(cells).max() > LARGEST:
        raise InputError(
            f"values must be below {LARGEST * step:.3g} in size for this noise; got larger ones. "
            "Clip them to the bound that the sensitivity was computed from."
        )
    return cells.astype(np.int64)


def integers_to_grid(total: IntegerSum, step: float) -> NDArray[Any]:
    """Return floor(integers quantum / step), exactly: both are powers of two.

    Sums of any size have room: in 64 bits, or as Python integers. Two sums that differ by c land at most ceil(c / step)
    apart, as in `to_grid`; where the quantum is no smaller than the step, exactly c / step.
    """
    shift = math.log2(total.quantum / step)
    if not shift.is_integer():
        raise InputError(f"quantum must be a power of two; got {total.quantum!r}.")
    factor, integers = 2 ** abs(int(shift)), total.integers
    largest = max(abs(int(integers.max(initial=0))), abs(int(integers.min(initial=0)))) if shift >= 0 else 1
    whole = integers if largest * factor <= LARGEST else integers.astype(object)
    cells: NDArray[Any] = whole * factor if shift >= 0 else whole // factor
    return cells


def from_grid(cells: IntArray | NDArray[np.object_], step: float) -> FloatArray:
    """Return the values of grid ``cells``."""
    return cells.astype(np.float64) * step
