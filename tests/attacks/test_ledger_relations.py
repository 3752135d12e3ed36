"""A ledger adds up only what protects the same neighbours: attacks that mixed relations and units under one total."""

from pathlib import Path

import numpy as np
import pytest

from tacit import Budget, Ledger, PrivateLogisticRegression, PrivateNearestMean, make_release
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError, InputError
from tacit.privacy import accounting
from tacit.privacy.events import ApproximateEvent, GaussianEvent, SequentialEvent

SCHEMA = Schema((Numeric("age", (0, 1)), Numeric("pressure", (0, 1)), Label("ill", ("no", "yes"))))


@pytest.fixture
def table() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.random((60, 2)), np.arange(60) % 2


def test_a_release_that_publishes_the_number_of_rows_is_no_charge_for_one_row_more(
    tmp_path: Path, table: tuple[np.ndarray, np.ndarray]
) -> None:
    """Class sums hold for one row more or less, linear weights for one exchanged with n public: no sum covers both."""
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-6, unit="record"))
    PrivateNearestMean(0.98, bounds=(0, 1), delta=1e-6, classes=[0, 1], ledger=ledger).fit(*table)
    with pytest.raises(InputError, match="relation 'replace'"):
        PrivateLogisticRegression(1.0, classes=[0, 1], ledger=ledger).fit(*table)
    assert len(ledger.lines()) == 1


def test_a_ledger_of_replaced_records_counts_what_a_replaced_record_costs(
    tmp_path: Path, table: tuple[np.ndarray, np.ndarray]
) -> None:
    """An exchanged record moves class sums twice as far as one more or less: the ledger said 1.98, true is 3.09."""
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(5, 1e-6, unit="record", relation="replace"))
    model = PrivateNearestMean(0.98, bounds=(0, 1), delta=1e-6, classes=[0, 1], ledger=ledger).fit(*table)
    PrivateLogisticRegression(1.0, classes=[0, 1], ledger=ledger).fit(*table)
    event = model.card_.parts[0].event
    assert isinstance(event, GaussianEvent)
    exchanged = GaussianEvent(event.sigma, 2 * event.sensitivity)
    truth = accounting.epsilon(SequentialEvent((exchanged, ApproximateEvent(1.0))), delta=1e-6)
    assert truth > 3.0
    assert ledger.spent() >= truth * (1 - 1e-6)


def test_a_record_release_on_an_entry_ledger_is_one_row_out_and_one_in(tmp_path: Path) -> None:
    """One entry that changes from 0 to 1 moves a class sum by 2: the true delta at epsilon 0.5 is 0.074, not 0.01."""
    schema = Schema((Numeric("x", (0, 1)), Label("ill", ("no", "yes"))))
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(0.5, 0.01, unit="entry"))
    with pytest.raises(BudgetExceededError):
        make_release(
            np.full((10, 1), 0.5), np.arange(10) % 2, schema, unit="record", epsilon=0.5, delta=0.01, ledger=ledger
        )
    assert ledger.lines() == ()


@pytest.mark.parametrize("relation", [{}, {"relation": "replace"}], ids=["add-remove", "replace"])
def test_an_entry_release_with_exact_class_counts_is_no_charge_for_records(
    tmp_path: Path, table: tuple[np.ndarray, np.ndarray], relation: dict[str, str]
) -> None:
    """133/167 or 133/168 rows of a class stand in the release as they are: one record is seen with certainty."""
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(20, 1e-4, unit="record", **relation))
    with pytest.raises(InputError, match=r"class counts.*without noise"):
        make_release(*table, SCHEMA, unit="entry", epsilon=1.0, delta=1e-8, ledger=ledger)
    assert ledger.lines() == ()
