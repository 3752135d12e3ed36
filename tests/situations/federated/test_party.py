"""Parties and the aggregator together, in one process."""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from tacit.data.public.schemas import image_schema
from tacit.errors import InputError
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import gathered, private_rows
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.situations.federated.distances import decide
from tacit.situations.federated.party import Party, make_party, private_parties, query_parties

CLASSES = np.arange(10)
Digits = tuple[np.ndarray, ...]


@pytest.fixture(scope="module")
def digits() -> Digits:
    X, y = load_digits(return_X_y=True)
    return tuple(train_test_split(X / 16, y, random_state=0, train_size=900))


def accuracy(parties: list[Party], new: np.ndarray, truth: np.ndarray) -> float:
    return float((decide(query_parties(parties, new, CLASSES), CLASSES) == truth).mean())


def test_parties_with_classes_of_their_own_decide_as_one_party_with_all_of_them(digits: Digits) -> None:
    X, new, y, truth = digits
    split = [make_party(X[y % 4 == part], y[y % 4 == part], model=AffineHullClassifier()) for part in range(4)]
    whole = AffineHullClassifier().fit(X, y)
    expected = whole.class_distances(new)
    found = np.min(query_parties(split, new, CLASSES), axis=0)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
    assert accuracy(split, new, truth) > 0.97


def test_parties_with_a_third_of_the_rows_each_decide_better_than_one_of_them(digits: Digits) -> None:
    X, new, y, truth = digits
    parties = [make_party(X[part::3], y[part::3]) for part in range(3)]
    together = accuracy(parties, new, truth)
    assert together > 0.96
    assert together >= np.mean([accuracy([party], new, truth) for party in parties])


def test_private_parties_lose_little_to_one_hand_and_gain_over_noisy_rows_as_they_are(digits: Digits) -> None:
    X, new, y, truth = digits
    schema = image_schema((8, 8), tuple("0123456789"))
    parts = [
        private_rows(NOISY_ROWS.release(X[k::3], y[k::3], schema, epsilon=1.0, delta=1e-9, random_state=k))
        for k in range(3)
    ]
    naive = [make_party(part.rows, part.codes) for part in parts]
    shared = accuracy(private_parties(parts), new, truth)
    in_one_hand = accuracy(private_parties(gathered(parts)), new, truth)
    assert shared > accuracy(naive, new, truth) + 0.03
    assert shared > in_one_hand - 0.03


def test_a_party_that_answers_nonsense_is_refused(digits: Digits) -> None:
    X, new, y, _ = digits

    class Broken(AffineHullClassifier):
        def class_distances(self, X: ArrayLike) -> np.ndarray:
            return np.full((len(np.asarray(X)), 10), np.nan)

    with pytest.raises(InputError, match="NaN"):
        query_parties([make_party(X, y, model=Broken())], new, CLASSES)
