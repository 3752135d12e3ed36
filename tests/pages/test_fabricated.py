"""The page of a fabricated table says what its rows keep, and what they do not."""

import re

import numpy as np
import pytest

from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows import METHODS as ROW_METHODS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.kinds.registry import fabricating_kinds
from tacit.pages.fabricated import KEPT, MOST_CORRELATED, FabricatedFacts, fabricated_page


def facts(n_columns: int = 3, **changes: object) -> FabricatedFacts:
    schema = Schema((*(Numeric(f"c{place}", (0, 1)) for place in range(n_columns)), Label("ill", ("no", "yes"))))
    X = np.random.default_rng(0).random((80, n_columns))
    made = fabricate(X, np.arange(80) % 2, schema, unit="record", epsilon=1.0, delta=1e-6, rows=40)
    rows = Encoded(made.X, made.y, schema.encoded_names, schema.classes)
    return FabricatedFacts(rows, schema, made.card, **changes)  # type: ignore[arg-type]  # tests vary them all


def headings(text: str) -> list[str]:
    return re.findall("<h2>(.*?)</h2>", text)


def test_every_way_to_fabricate_rows_says_what_it_does_not_keep() -> None:
    assert set(KEPT) == set(fabricating_kinds()) == {*ROW_METHODS, "marginals"}


@pytest.mark.parametrize("method", sorted(KEPT))
def test_the_page_lists_what_is_not_kept(method: str) -> None:
    text = fabricated_page(facts(method=method))
    kept, lost = KEPT[method]
    assert "What is not kept" in headings(text)
    assert kept in text
    assert all(f"<li>{each}.</li>" in text for each in lost)


def test_an_unknown_way_claims_nothing() -> None:
    assert "What is not kept" not in headings(fabricated_page(facts(method="of another tool")))


def test_correlations_are_shown_with_names_up_to_a_number_of_columns() -> None:
    assert 'title="c0 and c1:' in fabricated_page(facts())
    assert "Columns in pairs" not in headings(fabricated_page(facts(MOST_CORRELATED + 1)))


def test_of_private_rows_beside_them_the_page_says_what_was_lost_and_warns() -> None:
    made = facts()
    together = np.tile(np.linspace(0, 1, 80)[:, None], (1, 3))
    original = Encoded(together, np.arange(80) % 2, made.schema.encoded_names, made.schema.classes)
    text = fabricated_page(facts(original=original, method="moments"))
    assert re.search(r"Least kept: c\d and c\d .* instead of \+1", text)
    assert 'role="alert"' in text
