from typing import Any

import numpy as np
import pytest

from tacit import Budget
from tacit.arrays import FloatArray
from tacit.audit.replay import QueryRecorder, replay
from tacit.errors import SensitivityError
from tacit.privacy.account import Account, Step, observed_by
from tacit.privacy.mechanisms import Laplace

BUDGET = Budget(1, unit="record")
TABLE = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
NEIGHBOUR = np.vstack([TABLE, [[1.0, 1.0]]])


def released_sum(rows: FloatArray, *, sensitivity: float) -> FloatArray:
    mechanism = Laplace.for_epsilon(1.0, sensitivity=sensitivity, coordinates=2)
    account = Account.open([Step(mechanism, "sum", "rows lie in [0, 1]²")], budget=BUDGET, random_state=0)
    return account.release(mechanism, rows.sum(axis=0))


def test_a_right_declaration_passes_and_its_share_is_measured() -> None:
    outcome = replay(lambda rows: {"sum": released_sum(rows, sensitivity=2.0)}, TABLE, NEIGHBOUR).require()
    assert outcome.queries == 1
    assert outcome.largest_share == pytest.approx(1.0)


def test_a_query_that_moves_further_than_declared_is_found() -> None:
    outcome = replay(lambda rows: {"sum": released_sum(rows, sensitivity=1.0)}, TABLE, NEIGHBOUR)
    assert "moved by 2, declared at most 1" in str(outcome.findings[0])
    with pytest.raises(SensitivityError, match="moved by 2"):
        outcome.require()


def test_a_sensitivity_taken_from_the_batchs_own_maximum_is_found() -> None:
    outcome = replay(lambda rows: {"sum": released_sum(rows, sensitivity=2 * rows.max())}, TABLE, NEIGHBOUR)
    assert any("settings depend on the data" in str(finding) for finding in outcome.findings)


def test_a_result_that_passed_through_no_mechanism_is_found() -> None:
    def leaky(rows: FloatArray) -> dict[str, Any]:
        return {"sum": released_sum(rows, sensitivity=2.0), "largest": rows.max()}

    outcome = replay(leaky, TABLE, NEIGHBOUR)
    assert [str(finding) for finding in outcome.findings] == [
        "result 'largest': differs although every noisy answer was the same: it leaks"
    ]


def test_a_number_of_queries_that_depends_on_the_data_is_found() -> None:
    def adaptive(rows: FloatArray) -> dict[str, Any]:
        return {"sum": np.mean([released_sum(rows, sensitivity=2.0) for _ in range(len(rows))])}

    assert any("number of queries" in str(finding) for finding in replay(adaptive, TABLE, NEIGHBOUR).findings)
    assert any("number of queries" in str(finding) for finding in replay(adaptive, NEIGHBOUR, TABLE).findings)


def test_a_shape_that_depends_on_the_data_is_found() -> None:
    def ragged(rows: FloatArray) -> dict[str, Any]:
        mechanism = Laplace.for_epsilon(1.0, sensitivity=2.0, coordinates=2)
        account = Account.open([Step(mechanism, "rows", "")], budget=BUDGET, random_state=0)
        return {"rows": account.release(mechanism, rows)}

    assert any("shape" in str(finding) for finding in replay(ragged, TABLE, NEIGHBOUR).findings)


def test_a_recorder_keeps_each_query_with_its_answer_and_changes_nothing() -> None:
    recorder = QueryRecorder()
    with observed_by(recorder.record):
        answer = released_sum(TABLE, sensitivity=2.0)
    (query,) = recorder.queries
    np.testing.assert_array_equal(query.values, TABLE.sum(axis=0))
    np.testing.assert_array_equal(query.answer, answer)
    np.testing.assert_array_equal(answer, released_sum(TABLE, sensitivity=2.0))
    assert query.mechanism.sensitivity == 2.0


def test_a_result_that_one_of_the_two_inputs_lacks_is_found() -> None:
    def uneven(rows: FloatArray) -> dict[str, Any]:
        released: dict[str, Any] = {"sum": released_sum(rows, sensitivity=2.0)}
        return released if len(rows) == 3 else {**released, "more": 1}

    outcome = replay(uneven, TABLE, NEIGHBOUR)
    assert [str(finding) for finding in outcome.findings] == [
        "result 'more': handed out for one of the two inputs only"
    ]
