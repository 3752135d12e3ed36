"""A second round with an owner: the receiver's request, and the owner's private answer."""

from pathlib import Path

from tacit.adoption.pictures.second_round import Request, answer_request, make_request
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import require_output
from tacit.files.regular import FilePath
from tacit.privacy.ledger import LedgerLike
from tacit.releases.file import Model, Release
from tacit.releases.file import read_model as read_file
from tacit.releases.file import write_model as write_file
from tacit.workflows.models import AdoptedModel, is_release_file, read_model
from tacit.workflows.release import write_charged
from tacit.workflows.tables import (
    Progress,
    Table,
    as_schema,
    encoded_rows,
    input_paths,
    labelled_rows,
    ledger_of,
    no_progress,
)


def request_answer(
    model: AdoptedModel | FilePath,
    table: Table,
    *,
    output: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> Request:
    """Return the receiver's request to an owner, by the network of an adopted model; write it if asked.

    Not private: the owner learns about the receiver's rows.
    """
    if output is not None:
        require_output(Path(output), force=force, inputs=input_paths(table))
    adopted = model if isinstance(model, AdoptedModel) else read_model(model)
    rows = encoded_rows(table, adopted.schema, labels="optional", progress=progress)
    request = make_request(adopted.classifier, rows.X, adopted.schema)
    if output is not None:
        write_file(request.to_model(), output)
    return request


def answer(
    request: Request | Model | FilePath,
    table: Table,
    schema: Schema | FilePath,
    *,
    epsilon: float,
    delta: float = 1e-6,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    output: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> Release:
    """Return the owner's answer to a request: a private layer on the receiver's features; write it if asked.

    The owner's ledger is charged before anything is drawn. It predicts by itself, and is adopted as any release.
    """
    rules = as_schema(schema)
    if output is not None:
        require_output(Path(output), force=force, inputs=input_paths(table, schema, ledger))
    account = ledger_of(ledger, rules)
    asked = request if isinstance(request, Request) else Request.from_model(_opened(request))
    rows = labelled_rows(table, rules, progress=progress)
    progress("charging, then learning a layer on the receiver's features")
    release = answer_request(
        asked,
        rows.X,
        rows.y,
        rules,
        epsilon=epsilon,
        delta=delta,
        ledger=account,
        random_state=random_state,
        purpose="answer to a request" if output is None else f"answer in {Path(output).name}",
    )
    if output is not None:
        write_charged(release, Path(output), signing_key=None, charged=account is not None)
    return release


def _opened(request: Model | FilePath) -> Model:
    if isinstance(request, Model):
        return request
    if is_release_file(request):
        raise InputError(f"{Path(request).name} is a release; a request is wanted, which `tacit request` writes.")
    return read_file(request)
