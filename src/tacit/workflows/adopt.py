"""Adopt releases: learn from them together with the receiver's own rows."""

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacit.adoption.neighbours import MetricNeighbours
from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.label_free_transfer import NETWORK, SELF_TRAINING, LabelFreeTransfer
from tacit.adoption.pictures.network import SharpenedTransfer
from tacit.adoption.sources.class_names import renamed_classes
from tacit.adoption.tables.averaged_transfer import AveragedTransfer, Shares
from tacit.adoption.tables.private_transfer import PrivateTransfer
from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.arrays import UNLABELLED
from tacit.checks import one_of
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import require_output
from tacit.files.regular import FilePath
from tacit.kinds.registry import kind_of
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.planning import SplitSettings
from tacit.pages.table_summary import summarise_table, with_summary
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger, LedgerLike
from tacit.releases.file import Release, read_release
from tacit.releases.lesson import owner_schema
from tacit.releases.sidecar import is_table
from tacit.releases.signature import TrustedKey
from tacit.workflows.card_details import card_facts, completed_card
from tacit.workflows.fabricated_tables import fabricated_release
from tacit.workflows.models import AdoptedModel, Receiver, write_model
from tacit.workflows.release import write_charged
from tacit.workflows.tables import (
    Contribution,
    Progress,
    Table,
    as_schema,
    contribution,
    encoded_rows,
    input_paths,
    ledger_of,
    no_progress,
    rows_in_memory,
    warn_of_repeating,
    with_person,
)

AUTO, AVERAGED, MEMBERSHIP, SHARPENED = LEARNERS = ("auto", "averaged", "membership", "sharpened")
# With fewer unlabelled pictures, learning from start labels lowered what the releases alone reach.
ROWS_TO_START_FROM = 1000


def adopt(
    releases: Sequence[Release | FilePath],
    table: Table,
    schema: Schema | FilePath,
    *,
    combine: str = "calibrated",
    learner: str = AUTO,
    shares: Shares = None,
    rename: Mapping[str, str] | None = None,
    random_state: int = 0,
    trusted_key: TrustedKey | None = None,
    output: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
    verbose: bool = False,
) -> AdoptedModel:
    """Return the model learned from releases of any kinds and the receiver's rows; write it if ``output`` is given.

    Adopting spends nothing. The model holds knowledge of the receiver's rows and must not be handed out. If the schema
    has a numeric target instead of a label, releases of that target are adopted.

    Parameters
    ----------
    releases : sequence of Release or paths
        What owners handed out, of any mix of kinds; the path of a fabricated table stands for its release.
    table : path, DataFrame or Encoded
        The receiver's rows, mostly or all unlabelled; it may have other columns than the owners'.
    schema : Schema or path
        Of the receiver's table.
    combine : {"calibrated", "paper"}
        "calibrated": trust a release as far as the labels bear it out; "paper": [membership] eq. 79-87.
    learner : {"auto", "averaged", "membership", "sharpened"}
        How the receiver's own rows are learned. "averaged": linear and radial kernels and boosted trees, averaged with
        the releases by evidence; it needs no labels. "membership": autoencoders with self-training. "sharpened": a
        network, which needs the extra ``deep``. The latter two start from what the releases are surest of where there
        are no labels. "auto" is "membership" for ``combine="paper"``, for pictures with labels of two classes, and
        where a release shares no column with the table; for at least 1000 pictures without labels "sharpened", or
        "membership" if torch is not installed; else "averaged".
    shares : mapping, "estimated" or None
        For "averaged", and where there are no labels: the classes' shares among the receiver's rows by name, estimated
        from the rows, or as the releases say.
    rename : mapping or None
        Classes of the releases that are called otherwise in the receiver's schema: the owners' names and ours.
    random_state : int
        Where random choices start; no privacy depends on it.
    trusted_key : Ed25519 public key, path or None
        Refuse releases that its owner did not sign.
    output : path or None
        Where the model goes; an existing file is refused without ``force``.
    verbose : bool
        Whether networks show a bar of their own.
    """
    _check_learner(learner, combine)
    rules = as_schema(schema)
    if output is not None:
        require_output(Path(output), force=force, inputs=input_paths(*releases, table, schema))
    sources = opened_releases(releases, trusted_key=trusted_key)
    if rename:
        sources = renamed_classes(sources, rename)
    rows = encoded_rows(table, rules, labels="optional", progress=progress)
    if rules.target is not None:
        _check_target_options(learner, combine, shares)
        return _adopt_target(sources, rows, rules, random_state=random_state, output=output, progress=progress)
    n_classes = _n_labelled_classes(rows)
    chosen = chosen_learner(learner, sources, rules, combine=combine, n_classes=n_classes, n_rows=len(rows.y))
    settings: dict[str, Any] = {"combine": combine, "learner": chosen, "shares": shares, "n_classes": n_classes}
    receiver = _receiver(sources, rules, random_state=random_state, verbose=verbose, **settings)
    progress(f"learning from {len(sources)} release{'s' * (len(sources) != 1)} and {_counted_rows(rows)}")
    receiver.fit(rows.X, rows.y)
    summary = summarise_table(rows.X, rows.y, receiver.predict(rows.X), len(rules.classes), sources)
    adopted = AdoptedModel(with_summary(receiver.to_model(), summary), receiver, rules)
    if output is not None:
        write_model(adopted, output)
    return adopted


