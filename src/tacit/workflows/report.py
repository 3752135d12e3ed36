"""Reports: the HTML page about a model, a release or a fabricated table, from its file."""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tacit.adoption.classifier import TransferClassifier
from tacit.adoption.comparison import Comparison, compare, compare_evidence
from tacit.arrays import FloatArray
from tacit.data.encoding import encode_file
from tacit.errors import InputError
from tacit.files.regular import FilePath
from tacit.kinds.fabricated_rows.make import KIND as FABRICATED_KIND
from tacit.pages.model_page import ModelFacts, model_page
from tacit.pages.release_page import release_page
from tacit.pages.table_summary import TableSummary, stored_summary
from tacit.releases.container import MODEL
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.workflows.models import Adopted, Receiver, open_model
from tacit.workflows.report_fabricated import report_fabricated

# Kinds whose page needs more than the release: what is drawn from the file and, if given, the owner's own table.
FILE_REPORTS: Mapping[str, Callable[[Path, Path | None], str]] = {FABRICATED_KIND: report_fabricated}


def report(path: FilePath, *, test: FilePath | None = None, originals: FilePath | None = None) -> str:
    """Return the page about the file at ``path``: an adopted model, a release, or a fabricated table.

    Parameters
    ----------
    path : path
        A model, a release, or a fabricated table with its release beside it.
    test : path or None
        Labelled rows to measure a model on; for models only.
    originals : path or None
        The owner's private table, to be compared with a fabricated one; for fabricated tables only.
    """
    file = Path(path)
    if is_model(file):
        _refuse_originals(originals)
        return report_model(open_model(file), test=test)
    release = open_release(file)
    if test is not None:
        raise InputError("--test is for models: a release predicts nothing by itself. Adopt it first.")
    file_report = FILE_REPORTS.get(release.kind)
    if file_report is not None:
        return file_report(file, None if originals is None else Path(originals))
    _refuse_originals(originals)
    return report_release(release)


def is_model(path: FilePath) -> bool:
    """Return whether the file at ``path`` is laid out as a model; its content is checked by `open_model`."""
    try:
        with zipfile.ZipFile(path) as archive:
            return MODEL.document in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def report_model(adopted: Adopted, *, test: FilePath | None = None) -> str:
    """Return the page about an adopted model, measured on the labelled rows of ``test`` or on its own, out of fold."""
    evidence = adopted.classifier.evidence_
    if test is None:
        comparison = compare_evidence(evidence)
        measured_on = f"your own {len(comparison.truth):,} labelled rows, each held out in turn"
    else:
        comparison = compare_on(adopted, test)
        measured_on = f"the {len(comparison.truth):,} labelled rows of {Path(test).name}"
    summary = stored_summary(adopted.model)
    facts = ModelFacts(
        schema=adopted.schema,
        cards=adopted.model.cards,
        weights=evidence.weights,
        notes=evidence.notes,
        comparison=comparison,
        measured_on=measured_on,
        n_labelled=evidence.n_labelled,
        n_unlabelled=evidence.n_unlabelled,
        summary=summary,
        layers=_layers(adopted, summary),
    )
    return model_page(facts)


def report_release(release: Release) -> str:
    """Return the page about a release."""
    return release_page(release)


def compare_on(adopted: Adopted, test: FilePath) -> Comparison:
    """Return the comparison on the labelled rows of the table at ``test``."""
    rows = encode_file(test, adopted.schema, labels="optional")
    labelled = rows.y >= 0
    if not labelled.any():
        raise InputError(f"test must hold labelled rows; {Path(test).name} has none. Fill in the label column.")
    X = rows.X[labelled]
    classifier = adopted.classifier
    return compare(
        rows.y[labelled],
        target_only=classifier.target_only_predict(X),
        adopted=classifier.predict(X),
        classes=adopted.schema.classes,
        view_only=_view_only(classifier, X),
    )


def _refuse_originals(originals: FilePath | None) -> None:
    if originals is not None:
        raise InputError("--originals is for fabricated tables, from `tacit fabricate`; leave it out.")


def _view_only(classifier: Receiver, X: Any) -> Any:
    """Return predictions that use no more of the releases than their view; None for a model without a view."""
    if not isinstance(classifier, TransferClassifier) or not classifier.evidence_.view:
        return None
    return classifier.view_only_predict(X)


def _layers(adopted: Adopted, summary: TableSummary | None) -> FloatArray | None:
    """Return the class means as the layers reconstruct them; None for tables and for models without such layers."""
    if summary is None or adopted.schema.image is None or not isinstance(adopted.classifier, TransferClassifier):
        return None
    return np.asarray(adopted.classifier.reconstruct_layers(summary.predicted), dtype=np.float64)
