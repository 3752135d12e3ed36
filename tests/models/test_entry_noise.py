import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.entry_noise import MIXED, PLAIN, entry_step, entry_weights, noisy_rows
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.mechanisms import EntryNoise, Laplace

LABEL = Label("c", ("0", "1"))
NUMBERS = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 9)), LABEL))
TABLE = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 9), missing="flag"), Categorical("k", ("x", "y", "z")), LABEL))


def test_any_entry_moves_its_weighted_columns_by_at_most_two() -> None:
    weights = entry_weights(TABLE)
    assert weights.tolist() == [2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    # For each entry its columns, and the encoded values between which it can move.
    corners = [([0], [0.0], [1.0]), ([1, 2], [1.0, 0.0], [0.0, 1.0]), ([3, 4, 5], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])]
    for columns, first, second in corners:
        assert np.abs(weights[columns] * (np.array(first) - second)).sum() == 2


def test_numbers_alone_need_no_doubling() -> None:
    plain, mixed = entry_step(NUMBERS, 0.5, 1e-6, "rows"), entry_step(TABLE, 0.5, 1e-6, "rows")
    assert isinstance(plain.mechanism, EntryNoise)
    assert isinstance(mixed.mechanism, EntryNoise)
    assert (plain.mechanism.coordinates, plain.because) == (1, PLAIN)
    assert (mixed.mechanism.coordinates, mixed.because) == (2, MIXED)


@pytest.mark.parametrize("schema", [NUMBERS, TABLE])
def test_the_stated_scale_is_that_of_the_noise_in_each_column(schema: Schema) -> None:
    step = entry_step(schema, 1.0, 1e-6, "rows")
    account = Account.open([step], budget=Budget(1.0, 1e-6, unit=Unit.ENTRY), random_state=0)
    X = np.full((20_000, len(schema.encoded_names)), 0.5)
    noisy, scale = noisy_rows(account, X, schema)
    assert np.abs(noisy - X).mean(axis=0) == pytest.approx(scale, rel=0.05)


def test_a_plan_of_other_noise_is_refused() -> None:
    step = Step(Laplace.for_epsilon(1.0, sensitivity=1.0), "rows", "")
    account = Account.open([step], budget=Budget(1.0, unit=Unit.ENTRY))
    with pytest.raises(InputError, match="entry noise"):
        noisy_rows(account, np.zeros((2, 2)), NUMBERS)
