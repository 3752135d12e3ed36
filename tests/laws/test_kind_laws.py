"""Laws of every registered kind of release, and of a scratch kind that a test adds."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.laws.scratch_kind import KIND as SCRATCH

import tacit
from tacit.adoption.pictures.source_scores import source_scores
from tacit.arrays import FloatArray
from tacit.audit.card_audit import audit_card
from tacit.audit.kinds.table import CASES
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError
from tacit.kinds.registry import all_kinds, kind_of, register, unregister
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release, write_release
from tacit.releases.kind import ReleaseKind
from tacit.releases.lesson import ReceiverTable
from tacit.workflows.report import report_release

DOCS = Path(tacit.__file__).parents[2] / "docs"
SCHEMA = Schema(
    (
        Numeric("age", (0.0, 100.0)),
        Numeric("dose", (0.0, 1.0)),
        Categorical("sex", ("f", "m")),
        Label("outcome", ("well", "ill")),
    )
)
EPSILON, DELTA = 4.0, 1e-4


@pytest.fixture(autouse=True)
def scratch_kind() -> Iterator[None]:
    register(SCRATCH)  # the one line that a new kind needs
    yield
    unregister(SCRATCH.name)


def people(n_rows: int, seed: int) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return encoded rows in which age tells the outcome."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    age = np.clip(0.35 + 0.3 * y + rng.normal(0, 0.1, n_rows), 0, 1)
    return np.column_stack([age, rng.random(n_rows), np.eye(2)[rng.integers(0, 2, n_rows)]]), y


def kinds() -> list[ReleaseKind]:
    return [*all_kinds(), SCRATCH]


def names(kind: ReleaseKind) -> str:
    return kind.name


@pytest.fixture(params=kinds(), ids=names)
def kind(request: pytest.FixtureRequest) -> ReleaseKind:
    chosen: ReleaseKind = request.param
    return chosen


def made(kind: ReleaseKind, seed: int = 0) -> tacit.Release:
    return kind.release(*people(400, 1), SCHEMA, epsilon=EPSILON, delta=DELTA, random_state=seed)


def receiver(n_labelled: int = 40) -> ReceiverTable:
    X, y = people(150, 2)
    return ReceiverTable(SCHEMA, X, np.arange(n_labelled), y[:n_labelled].astype(np.intp))


def test_a_plan_states_its_promise_and_charges_nothing(kind: ReleaseKind) -> None:
    for unit in kind.units:
        plan = kind.plan(SCHEMA, unit=unit, epsilon=EPSILON, delta=DELTA, n_rows=400)
        assert plan.budget.unit is unit
        assert plan.steps
        assert all(step.because for step in plan.steps), "no query without the sentence that makes its bound true"


def test_making_never_plans_again(kind: ReleaseKind, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = kind.plan(SCHEMA, unit=kind.units[0], epsilon=EPSILON, delta=DELTA, n_rows=400)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the release was planned a second time")

    monkeypatch.setattr(f"{kind.package}.plan.plan", refuse)
    release = kind.make(plan, *people(400, 1), random_state=0)
    assert [part.what for part in release.card.parts] == [step.what for step in plan.steps]
    assert release.kind in kind.files


def test_a_refused_charge_draws_nothing(kind: ReleaseKind, tmp_path: Path) -> None:
    plan = kind.plan(SCHEMA, unit=kind.units[0], epsilon=EPSILON, delta=DELTA, n_rows=400)
    budget = Budget(0.01, 1e-9, unit=plan.budget.unit, relation=plan.budget.relation)
    ledger = Ledger.create(tmp_path / "small.ledger", budget)
    with pytest.raises(BudgetExceededError):
        kind.make(plan, *people(400, 1), ledger=ledger)
    assert ledger.spent() == 0


def test_a_release_survives_its_file(kind: ReleaseKind, tmp_path: Path) -> None:
    release = made(kind)
    write_release(release, tmp_path / "release.tacit")
    again = read_release(tmp_path / "release.tacit")
    assert kind_of(again) is kind
    assert again.card == release.card
    assert all(np.array_equal(again.arrays[name], release.arrays[name]) for name in release.arrays)


def test_its_card_says_what_is_protected_and_what_is_not(kind: ReleaseKind) -> None:
    text = made(kind).card.to_text()
    assert str(kind.units[0]) in text
    assert "not protected" in text.lower()


def test_what_it_teaches_tells_the_classes_apart(kind: ReleaseKind) -> None:
    source = source_scores(made(kind), receiver())
    X, y = people(400, 3)
    assert (source(X).argmax(axis=1) == y).mean() > 0.75


def test_what_it_teaches_survives_the_receivers_file(kind: ReleaseKind, tmp_path: Path) -> None:
    X, y = people(80, 2)
    labels = np.where(np.arange(80) < 30, y, -1)
    rows = Encoded(X, labels, SCHEMA.encoded_names, SCHEMA.classes)
    others = [made(kind), made(all_kinds()[0], seed=5)]
    adopted = tacit.adopt(others, rows, SCHEMA, output=tmp_path / "model.tacit")
    again = tacit.read_model(tmp_path / "model.tacit")
    test = people(50, 4)[0]
    expected = adopted.classifier.predict_proba(test)
    assert np.allclose(again.classifier.predict_proba(test), expected, atol=1e-5)
    assert len(again.evidence.notes) == 2


def test_it_has_a_page(kind: ReleaseKind) -> None:
    page = report_release(made(kind))
    assert "<html" in page
    assert "Guarantee" in page


def test_its_card_passes_the_audit(kind: ReleaseKind) -> None:
    assert audit_card(made(kind).card, draws=3000, seed=0).passed


@pytest.mark.parametrize("registered", all_kinds(), ids=names)
def test_it_has_an_audit_with_a_broken_control(registered: ReleaseKind) -> None:
    cases = CASES[registered.name](0)
    assert any(case.control for case in cases), "an audit that catches nothing proves nothing"
    assert any(not case.control for case in cases)


@pytest.mark.parametrize("registered", all_kinds(), ids=names)
def test_it_has_a_page_in_the_documentation(registered: ReleaseKind) -> None:
    text = (DOCS / "kinds.md").read_text(encoding="utf-8")
    assert re.search(rf"^## .*`{registered.method}`", text, flags=re.MULTILINE), f"docs/kinds.md: {registered.method}"


def test_no_two_kinds_share_a_method_or_a_file_kind() -> None:
    methods = [kind.method for kind in all_kinds()]
    files = [file for kind in all_kinds() for file in kind.files]
    assert len(set(methods)) == len(methods)
    assert len(set(files)) == len(files)
