"""The declared architecture of a desk: which arrays a candidate must bring, and of what shapes."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from tacit import checks
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.files.regular import FilePath, read_small

KINDS = ("linear", "mlp")
ACTIVATIONS = ("relu", "tanh")
# One query must stay cheap for the owner: 64 MB of doubles at most.
MOST_PARAMETERS = 2**23
LARGEST_FILE = 64 * 1024
# What a declaration may say; inputs and outputs follow from the schema.
_SETTINGS = ("kind", "hidden", "activation")


@dataclass(frozen=True)
class Architecture:
    """A classifier over the encoded columns: linear, or with one hidden layer.

    The largest output wins. Two classes have a single output, which means the second class above 0.

    Parameters
    ----------
    kind : "linear" or "mlp"
    n_inputs, n_outputs : int
        Encoded columns, and outputs.
    hidden : int
        Units of the hidden layer; 0 for a linear model.
    activation : "relu" or "tanh"
        Of the hidden layer.

    Examples
    --------
    >>> Architecture("mlp", n_inputs=3, n_outputs=1, hidden=4).layout
    {'hidden_weight': (4, 3), 'hidden_bias': (4,), 'weight': (1, 4), 'bias': (1,)}
    """

    kind: str
    n_inputs: int
    n_outputs: int
    hidden: int = 0
    activation: str = "relu"

    def __post_init__(self) -> None:
        checks.one_of("kind of the architecture", self.kind, KINDS)
        checks.one_of("activation", self.activation, ACTIVATIONS)
        checks.whole("n_inputs", self.n_inputs)
        checks.whole("n_outputs", self.n_outputs)
        checks.whole("hidden", self.hidden, least=0)
        if (self.hidden > 0) != (self.kind == "mlp"):
            raise InputError(
                f'hidden must be above 0 for kind = "mlp" and left out for kind = "linear"; got {self.hidden}.'
            )
        if self.n_parameters > MOST_PARAMETERS:
            raise InputError(f"the model must have at most {MOST_PARAMETERS} parameters; it has {self.n_parameters}.")

    @property
    def layout(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the arrays, in the order of the flat vector."""
        width = self.hidden or self.n_inputs
        last: dict[str, tuple[int, ...]] = {"weight": (self.n_outputs, width), "bias": (self.n_outputs,)}
        if not self.hidden:
            return last
        return {"hidden_weight": (self.hidden, self.n_inputs), "hidden_bias": (self.hidden,), **last}

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many parameters each array has, in the order of the flat vector."""
        return tuple(math.prod(shape) for shape in self.layout.values())

    @property
    def n_parameters(self) -> int:
        """Length of the flat vector."""
        return sum(self.sizes)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the architecture that ``to_dict`` wrote; anything else is refused."""
        try:
            return cls(**content)
        except TypeError as problem:
            raise InputError("the architecture lacks a setting, or has one that it should not have.") from problem


def read_architecture(path: FilePath, schema: Schema) -> Architecture:
    """Return the architecture that the TOML file at ``path`` declares for tables of ``schema``.

    The plain word ``linear`` needs no file.
    """
    if str(path) == "linear" and not Path(path).exists():
        return declared_architecture({}, schema)
    try:
        declared = tomllib.loads(read_small(path, largest=LARGEST_FILE).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f'{path} is not valid TOML: {problem}. A whole file may be: kind = "linear"') from problem
    except ReleaseError as problem:
        raise InputError(f"{problem} Give the word linear, or a TOML file that declares the model.") from problem
    return declared_architecture(declared, schema)


def declared_architecture(declared: Mapping[str, Any], schema: Schema) -> Architecture:
    """Return the architecture of ``declared`` settings with the inputs and outputs of ``schema``."""
    if unknown := sorted(set(declared) - set(_SETTINGS)):
        raise InputError(f"an architecture may declare {', '.join(_SETTINGS)}; got {unknown[0][:40]!r} as well.")
    if len(schema.classes) < 2:
        raise InputError('the schema must have a label of at least two classes; give a column kind = "label".')
    n_outputs = 1 if len(schema.classes) == 2 else len(schema.classes)
    return Architecture(**{"kind": "linear", **declared}, n_inputs=len(schema.encoded_names), n_outputs=n_outputs)
