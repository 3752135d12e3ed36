"""Reports: the HTML page about a model, a release or a fabricated table, from its file."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.adoption.evidence.comparison import Comparison, compare
from tacit.adoption.evidence.figures import HeldOut
from tacit.adoption.evidence.own_comparison import compare_evidence
from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence, MethodFigures, method_figures
from tacit.adoption.evidence.target_figures import TargetFigures
from tacit.adoption.evidence.words import remarks, verdict_sentence
from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.arrays import Codes, FloatArray, Rows
from tacit.data.rows.encoding import encode, encode_file
from tacit.errors import InputError
from tacit.files.atomic import require_output, write_text
from tacit.files.regular import FilePath
from tacit.kinds.registry import fabricating_kinds
from tacit.pages.fabricated import FabricatedFacts, fabricated_page
from tacit.pages.model_page import ModelFacts, model_page
from tacit.pages.release_page import release_page
from tacit.pages.table_summary import TableSummary, stored_summary
from tacit.pages.target_page import TargetFacts, target_page
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.workflows.fabricated_tables import open_fabricated
from tacit.workflows.models import AdoptedModel, Receiver, is_model_file, read_model
from tacit.workflows.tables import input_paths


def report(
    file: FilePath,
    *,
    test: FilePath | None = None,
    originals: FilePath | None = None,
    output: FilePath | None = None,
    force: bool = False,
) -> str:
    """Return one self-contained HTML page about ``file``, and write it if ``output`` is given.

    Parameters
    ----------
    file : path
        A model, a release (``*.tacit``), or a fabricated table with its release beside it.
    test : path or None
        Of a model: labelled rows that it has not learned, to measure it on.
    originals : path or None
        Of a fabricated table: the owner's private table, to be compared with it.
    output : path or None
        Where the page goes; an existing file is refused without ``force``.
    """
    if output is not None:
        require_output(Path(output), force=force, inputs=input_paths(file, test, originals))
    page = _page(Path(file), test, None if originals is None else Path(originals))
    if output is not None:
        write_text(Path(output), page)
    return page


def _page(file: Path, test: FilePath | None, originals: Path | None) -> str:
    if is_model_file(file):
        _refuse_originals(originals)
        return report_model(read_model(file), test=test)
    release = open_release(file)
    if test is not None:
        raise InputError("--test is for models: a release predicts nothing by itself. Adopt it first.")
    # Only a fabricated table is tied to its release by a digest.
    if "table_sha256" in release.settings:
        return report_fabricated(file, originals)
    _refuse_originals(originals)
    return report_release(release)


def report_model(adopted: AdoptedModel, *, test: FilePath | None = None) -> str:
    """Return the page about an adopted model, measured on the labelled rows of ``test`` or on its own, out of fold."""
    if isinstance(adopted.learner, TargetTransfer):
        return report_target(adopted, test=test)
    evidence = adopted.classifier.evidence_
    comparison = compare_evidence(evidence) if test is None else compare_on(adopted, test)
    summary = stored_summary(adopted.model)
    facts = ModelFacts(
        schema=adopted.schema,
        cards=adopted.model.cards,
        weights=evidence.weights,
        notes=evidence.notes,
        comparison=comparison,
        measured_on=_measured_rows(comparison, test),
        n_labelled=evidence.n_labelled,
        n_unlabelled=evidence.n_unlabelled,
        summary=summary,
        layers=_layers(adopted, summary),
    )
    if isinstance(evidence, AdoptionEvidence):
        methods = evidence.methods if test is None else measured_methods(adopted, test)
        # What own labels say is the verdict; rows of a test speak for themselves.
        verdict = verdict_sentence(evidence) if test is None else ""
        facts = replace(facts, methods=methods, verdict=verdict, remarks=tuple(remarks(evidence)))
    elif test is not None:
        facts = replace(facts, methods=measured_methods(adopted, test))
    return model_page(facts)


def _measured_rows(comparison: Comparison | None, test: FilePath | None) -> str:
    if comparison is None:
        return "your own rows, of which too few have a label"
    counted = f"{len(comparison.truth):,} labelled rows"
    return f"your own {counted}, each held out in turn" if test is None else f"the {counted} of {Path(test).name}"


def report_target(adopted: AdoptedModel, *, test: FilePath | None = None) -> str:
    """Return the page about a model of a numeric target, measured on the known values of ``test`` or on its own."""
    evidence = adopted.regressor.evidence_
    methods, measured_on = evidence.methods, f"your own {evidence.n_known:,} known values, each held out in turn"
    if test is not None:
        methods, measured_on = measured_targets(adopted, test), f"the known values of {Path(test).name}"
    return target_page(TargetFacts(adopted.schema, adopted.model.cards, evidence, methods, measured_on))


def measured_targets(adopted: AdoptedModel, test: FilePath) -> tuple[TargetFigures, ...]:
    """Return how well each way to learn predicts the known values at ``test``."""
    rows = encode_file(test, adopted.schema, labels="optional")
    known = rows.has_outcome
    if known.sum() < 2:
        raise InputError(f"test must hold at least two known values; {Path(test).name} has fewer.")
    return adopted.regressor.figures(rows.X[known], rows.outcomes[known])


def report_fabricated(file: Path, originals: Path | None = None) -> str:
    """Return the page about the fabricated table of ``file``, beside the rows of ``originals`` if given."""
    fabricated = open_fabricated(file)
    # The private table may have columns that the schema reads past; the fabricated one does not.
    rows = encode(fabricated.table, fabricated.schema, labels="optional", source=file.name)
    original = None
    if originals is not None:
        private = encode_file(originals, fabricated.schema, labels="optional")
        labelled = private.y >= 0
        original = replace(private, X=private.X[labelled], y=private.y[labelled])
    release = fabricated.release
    method = str(release.settings.get("method"))
    drawn = method in fabricating_kinds() and method != "hull"
    return fabricated_page(
        FabricatedFacts(rows, fabricated.schema, release.card, drawn=drawn, method=method, original=original)
    )


def report_release(release: Release) -> str:
    """Return the page about a release."""
    return release_page(release)


def compare_on(adopted: AdoptedModel, test: FilePath) -> Comparison:
    """Return the comparison on the labelled rows of the table at ``test``."""
    X, codes = _test_rows(adopted, test)
    classifier = adopted.classifier
    return compare(
        codes,
        target_only=classifier.target_only_predict(X),
        adopted=classifier.predict(X),
        classes=adopted.schema.classes,
        view_only=_view_only(classifier, X),
    )


def measured_methods(adopted: AdoptedModel, test: FilePath) -> tuple[MethodFigures, ...]:
    """Return how well each way to learn predicts the labelled rows at ``test``: those that give probabilities."""
    classifier = adopted.classifier
    X, codes = _test_rows(adopted, test)
    probabilities: dict[str, FloatArray] = {}
    # A model that keeps no counts of its labels is compared with the commonest class of the test rows themselves.
    counts = np.bincount(codes, minlength=len(adopted.schema.classes))
    if isinstance(classifier, AveragedTransfer):
        counts = np.array(classifier.evidence_.labels)
        probabilities = {"alone": classifier.alone_proba(X), "releases": classifier.releases_proba(X)}
    majority = np.tile((counts + 0.5) / (counts + 0.5).sum(), (len(X), 1))
    probabilities = {"majority": majority, **probabilities, "adopted": np.asarray(classifier.predict_proba(X))}
    one_fold = np.zeros((1, len(X)), dtype=np.intp)
    return tuple(method_figures(name, HeldOut(each[None], one_fold), codes) for name, each in probabilities.items())


def _test_rows(adopted: AdoptedModel, test: FilePath) -> tuple[Rows, Codes]:
    rows = encode_file(test, adopted.schema, labels="optional")
    labelled = rows.y >= 0
    if not labelled.any():
        raise InputError(f"test must hold labelled rows; {Path(test).name} has none. Fill in the label column.")
    return rows.X[labelled], rows.y[labelled].astype(np.intp)


def _refuse_originals(originals: FilePath | None) -> None:
    if originals is not None:
        raise InputError("--originals is for fabricated tables, from `tacit fabricate`; leave it out.")


def _view_only(classifier: Receiver, X: Any) -> Any:
    """Return predictions that use no more of the releases than their view; None for a model without a view."""
    if not isinstance(classifier, TransferClassifier) or not classifier.evidence_.view:
        return None
    return classifier.view_only_predict(X)


def _layers(adopted: AdoptedModel, summary: TableSummary | None) -> FloatArray | None:
    """Return the class means as the layers reconstruct them; None for tables and for models without such layers."""
    if summary is None or adopted.schema.image is None or not isinstance(adopted.classifier, TransferClassifier):
        return None
    return np.asarray(adopted.classifier.reconstruct_layers(summary.predicted), dtype=np.float64)
