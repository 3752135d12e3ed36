"""Numbers that keep a promise formally and protect little are said aloud."""

import pytest

from tacit.privacy.account import Account, Step
from tacit.privacy.budget import DEFAULT_DELTA, Budget, cautions, clipping_cautions
from tacit.privacy.mechanisms import Gaussian, Laplace


@pytest.mark.parametrize(
    ("epsilon", "delta", "n_rows", "words"),
    [
        (1, 0.5, None, "delta 0.5 is large"),
        (1, 1e-3, None, "in a table of more than 1000 rows"),
        (1, 1e-4, 10_000, "delta 0.0001 is at least 1 over the number of rows"),
        (1, 1e-4, 20_000, "publishing one record in full"),
        (25, 0, None, "lets odds change by a factor of 7e+10"),
        (1e-7, 0, None, "does not depend on the table any more"),
        (1, 0, 3, "the table has 3 rows"),
    ],
)
def test_a_weak_promise_is_said_to_be_weak(epsilon: float, delta: float, n_rows: int | None, words: str) -> None:
    found = cautions(Budget(epsilon, delta, unit="record"), n_rows=n_rows)
    assert any(words in each for each in found)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, DEFAULT_DELTA), (20, 0), (1e-6, 1e-9), (0.1, 9e-4)])
def test_an_ordinary_promise_is_not_warned_about(epsilon: float, delta: float) -> None:
    assert cautions(Budget(epsilon, delta, unit="record")) == ()
    assert cautions(Budget(epsilon, 0, unit="record"), n_rows=1000) == ()


def test_a_column_of_which_nothing_is_left_is_named() -> None:
    (found,) = clipping_cautions({"age": 1.0, "pressure": 0.99})
    assert found.startswith("column 'age': every value lies at or beyond a bound")


def test_several_columns_of_nothing_are_one_sentence_and_none_is_none() -> None:
    (sentence,) = clipping_cautions({"age": 1.0, "dose": 1.0, "pressure": 0.2})
    assert sentence.startswith("columns 'age', 'dose': every value lies at or beyond a bound")
    assert clipping_cautions({"pressure": 0.2}) == ()


def test_a_card_with_a_large_delta_does_not_open_as_if_all_were_well() -> None:
    gaussian = Gaussian.for_budget(1.0, 0.5, sensitivity=1.0)
    account = Account.open([Step(gaussian, "a sum", "rows are short")], budget=Budget(1, 0.5, unit="record"))
    page = " ".join(account.card("a sum", adjacency="one row more").to_text().split())
    assert page.startswith("WEAK: delta 0.5 is large")
    sound = Account.open(
        [Step(Laplace.for_epsilon(1.0, sensitivity=1.0), "a sum", "")], budget=Budget(1, unit="record")
    )
    assert sound.card("a sum", adjacency="one row more").to_text().startswith("This release is differentially private")
