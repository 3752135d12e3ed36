"""tacit: learn from data that one may not see."""

import importlib
from typing import TYPE_CHECKING, Any

from tacit.version import VERSION

if TYPE_CHECKING:
    from tacit.adoption.classifier import TransferClassifier
    from tacit.adoption.neighbours import MetricNeighbours
    from tacit.adoption.network import SharpenedTransfer
    from tacit.audit.attacks.release_attack import attack_release
    from tacit.data.encoding import encode
    from tacit.data.schema import Schema
    from tacit.data.schema_file import read_schema
    from tacit.models.affine_hull.classifier import AffineHullClassifier
    from tacit.models.affine_hull.hull import AffineHull
    from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
    from tacit.models.autoencoder.encoder import PrivateAutoencoder
    from tacit.models.autoencoder.linear_regression import PrivateLinearRegression
    from tacit.models.class_moments.nearest_mean import PrivateNearestMean
    from tacit.models.linear.feature_split import FeatureSplit
    from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
    from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
    from tacit.models.linear.logistic import PrivateLogisticRegression
    from tacit.models.membership.autoencoder import MembershipAutoencoder
    from tacit.models.membership.classifier import MembershipClassifier
    from tacit.models.membership.mapping import MembershipMapping
    from tacit.models.pair_metric.metric import PairMetric
    from tacit.models.semi_supervised.classifier import SharpenedClassifier
    from tacit.privacy.budget import Budget, Unit
    from tacit.privacy.card import Card
    from tacit.privacy.ledger import Ledger
    from tacit.releases.file import Release, read_release, write_release
    from tacit.situations.behaviour.predictor import learn_behaviour
    from tacit.situations.feedback.layerwise import LayerwiseSearch
    from tacit.situations.feedback.performance import PerformanceSearch
    from tacit.situations.feedback.random_search import RandomSearch
    from tacit.situations.feedback.search import tune
    from tacit.situations.missing.inference import infer_column
    from tacit.workflows.adopt import adopt
    from tacit.workflows.fabricate import fabricate
    from tacit.workflows.models import read_model, write_model
    from tacit.workflows.predict import predict
    from tacit.workflows.release import make_release, release
    from tacit.workflows.report_file import report

__version__ = VERSION

# Where each public name lives; loaded on first use, so that `import tacit` stays light.
_ROOMS = {
    "write_model": "tacit.workflows.models",
    "report": "tacit.workflows.report_file",
    "release": "tacit.workflows.release",
    "read_model": "tacit.workflows.models",
    "predict": "tacit.workflows.predict",
    "make_release": "tacit.workflows.release",
    "fabricate": "tacit.workflows.fabricate",
    "encode": "tacit.data.encoding",
    "adopt": "tacit.workflows.adopt",
    "AffineHull": "tacit.models.affine_hull.hull",
    "AffineHullClassifier": "tacit.models.affine_hull.classifier",
    "Budget": "tacit.privacy.budget",
    "Card": "tacit.privacy.card",
    "FeatureSplit": "tacit.models.linear.feature_split",
    "FeatureSplitClassifier": "tacit.models.linear.feature_split_classifier",
    "HypothesisTransfer": "tacit.models.linear.hypothesis_transfer",
    "LayerwiseSearch": "tacit.situations.feedback.layerwise",
    "Ledger": "tacit.privacy.ledger",
    "MembershipAutoencoder": "tacit.models.membership.autoencoder",
    "MembershipClassifier": "tacit.models.membership.classifier",
    "MembershipMapping": "tacit.models.membership.mapping",
    "MetricNeighbours": "tacit.adoption.neighbours",
    "PerformanceSearch": "tacit.situations.feedback.performance",
    "PairMetric": "tacit.models.pair_metric.metric",
    "PrivateAutoencoder": "tacit.models.autoencoder.encoder",
    "PrivateAutoencoderClassifier": "tacit.models.autoencoder.classifier",
    "PrivateLinearRegression": "tacit.models.autoencoder.linear_regression",
    "PrivateLogisticRegression": "tacit.models.linear.logistic",
    "PrivateNearestMean": "tacit.models.class_moments.nearest_mean",
    "RandomSearch": "tacit.situations.feedback.random_search",
    "Release": "tacit.releases.file",
    "Schema": "tacit.data.schema",
    "SharpenedClassifier": "tacit.models.semi_supervised.classifier",
    "SharpenedTransfer": "tacit.adoption.network",
    "TransferClassifier": "tacit.adoption.classifier",
    "Unit": "tacit.privacy.budget",
    "attack_release": "tacit.audit.attacks.release_attack",
    "infer_column": "tacit.situations.missing.inference",
    "learn_behaviour": "tacit.situations.behaviour.predictor",
    "read_release": "tacit.releases.file",
    "read_schema": "tacit.data.schema_file",
    "tune": "tacit.situations.feedback.search",
    "write_release": "tacit.releases.file",
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
    "Release",
    "Schema",
    "SharpenedClassifier",
    "SharpenedTransfer",
    "TransferClassifier",
    "Unit",
    "adopt",
    "attack_release",
    "encode",
    "fabricate",
    "infer_column",
    "learn_behaviour",
    "make_release",
    "predict",
    "read_model",
    "read_release",
    "read_schema",
    "release",
    "report",
    "tune",
    "write_model",
    "write_release",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    return getattr(importlib.import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
