"""``tacit demo``: the parts of owner and reviewer, played on data that comes with scikit-learn."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.rule import Rule

EPSILON, DELTA = 1.0, 1e-6


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the files go.")] = Path("demo-output"),
) -> None:
    """Play owner and reviewer on a public medical table; opens nothing but files.

    [bold]Example:[/] tacit demo --output demo-output
    """
    from tacit.data.datasets import load_breast_cancer  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.evaluation.card_audit import audit_card  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.models.class_means import PrivateNearestMean  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.budget import Budget  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.ledger import Ledger  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.release.atomic import write_text  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.release.file import read_release, write_release  # noqa: PLC0415 - keeps the command line quick

    console = Console()
    output.mkdir(parents=True, exist_ok=True)
    book, file = output / "owner.ledger", output / "clinic.tacit"
    for old in output.glob("owner.ledger*"):
        old.unlink()
    table = load_breast_cancer().encode(labels="required")
    console.print(Rule("owner: release noisy class means of a private table"))
    ledger = Ledger.create(book, Budget(2 * EPSILON, 2 * DELTA, unit="record"), name="breast cancer")
    model = PrivateNearestMean(EPSILON, bounds=(0, 1), delta=DELTA, classes=[0, 1], ledger=ledger)
    write_release(model.fit(table.X, table.y).release(), file)
    console.print(f"wrote {file}; spent epsilon {ledger.spent():.4g} of {ledger.budget.epsilon:g}")
    console.print(Rule("reviewer: read the card, run the audit again"))
    card = read_release(file).card
    audited = audit_card(card)
    page = card.with_audits(audited.results).to_text()
    write_text(output / "card.txt", page)
    console.print(page, highlight=False)
    console.print(f"accuracy of the released means on the table itself: {model.score(table.X, table.y):.3f}")
    console.print(f"look at {output / 'card.txt'}")
