from typing import Any

import numpy as np
import pytest

from tacit import Budget
from tacit.arrays import FloatArray
from tacit.audit.replay import replay
from tacit.errors import SensitivityError
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import Laplace

BUDGET = Budget(1, unit="record")
TABLE = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
NEIGHBOUR = np.vstack([TABLE, [[1.0, 1.0]]])


def released_sum(rows: FloatArray, *, sensitivity: float) -> FloatArray:
    mechanism = Laplace.for_epsilon(1.0, sensitivity=sensitivity, coordinates=2)
    account = Account.open([Step(mechanism, "sum", "rows lie in [0, 1]²")], budget=BUDGET, random_state=0)
    return account.release(mechanism, rows.sum(axis=0))


def test_a_right_declaration_passes_and_its_share_is_measured() -> None:
    seen = replay(lambda rows: {"sum": released_sum(rows, sensitivity=2.0)}, TABLE, NEIGHBOUR).require()
    assert seen.queries == 1
    assert seen.largest_share == pytest.approx(1.0)


def test_a_query_that_moves_further_than_declared_is_found() -> None:
    seen = replay(lambda rows: {"sum": released_sum(rows, sensitivity=1.0)}, TABLE, NEIGHBOUR)
    assert "moved by 2, declared at most 1" in str(seen.findings[0])
    with pytest.raises(SensitivityError, match="moved by 2"):
        seen.require()


def test_a_sensitivity_taken_from_the_batchs_own_maximum_is_found() -> None:
    seen = replay(lambda rows: {"sum": released_sum(rows, sensitivity=2 * rows.max())}, TABLE, NEIGHBOUR)
    assert any("settings depend on the data" in str(finding) for finding in seen.findings)


def test_a_result_that_passed_through_no_mechanism_is_found() -> None:
    def leaky(rows: FloatArray) -> dict[str, Any]:
        return {"sum": released_sum(rows, sensitivity=2.0), "largest": rows.max()}

    seen = replay(leaky, TABLE, NEIGHBOUR)
    assert [str(finding) for finding in seen.findings] == [
        "result 'largest': differs although every noisy answer was the same: it leaks"
    ]


def test_a_number_of_queries_that_depends_on_the_data_is_found() -> None:
    def adaptive(rows: FloatArray) -> dict[str, Any]:
        return {"sum": np.mean([released_sum(rows, sensitivity=2.0) for _ in range(len(rows))])}

    assert any("number of queries" in str(each) for each in replay(adaptive, TABLE, NEIGHBOUR).findings)
    assert any("number of queries" in str(each) for each in replay(adaptive, NEIGHBOUR, TABLE).findings)


def test_a_shape_that_depends_on_the_data_is_found() -> None:
    def ragged(rows: FloatArray) -> dict[str, Any]:
        mechanism = Laplace.for_epsilon(1.0, sensitivity=2.0, coordinates=2)
        account = Account.open([Step(mechanism, "rows", "")], budget=BUDGET, random_state=0)
        return {"rows": account.release(mechanism, rows)}

    assert any("shape" in str(finding) for finding in replay(ragged, TABLE, NEIGHBOUR).findings)