def _adopt_target(
    sources: list[Release],
    rows: Encoded,
    schema: Schema,
    *,
    random_state: int,
    output: FilePath | None,
    progress: Progress,
) -> AdoptedModel:
    """Return the model of a numeric target."""
    receiver = TargetTransfer(sources, schema=schema, random_state=random_state)
    progress(f"learning from {len(sources)} release{'s' * (len(sources) != 1)} and {_counted_rows(rows)}")
    receiver.fit(rows.X, rows.outcomes)
    adopted = AdoptedModel(receiver.to_model(), receiver, schema)
    if output is not None:
        write_model(adopted, output)
    return adopted


def adopt_privately(
    releases: Sequence[Release | FilePath],
    table: Table,
    schema: Schema | FilePath,
    *,
    epsilon: float,
    person: str | None = None,
    rows_per_person: int | None = None,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    trusted_key: TrustedKey | None = None,
    output: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> FeatureSplitClassifier | PrivateTransfer:
    """Return a classifier learned from releases and rows that are protected too; write it if asked.

    The receiver's ledger is charged with ``epsilon`` before anything is drawn: per record, or per person where the
    schema or ``person`` names the column that says whose row it is, of whom at most ``rows_per_person`` rows are read.
    Neighbours are the ledger's: on one with relation "add-remove" the number of rows stays hidden. What comes out may
    be handed out. Of linear releases alone it is a linear release, which may be adopted in turn; with additive releases
    or marginals among them a model: their scores, and a private correction.
    """
    rules = with_person(as_schema(schema), person)
    if output is not None:
        require_output(Path(output), force=force, inputs=input_paths(*releases, table, schema, ledger))
    account = ledger_of(ledger, rules)
    sources = opened_releases(releases, trusted_key=trusted_key)
    kept = contribution(rules, unit=None, rows=rows_per_person, ledger=account, random_state=random_state)
    rows, facts = rows_in_memory(table, rules, kept, progress=progress)
    warn_of_repeating(Budget(epsilon, unit=kept.unit), facts.repeating)
    progress(f"charging, then learning from {_counted_rows(rows)}")
    purpose = "private adoption" if output is None else f"adopt into {Path(output).name}"
    settings: dict[str, Any] = {"epsilon": epsilon, "schema": rules, "ledger": account, "random_state": random_state}
    classifier = _fit_privately(sources, rows, kept, purpose=purpose, **settings)
    classifier.card_ = completed_card(
        classifier.card_,
        card_facts(None, schema),
        n_rows=len(rows.y),
        noisy_rows=None,
        ledger=account,
        audit=None,
        seed=random_state,
    )
    if output is not None:
        _write_private(classifier, Path(output), charged=account is not None)
    return classifier


def _fit_privately(
    sources: list[Release],
    rows: Encoded,
    kept: Contribution,
    *,
    ledger: Ledger | None,
    purpose: str,
    **settings: Any,
) -> FeatureSplitClassifier | PrivateTransfer:
    """Charge the ledger, then return what linear releases alone, or others with a private correction, teach."""
    settings |= {"ledger": ledger, "rows_per_person": kept.rows}
    relation = None if ledger is None else ledger.budget.relation
    persons = rows.persons if kept.rows else None
    if any("prior" not in kind_of(source).teaches for source in sources):
        corrected = PrivateTransfer(releases=tuple(sources), relation=relation, purpose=purpose, **settings)
        return corrected.fit(rows.X, rows.y, persons=persons)
    split = FeatureSplitClassifier(sources=tuple(sources), settings=SplitSettings(relation=relation), **settings)
    return split.fit(rows.X, rows.y, persons=persons, purpose=purpose)


def _write_private(classifier: FeatureSplitClassifier | PrivateTransfer, output: Path, *, charged: bool) -> None:
    if isinstance(classifier, PrivateTransfer):
        write_model(classifier.to_model(), output)
    else:
        write_charged(classifier.release(), output, signing_key=None, charged=charged)


def opened_releases(releases: Sequence[Release | FilePath], *, trusted_key: TrustedKey | None = None) -> list[Release]:
    """Return the releases, read from their files where paths are given; raise InputError for an unknown kind."""
    sources = [
        source if isinstance(source, Release) else _read_source(Path(source), trusted_key) for source in releases
    ]
    for source in sources:
        kind_of(source)
    return sources


def _read_source(path: Path, trusted_key: TrustedKey | None) -> Release:
    read = fabricated_release if is_table(path) else read_release
    return read(path, trusted_key=trusted_key)


def chosen_learner(
    learner: str,
    sources: Sequence[Release],
    schema: Schema,
    *,
    combine: str = "calibrated",
    n_classes: int = 2,
    n_rows: int = ROWS_TO_START_FROM,
) -> str:
    """Return the learner for ``n_rows`` rows with labels of ``n_classes`` classes: the one asked for, or by "auto".

    Pictures have views in which membership mappings learn better; with labels of fewer than two classes networks learn
    best from what the releases are surest of, and of few rows the releases alone are averaged. Where a release shares
    no column, only the geometry of its classes can be used, which membership mappings do.
    """
    if learner != AUTO:
        return learner
    if combine == "paper" or (schema.image is not None and n_classes >= 2):
        return MEMBERSHIP
    if schema.image is not None and n_rows >= ROWS_TO_START_FROM:
        return MEMBERSHIP if importlib.util.find_spec("torch") is None else SHARPENED
    shared = [schema.shared_with(owner_schema(source)).pairings for source in sources if source.schema is not None]
    return AVERAGED if schema.image is not None or all(shared) else MEMBERSHIP


def _check_learner(learner: str, combine: str) -> None:
    one_of("learner", learner, LEARNERS)
    one_of("combine", combine, ("calibrated", "paper"))
    if combine == "paper" and learner == AVERAGED:
        raise InputError(f"combine must be 'calibrated' with --learner {AVERAGED}; got {combine!r}.")
    if learner != SHARPENED:
        return
    if combine != "calibrated":
        raise InputError(f"combine must be 'calibrated' with --learner sharpened; got {combine!r}.")
    if importlib.util.find_spec("torch") is None:
        raise InputError(
            "--learner sharpened needs torch, which is not installed: pip install 'tacit-knowledge[deep]'."
        )


def _check_target_options(learner: str, combine: str, shares: Shares) -> None:
    if learner not in (AUTO, AVERAGED) or combine != "calibrated" or shares is not None:
        raise InputError(
            "the schema has a numeric target, which is learned by the learner 'averaged' and has no class shares; "
            "leave --learner, --combine and --shares out."
        )


def _receiver(
    sources: list[Release],
    schema: Schema,
    *,
    combine: str,
    learner: str,
    shares: Shares,
    n_classes: int,
    random_state: int,
    verbose: bool,
) -> Receiver:
    """Return the unfitted estimator for rows with labels of ``n_classes`` classes."""
    if learner == AVERAGED:
        return AveragedTransfer(sources, schema=schema, shares=shares, random_state=random_state)
    if n_classes < 2 and combine == "calibrated":
        own = NETWORK if learner == SHARPENED else SELF_TRAINING
        common: dict[str, Any] = {"schema": schema, "random_state": random_state, "verbose": verbose}
        return LabelFreeTransfer(sources, shares=shares, learner=own, **common)
    if shares is not None:
        raise InputError(f"shares are for the learner {AVERAGED!r}; got them with {learner!r}. Leave them out.")
    metrics_only = bool(sources) and all(kind_of(source).teaches == ("metric",) for source in sources)
    if learner == SHARPENED:
        return SharpenedTransfer(sources, schema=schema, random_state=random_state, verbose=verbose)
    if metrics_only and combine == "calibrated":
        return MetricNeighbours(sources, schema=schema)
    return TransferClassifier(sources, schema=schema, combine=combine, random_state=random_state)


def _n_labelled_classes(rows: Encoded) -> int:
    return len(np.unique(rows.y[rows.y != UNLABELLED]))


def _counted_rows(rows: Encoded) -> str:
    n_known, what = int(rows.has_outcome.sum()), "label" if rows.targets is None else "value"
    return f"{n_known:,} {what}{'s' * (n_known != 1)} among {len(rows.y):,} rows"
