"""tacit: learn from data that one may not see."""

import importlib
from typing import TYPE_CHECKING, Any

from tacit.version import VERSION

if TYPE_CHECKING:
    from tacit.data.schema import Schema
    from tacit.data.schema_file import read_schema
    from tacit.evaluation.attacks.release_attack import attack_release
    from tacit.models.affine_hull import AffineHull
    from tacit.models.affine_hull_classifier import AffineHullClassifier
    from tacit.models.class_means import PrivateNearestMean
    from tacit.models.feature_split import FeatureSplit
    from tacit.models.membership import MembershipMapping
    from tacit.models.membership_autoencoder import MembershipAutoencoder
    from tacit.models.membership_classifier import MembershipClassifier
    from tacit.models.pair_metric import PairMetric
    from tacit.models.private_autoencoder import PrivateAutoencoder
    from tacit.models.private_autoencoder_classifier import PrivateAutoencoderClassifier
    from tacit.models.private_linear import PrivateLinearRegression
    from tacit.models.private_logistic import PrivateLogisticRegression
    from tacit.privacy.budget import Budget, Relation, Unit
    from tacit.privacy.card import Card
    from tacit.privacy.ledger import Ledger
    from tacit.release.file import Release, read_release, write_release
    from tacit.scenarios.behaviour.predictor import learn_behaviour
    from tacit.scenarios.fabrication.owner import fabricate
    from tacit.scenarios.feedback.layerwise import LayerwiseSearch
    from tacit.scenarios.feedback.performance import PerformanceSearch
    from tacit.scenarios.feedback.random_search import RandomSearch
    from tacit.scenarios.feedback.search import tune
    from tacit.scenarios.missing.inference import infer_column
    from tacit.scenarios.pair_metric.receiver import MetricNeighbours
    from tacit.scenarios.sharpening.classifier import SharpenedClassifier
    from tacit.scenarios.sharpening.receiver import SharpenedTransfer
    from tacit.scenarios.split_transfer.classifier import FeatureSplitClassifier
    from tacit.scenarios.split_transfer.hypothesis_transfer import HypothesisTransfer
    from tacit.scenarios.transfer.classifier import TransferClassifier
    from tacit.scenarios.transfer.owner import make_release

__version__ = VERSION

# Where each public name lives; loaded on first use, so that `import tacit` stays light.
_ROOMS = {
    "AffineHull": "tacit.models.affine_hull",
    "AffineHullClassifier": "tacit.models.affine_hull_classifier",
    "Budget": "tacit.privacy.budget",
    "Card": "tacit.privacy.card",
    "FeatureSplit": "tacit.models.feature_split",
    "FeatureSplitClassifier": "tacit.scenarios.split_transfer.classifier",
    "HypothesisTransfer": "tacit.scenarios.split_transfer.hypothesis_transfer",
    "LayerwiseSearch": "tacit.scenarios.feedback.layerwise",
    "Ledger": "tacit.privacy.ledger",
    "MembershipAutoencoder": "tacit.models.membership_autoencoder",
    "MembershipClassifier": "tacit.models.membership_classifier",
    "MembershipMapping": "tacit.models.membership",
    "MetricNeighbours": "tacit.scenarios.pair_metric.receiver",
    "PerformanceSearch": "tacit.scenarios.feedback.performance",
    "PairMetric": "tacit.models.pair_metric",
    "PrivateAutoencoder": "tacit.models.private_autoencoder",
    "PrivateAutoencoderClassifier": "tacit.models.private_autoencoder_classifier",
    "PrivateLinearRegression": "tacit.models.private_linear",
    "PrivateLogisticRegression": "tacit.models.private_logistic",
    "PrivateNearestMean": "tacit.models.class_means",
    "RandomSearch": "tacit.scenarios.feedback.random_search",
    "Relation": "tacit.privacy.budget",
    "Release": "tacit.release.file",
    "Schema": "tacit.data.schema",
    "SharpenedClassifier": "tacit.scenarios.sharpening.classifier",
    "SharpenedTransfer": "tacit.scenarios.sharpening.receiver",
    "TransferClassifier": "tacit.scenarios.transfer.classifier",
    "Unit": "tacit.privacy.budget",
    "attack_release": "tacit.evaluation.attacks.release_attack",
    "fabricate": "tacit.scenarios.fabrication.owner",
    "infer_column": "tacit.scenarios.missing.inference",
    "learn_behaviour": "tacit.scenarios.behaviour.predictor",
    "make_release": "tacit.scenarios.transfer.owner",
    "read_release": "tacit.release.file",
    "read_schema": "tacit.data.schema_file",
    "tune": "tacit.scenarios.feedback.search",
    "write_release": "tacit.release.file",
}

__all__ = [
    "AffineHull",
    "AffineHullClassifier",
    "Budget",
    "Card",
    "FeatureSplit",
    "FeatureSplitClassifier",
    "HypothesisTransfer",
    "LayerwiseSearch",
    "Ledger",
    "MembershipAutoencoder",
    "MembershipClassifier",
    "MembershipMapping",
    "MetricNeighbours",
    "PairMetric",
    "PerformanceSearch",
    "PrivateAutoencoder",
    "PrivateAutoencoderClassifier",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "PrivateNearestMean",
    "RandomSearch",
    "Relation",
    "Release",
    "Schema",
    "SharpenedClassifier",
    "SharpenedTransfer",
    "TransferClassifier",
    "Unit",
    "attack_release",
    "fabricate",
    "infer_column",
    "learn_behaviour",
    "make_release",
    "read_release",
    "read_schema",
    "tune",
    "write_release",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    return getattr(importlib.import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
