"""tacit: learn from data that one may not see."""

import importlib
from typing import TYPE_CHECKING, Any

from tacit.version import VERSION

if TYPE_CHECKING:
    from tacit.data.schema import Schema
    from tacit.data.schema_file import read_schema
    from tacit.models.class_means import PrivateNearestMean
    from tacit.models.membership import MembershipMapping
    from tacit.models.membership_autoencoder import MembershipAutoencoder
    from tacit.models.membership_classifier import MembershipClassifier
    from tacit.privacy.budget import Budget, Unit
    from tacit.privacy.card import Card
    from tacit.privacy.ledger import Ledger
    from tacit.release.file import Release, read_release, write_release
    from tacit.scenarios.transfer.classifier import TransferClassifier
    from tacit.scenarios.transfer.owner import make_release

__version__ = VERSION

# Where each public name lives; loaded on first use, so that `import tacit` stays light.
_ROOMS = {
    "Budget": "tacit.privacy.budget",
    "Card": "tacit.privacy.card",
    "Ledger": "tacit.privacy.ledger",
    "MembershipAutoencoder": "tacit.models.membership_autoencoder",
    "MembershipClassifier": "tacit.models.membership_classifier",
    "MembershipMapping": "tacit.models.membership",
    "PrivateNearestMean": "tacit.models.class_means",
    "Release": "tacit.release.file",
    "Schema": "tacit.data.schema",
    "TransferClassifier": "tacit.scenarios.transfer.classifier",
    "Unit": "tacit.privacy.budget",
    "make_release": "tacit.scenarios.transfer.owner",
    "read_release": "tacit.release.file",
    "read_schema": "tacit.data.schema_file",
    "write_release": "tacit.release.file",
}

__all__ = [
    "Budget",
    "Card",
    "Ledger",
    "MembershipAutoencoder",
    "MembershipClassifier",
    "MembershipMapping",
    "PrivateNearestMean",
    "Release",
    "Schema",
    "TransferClassifier",
    "Unit",
    "make_release",
    "read_release",
    "read_schema",
    "write_release",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    return getattr(importlib.import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
