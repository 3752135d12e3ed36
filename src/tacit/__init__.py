"""tacit: learn from data that one may not see."""

import importlib
from typing import TYPE_CHECKING, Any

from tacit.version import VERSION

if TYPE_CHECKING:
    from tacit.data.schema import Schema
    from tacit.models.class_means import PrivateNearestMean
    from tacit.privacy.budget import Budget, Unit
    from tacit.privacy.card import Card
    from tacit.privacy.ledger import Ledger
    from tacit.release.file import Release, read_release, write_release

__version__ = VERSION

# Where each public name lives; loaded on first use, so that `import tacit` stays light.
_ROOMS = {
    "Budget": "tacit.privacy.budget",
    "Card": "tacit.privacy.card",
    "Ledger": "tacit.privacy.ledger",
    "PrivateNearestMean": "tacit.models.class_means",
    "Release": "tacit.release.file",
    "Schema": "tacit.data.schema",
    "Unit": "tacit.privacy.budget",
    "read_release": "tacit.release.file",
    "write_release": "tacit.release.file",
}

__all__ = [
    "Budget",
    "Card",
    "Ledger",
    "PrivateNearestMean",
    "Release",
    "Schema",
    "Unit",
    "read_release",
    "write_release",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    return getattr(importlib.import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
