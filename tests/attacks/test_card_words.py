"""Cards promise no more than is proved: groups at their exact figure, settings, classes of one row, public bounds."""

import inspect
import re
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from tacit import PairMetric, PrivateNearestMean
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.interfaces.flower.party_folder import PartyTerms
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.models.class_moments.moments import denoised
from tacit.privacy import accounting
from tacit.situations.federated.shared_filter import statistics_of

SOURCES = Path(__file__).parents[2] / "src" / "tacit"


def test_a_person_in_two_pairs_is_promised_what_a_group_of_two_costs() -> None:
    X, y = load_iris(return_X_y=True)
    card = PairMetric(1.0, bounds=(0, 8), delta=1e-5).fit(X, y).card_
    (person,) = card.coarser
    exact = accounting.epsilon(accounting.at_group(card.event, 2), delta=card.delta)
    assert person.epsilon == exact
    assert "times epsilon" not in card.to_text()


def test_every_card_says_that_settings_were_not_chosen_on_the_private_rows() -> None:
    X = np.random.default_rng(0).random((30, 2))
    card = PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1]).fit(X, np.arange(30) % 2).card_
    assert any("settings were chosen without looking at the private rows" in each for each in card.assumptions)


def test_the_sum_of_a_class_of_one_is_its_noisy_row_and_the_terms_say_so() -> None:
    schema = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("y", ("0", "1"))))
    X, codes = np.random.default_rng(0).random((20, 2)), np.zeros(20, dtype=np.int64)
    codes[5] = 1
    private = private_rows(NOISY_ROWS.release(X, codes, schema, epsilon=1.0, delta=1e-9))
    alone = denoised(private.rows, private.scale)[5]
    assert np.allclose(statistics_of(private).sums[1], alone, rtol=1e-5)
    words = " ".join(inspect.getsource(PartyTerms).split())
    assert "The sum of a class with a single row is that noisy row" in words


def test_no_docstring_teaches_bounds_that_are_read_from_the_rows() -> None:
    taught = re.compile(r">>>.*bounds=.*\.(max|min)\(")
    assert [path.name for path in SOURCES.rglob("*.py") if taught.search(path.read_text())] == []
