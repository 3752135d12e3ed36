import pytest

from tacit.errors import BudgetError, InputError
from tacit.privacy import accounting
from tacit.privacy.account import Account
from tacit.privacy.batched_steps import BatchedStep
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.mechanisms import Laplace

NOISE = Laplace.for_epsilon(0.5, sensitivity=1.0)


def test_six_draws_in_batches_cost_what_two_passes_do() -> None:
    step = BatchedStep(NOISE, "sums", "three disjoint batches, twice", times=6, charged=2)
    assert accounting.epsilon(step.event, delta=0.0) == pytest.approx(1.0)
    account = Account.open([step], budget=Budget(1.0, unit=Unit.PAIR), random_state=0)
    for _ in range(6):
        account.release(NOISE, [0.0])  # type: ignore[arg-type]
    with pytest.raises(BudgetError, match="as often as planned"):
        account.release(NOISE, [0.0])  # type: ignore[arg-type]
    assert account.card("sums", adjacency="one pair").parts[0].event == step.event


def test_a_step_without_a_reason_or_with_no_draw_is_refused() -> None:
    with pytest.raises(InputError, match="because"):
        BatchedStep(NOISE, "sums", "", times=6, charged=2)
    with pytest.raises(InputError, match="charged"):
        BatchedStep(NOISE, "sums", "batches", times=6, charged=0)
