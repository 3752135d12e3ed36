"""The public names of the package: one table, from which the lazy loading and the stub ``__init__.pyi`` are made.

A new public name is one line in ``PUBLIC_NAMES``; ``make format`` then writes the stub, from which type checkers and
documentation tools read what ``import tacit`` offers.
"""

import importlib
from typing import Any

# The module in which each public name is defined.
PUBLIC_NAMES = {
    "AffineHull": "tacit.models.affine_hull.hull",
    "AffineHullClassifier": "tacit.models.affine_hull.classifier",
    "AveragedTransfer": "tacit.adoption.tables.averaged_transfer",
    "Budget": "tacit.privacy.budget",
    "Card": "tacit.privacy.card",
    "CardFacts": "tacit.privacy.card_facts",
    "DescentSettings": "tacit.models.pair_metric.solvers",
    "DiagonalSettings": "tacit.models.pair_metric.solvers",
    "FeatureSplit": "tacit.models.linear.feature_split",
    "FeatureSplitClassifier": "tacit.models.linear.feature_split_classifier",
    "HypothesisTransfer": "tacit.models.linear.hypothesis_transfer",
    "LabelFreeTransfer": "tacit.adoption.pictures.label_free_transfer",
    "LayerwiseSearch": "tacit.situations.feedback.layerwise",
    "Ledger": "tacit.privacy.ledger",
    "LedgerDisplay": "tacit.pages.displays",
    "LossSettings": "tacit.models.semi_supervised.recipe",
    "MembershipAutoencoder": "tacit.models.membership.autoencoder",
    "MembershipClassifier": "tacit.models.membership.classifier",
    "MembershipMapping": "tacit.models.membership.mapping",
    "MetricNeighbours": "tacit.adoption.neighbours",
    "PairMetric": "tacit.models.pair_metric.metric",
    "PerformanceSearch": "tacit.situations.feedback.performance",
    "PrintedSettings": "tacit.models.pair_metric.solvers",
    "PrivacyAccuracyDisplay": "tacit.pages.displays",
    "PrivateAdditiveClassifier": "tacit.models.additive.classifier",
    "PrivateAdditiveRegressor": "tacit.models.additive.regressor",
    "PrivateAutoencoder": "tacit.models.autoencoder.encoder",
    "PrivateAutoencoderClassifier": "tacit.models.autoencoder.classifier",
    "PrivateLinearRegression": "tacit.models.autoencoder.linear_regression",
    "PrivateLogisticRegression": "tacit.models.linear.logistic",
    "PrivateNearestMean": "tacit.models.class_moments.nearest_mean",
    "PrivateTransfer": "tacit.adoption.tables.private_transfer",
    "RandomSearch": "tacit.situations.feedback.random_search",
    "Relation": "tacit.privacy.budget",
    "Release": "tacit.releases.file",
    "ReleaseGainDisplay": "tacit.pages.displays",
    "RocDisplay": "tacit.pages.displays",
    "Schema": "tacit.data.schemas.schema",
    "SchemaEncoder": "tacit.models.schema_rows",
    "SharpenedClassifier": "tacit.models.semi_supervised.classifier",
    "SharpenedTransfer": "tacit.adoption.pictures.network",
    "SplitSettings": "tacit.models.linear.planning",
    "TrainingSettings": "tacit.models.semi_supervised.recipe",
    "TransferClassifier": "tacit.adoption.pictures.classifier",
    "Unit": "tacit.privacy.budget",
    "adopt": "tacit.workflows.adopt",
    "ask": "tacit.workflows.ask",
    "attack_release": "tacit.audit.attacks.release_attack",
    "compare": "tacit.workflows.compare",
    "encode": "tacit.data.rows.encoding",
    "fabricate": "tacit.workflows.fabricate",
    "fabricate_from": "tacit.workflows.fabricate",
    "infer_column": "tacit.situations.missing.inference",
    "learn_behaviour": "tacit.situations.behaviour.predictor",
    "make_release": "tacit.workflows.release",
    "predict": "tacit.workflows.predict",
    "read_model": "tacit.workflows.models",
    "read_release": "tacit.releases.file",
    "read_schema": "tacit.data.schemas.file",
    "release": "tacit.workflows.release",
    "report": "tacit.workflows.report",
    "suggest_schema": "tacit.data.schemas.suggestion",
    "tune": "tacit.situations.feedback.search",
    "what_if": "tacit.workflows.what_if",
    "write_model": "tacit.workflows.models",
    "write_predictions": "tacit.workflows.predict",
    "write_release": "tacit.releases.file",
}


def load(name: str) -> Any:
    """Return what the public ``name`` stands for; its module is imported on first use."""
    return getattr(importlib.import_module(PUBLIC_NAMES[name]), name)


def stub() -> str:
    """Return the text of ``__init__.pyi``: an import of every public name, and ``__all__``."""
    modules: dict[str, list[str]] = {}
    for name in sorted(PUBLIC_NAMES):
        modules.setdefault(PUBLIC_NAMES[name], []).append(name)
    imports = [f"from {module} import {', '.join(names)}" for module, names in sorted(modules.items())]
    listed = [f'    "{name}",' for name in sorted(PUBLIC_NAMES)]
    heading = "# Made from public_names.py by `make format`; do not edit."
    return "\n".join([heading, *imports, "", "__all__ = [", *listed, "]", "", "__version__: str", ""])
