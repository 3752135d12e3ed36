"""Adopt releases: learn from them together with the receiver's own rows."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from tacit.adoption.classifier import TransferClassifier
from tacit.adoption.neighbours import MetricNeighbours
from tacit.adoption.network import SharpenedTransfer
from tacit.arrays import UNLABELLED
from tacit.checks import one_of
from tacit.data.encoding import Encoded
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.files.outputs import require_output
from tacit.files.regular import FilePath
from tacit.kinds.registry import kind_of
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.pages.table_summary import summarise_table, with_summary
from tacit.privacy.ledger import LedgerLike, as_ledger
from tacit.releases.file import Release
from tacit.releases.signature import TrustedKey
from tacit.workflows.fabricated_tables import open_release
from tacit.workflows.models import AdoptedModel, Receiver, write_model
from tacit.workflows.release import write_charged
from tacit.workflows.tables import Progress, Table, as_schema, encoded_rows, labelled_rows, no_progress

LEARNERS = ("membership", "sharpened")


def adopt(
    releases: Sequence[Release | FilePath],
    table: Table,
    schema: Schema | FilePath,
    *,
    combine: str = "calibrated",
    learner: str = "membership",
    random_state: int = 0,
    trusted_key: TrustedKey | None = None,
    output: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
    verbose: bool = False,
) -> AdoptedModel:
    """Return the model learned from releases of any kinds and the receiver's rows; write it if ``output`` is given.

    Adopting spends nothing. The model holds knowledge of the receiver's rows and must not be handed out.

    Parameters
    ----------
    releases : sequence of Release or paths
        What owners handed out, of any mix of kinds; the path of a fabricated table stands for its release.
    table : path, DataFrame or Encoded
        The receiver's rows, mostly unlabelled; it may have other columns than the owners'.
    schema : Schema or path
        Of the receiver's table.
    combine : {"calibrated", "paper"}
        "calibrated": trust a release as far as the labels bear it out; "paper": [membership] eq. 79-87.
    learner : {"membership", "sharpened"}
        How the receiver's own rows are learned; "sharpened" is a network and needs the extra ``deep``.
    random_state : int
        Where random choices start; no privacy depends on it.
    trusted_key : Ed25519 public key, path or None
        Refuse releases that its owner did not sign.
    output : path or None
        Where the model goes; an existing file is refused without ``force``.
    verbose : bool
        Whether networks show a bar of their own.
    """
    one_of("learner", learner, LEARNERS)
    rules = as_schema(schema)
    paths = [Path(path) for path in (*releases, table, schema) if isinstance(path, str | Path)]
    if output is not None:
        require_output(Path(output), force=force, inputs=paths)
    sources = opened_releases(releases, trusted_key=trusted_key)
    receiver = _receiver(sources, rules, combine=combine, learner=learner, random_state=random_state, verbose=verbose)
    rows = encoded_rows(table, rules, progress=progress)
    progress(f"learning from {len(sources)} release{'s' * (len(sources) != 1)} and {_counted_rows(rows)}")
    receiver.fit(rows.X, rows.y)
    summary = summarise_table(rows.X, rows.y, receiver.predict(rows.X), len(rules.classes), sources)
    adopted = AdoptedModel(with_summary(receiver.to_model(), summary), receiver, rules)
    if output is not None:
        write_model(adopted, output)
    return adopted


def adopt_privately(
    releases: Sequence[Release | FilePath],
    table: Table,
    schema: Schema | FilePath,
    *,
    epsilon: float,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    trusted_key: TrustedKey | None = None,
    output: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> FeatureSplitClassifier:
    """Return a classifier learned from linear releases and rows that are protected too; write its release if asked.

    The receiver's ledger is charged with ``epsilon`` per record before anything is drawn; what comes out may be handed
    out (``release()``), and adopted in turn.
    """
    rules, account = as_schema(schema), as_ledger(ledger)
    paths = [Path(path) for path in (*releases, table, schema) if isinstance(path, str | Path)]
    if output is not None:
        require_output(Path(output), force=force, inputs=[*paths, *([account.path] if account else [])])
    sources = opened_releases(releases, trusted_key=trusted_key)
    others = [source.kind for source in sources if "prior" not in kind_of(source).teaches]
    if others:
        raise InputError(
            "--epsilon and --ledger are for releases by `--method linear` alone; "
            f"got one of kind {others[0]!r}. Leave them out to adopt other kinds: the model is then not private."
        )
    rows = labelled_rows(table, rules, progress=progress)
    progress(f"charging, then learning from {_counted_rows(rows)}")
    purpose = "feature-split regression" if output is None else f"adopt into {Path(output).name}"
    classifier = FeatureSplitClassifier(
        epsilon, sources=tuple(sources), schema=rules, ledger=account, random_state=random_state, purpose=purpose
    )
    classifier.fit(rows.X, rows.y)
    if output is not None:
        write_charged(classifier.release(), Path(output), signing_key=None, charged=account is not None)
    return classifier


def opened_releases(releases: Sequence[Release | FilePath], *, trusted_key: TrustedKey | None = None) -> list[Release]:
    """Return the releases, read from their files where paths are given; raise InputError for an unknown kind."""
    sources = [
        source if isinstance(source, Release) else open_release(Path(source), trusted_key=trusted_key)
        for source in releases
    ]
    for source in sources:
        kind_of(source)
    return sources


def _receiver(
    sources: list[Release], schema: Schema, *, combine: str, learner: str, random_state: int, verbose: bool
) -> Receiver:
    metrics_only = bool(sources) and all(kind_of(source).teaches == ("metric",) for source in sources)
    if learner == "sharpened":
        if combine != "calibrated":
            raise InputError(f"combine must be 'calibrated' with --learner sharpened; got {combine!r}.")
        if importlib.util.find_spec("torch") is None:
            raise InputError(
                "--learner sharpened needs torch, which is not installed: pip install 'tacit-knowledge[deep]'."
            )
        return SharpenedTransfer(sources, schema=schema, random_state=random_state, verbose=verbose)
    if metrics_only and combine == "calibrated":
        return MetricNeighbours(sources, schema=schema)
    return TransferClassifier(sources, schema=schema, combine=combine, random_state=random_state)


def _counted_rows(rows: Encoded) -> str:
    n_labelled = int((rows.y != UNLABELLED).sum())
    return f"{n_labelled:,} label{'s' * (n_labelled != 1)} among {len(rows.y):,} rows"
