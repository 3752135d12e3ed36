"""Gathers what a page says from the files that commands leave."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from tacit.adoption.classifier import TransferClassifier
from tacit.adoption.comparison import Comparison, compare, compare_evidence
from tacit.arrays import FloatArray
from tacit.data.encoding import encode_file
from tacit.data.schema import Schema
from tacit.errors import InputError, ReleaseError, TacitError
from tacit.kinds.class_moments.preview import Glimpse, glimpse
from tacit.models.pair_metric.release import KIND as METRIC
from tacit.models.pair_metric.release import metric_of_columns
from tacit.pages.page import ModelFacts, model_page, release_page
from tacit.pages.portraits import Portraits, stored_portraits
from tacit.releases.file import Release
from tacit.workflows.models import AdoptedModel, Receiver

FilePath = str | os.PathLike[str]
# Columns of a metric that a page shows: nobody reads more bars.
MOST_WEIGHTS = 12


def report_model(adopted: AdoptedModel, *, test: FilePath | None = None) -> str:
    """Return the page about an adopted model, measured on the labelled rows of ``test`` or on its own, out of fold."""
    evidence = adopted.classifier.evidence_
    if test is None:
        found = compare_evidence(evidence)
        where = f"your own {len(found.truth):,} labelled rows, each held out in turn"
    else:
        found = compare_on(adopted, test)
        where = f"the {len(found.truth):,} labelled rows of {Path(test).name}"
    portraits = stored_portraits(adopted.model)
    facts = ModelFacts(
        schema=adopted.schema,
        cards=adopted.model.cards,
        weights=evidence.weights,
        notes=evidence.notes,
        comparison=found,
        measured_on=where,
        n_labelled=evidence.n_labelled,
        n_unlabelled=evidence.n_unlabelled,
        portraits=portraits,
        layers=_layers(adopted, portraits),
    )
    return model_page(facts)


def compare_on(adopted: AdoptedModel, test: FilePath) -> Comparison:
    """Return the comparison on the labelled rows of the table at ``test``."""
    rows = encode_file(test, adopted.schema, labels="optional")
    known = rows.y >= 0
    if not known.any():
        raise InputError(f"test must hold labelled rows; {Path(test).name} has none. Fill in the label column.")
    X = rows.X[known]
    classifier = adopted.classifier
    return compare(
        rows.y[known],
        target_only=classifier.target_only_predict(X),
        adopted=classifier.predict(X),
        classes=adopted.schema.classes,
        view_only=_view_only(classifier, X),
    )


def report_release(release: Release) -> str:
    """Return the page about a release."""
    schema = None if release.schema is None else _schema(release)
    weights = _weights(release) if release.kind == METRIC and schema is not None else []
    return release_page(release.card, schema, _glimpse(release), weights=weights, signer=release.signer)


def _weights(metric: Release) -> list[tuple[str, float]]:
    """Return the columns that count most in a metric of pairs, and how much."""
    components, schema = metric_of_columns(metric)
    lengths = np.linalg.norm(components, axis=0)
    largest = np.argsort(-lengths, kind="stable")[:MOST_WEIGHTS]
    return [(schema.encoded_names[place], float(lengths[place])) for place in largest]


def _schema(release: Release) -> Schema:
    try:
        return Schema.from_dict(release.schema or {}, source="the release's schema")
    except TacitError as problem:
        raise ReleaseError(f"the release cannot be reported on: {problem}") from problem


def _glimpse(release: Release) -> Glimpse | None:
    try:
        return glimpse(release)
    except TacitError:
        # Another kind of release, or a mechanism that this version cannot draw: the page does without.
        return None


def _view_only(classifier: Receiver, X: Any) -> Any:
    """Return predictions with no more of the releases than their view; None where it plays no part."""
    if not isinstance(classifier, TransferClassifier) or not classifier.evidence_.view:
        return None
    return classifier.view_only_predict(X)


def _layers(adopted: AdoptedModel, portraits: Portraits | None) -> FloatArray | None:
    """Return what a picture's layers see; networks and neighbours show no such thing."""
    if portraits is None or adopted.schema.image is None or not isinstance(adopted.classifier, TransferClassifier):
        return None
    return np.asarray(adopted.classifier.reconstruct_layers(portraits.sorted), dtype=np.float64)
