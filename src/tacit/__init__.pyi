# Made from public_names.py by `make format`; do not edit.
from tacit.adoption.neighbours import MetricNeighbours
from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.adoption.pictures.network import SharpenedTransfer
from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.adoption.tables.private_transfer import PrivateTransfer
from tacit.audit.attacks.release_attack import attack_release
from tacit.data.rows.encoding import encode
from tacit.data.schemas.file import read_schema
from tacit.data.schemas.schema import Schema
from tacit.data.schemas.suggestion import suggest_schema
from tacit.models.additive.classifier import PrivateAdditiveClassifier
from tacit.models.additive.regressor import PrivateAdditiveRegressor
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
from tacit.models.linear.planning import SplitSettings
from tacit.models.membership.autoencoder import MembershipAutoencoder
from tacit.models.membership.classifier import MembershipClassifier
from tacit.models.membership.mapping import MembershipMapping
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.solvers import DescentSettings, DiagonalSettings, PrintedSettings
from tacit.models.schema_rows import SchemaEncoder
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import LossSettings, TrainingSettings
from tacit.pages.displays import LedgerDisplay, PrivacyAccuracyDisplay, ReleaseGainDisplay, RocDisplay
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.card import Card
from tacit.privacy.card_facts import CardFacts
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release, read_release, write_release
from tacit.situations.behaviour.predictor import learn_behaviour
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import tune
from tacit.situations.missing.inference import infer_column
from tacit.workflows.adopt import adopt
from tacit.workflows.ask import ask
from tacit.workflows.compare import compare
from tacit.workflows.fabricate import fabricate, fabricate_from
from tacit.workflows.models import read_model, write_model
from tacit.workflows.predict import predict, write_predictions
from tacit.workflows.release import make_release, release
from tacit.workflows.report import report
from tacit.workflows.what_if import what_if

__all__ = [
    "AffineHull",
    "AffineHullClassifier",
    "AveragedTransfer",
    "Budget",
    "Card",
    "CardFacts",
    "DescentSettings",
    "DiagonalSettings",
    "FeatureSplit",
    "FeatureSplitClassifier",
    "HypothesisTransfer",
    "LabelFreeTransfer",
    "LayerwiseSearch",
    "Ledger",
    "LedgerDisplay",
    "LossSettings",
    "MembershipAutoencoder",
    "MembershipClassifier",
    "MembershipMapping",
    "MetricNeighbours",
    "PairMetric",
    "PerformanceSearch",
    "PrintedSettings",
    "PrivacyAccuracyDisplay",
    "PrivateAdditiveClassifier",
    "PrivateAdditiveRegressor",
    "PrivateAutoencoder",
    "PrivateAutoencoderClassifier",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "PrivateNearestMean",
    "PrivateTransfer",
    "RandomSearch",
    "Relation",
    "Release",
    "ReleaseGainDisplay",
    "RocDisplay",
    "Schema",
    "SchemaEncoder",
    "SharpenedClassifier",
    "SharpenedTransfer",
    "SplitSettings",
    "TrainingSettings",
    "TransferClassifier",
    "Unit",
    "adopt",
    "ask",
    "attack_release",
    "compare",
    "encode",
    "fabricate",
    "fabricate_from",
    "infer_column",
    "learn_behaviour",
    "make_release",
    "predict",
    "read_model",
    "read_release",
    "read_schema",
    "release",
    "report",
    "suggest_schema",
    "tune",
    "what_if",
    "write_model",
    "write_predictions",
    "write_release",
]

__version__: str
