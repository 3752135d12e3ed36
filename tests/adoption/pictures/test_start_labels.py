import numpy as np
import pytest
from scipy.special import softmax

from tacit.adoption.pictures.start_labels import SHARPNESS, class_leads, guessed_shares, soft_labels, start_codes

SCORES = np.random.RandomState(0).normal(size=(200, 3))
EQUAL = np.full(3, 1 / 3)


def test_a_lead_is_the_distance_to_the_best_other_class() -> None:
    expected = [
        [row[code] - max(value for other, value in enumerate(row) if other != code) for code in range(3)]
        for row in SCORES
    ]
    assert class_leads(SCORES) == pytest.approx(np.array(expected))


def test_equal_scores_lead_nowhere() -> None:
    assert not class_leads(np.ones((4, 3))).any()


def test_the_surest_rows_of_each_class_are_started() -> None:
    codes = start_codes(SCORES, EQUAL)
    assert np.bincount(codes[codes >= 0]).tolist() == [40, 40, 40]
    leads = class_leads(SCORES)
    for code in range(3):
        mine, others = codes == code, (SCORES.argmax(axis=1) == code) & (codes != code)
        assert leads[mine, code].min() >= leads[others, code].max()


def test_classes_are_started_by_their_shares_and_no_row_twice() -> None:
    codes = start_codes(SCORES, np.array([0.8, 0.1, 0.1]))
    counts = np.bincount(codes[codes >= 0], minlength=3)
    assert counts[1:].tolist() == [12, 12]
    assert 70 < counts[0] <= 96
    assert (codes[codes > 0] == SCORES.argmax(axis=1)[codes > 0]).all()


def test_a_class_of_no_share_starts_nowhere_and_one_row_is_enough() -> None:
    assert not (start_codes(SCORES, np.array([0.5, 0.5, 0.0])) == 2).any()
    assert start_codes(np.array([[0.0, 2.0]]), np.array([0.0, 1.0])).tolist() == [1]


def test_guessed_shares_count_best_classes() -> None:
    counts = np.bincount(SCORES.argmax(axis=1)) / 200
    assert guessed_shares(SCORES) == pytest.approx(counts)
    assert guessed_shares(np.array([[1.0, 0.0]]))[1] > 0


def test_soft_labels_are_sharp_and_keep_stated_shares() -> None:
    assert soft_labels(SCORES) == pytest.approx(softmax(SHARPNESS * SCORES, axis=1))
    stated = np.array([0.6, 0.3, 0.1])
    assert soft_labels(SCORES, stated).mean(axis=0) == pytest.approx(stated, abs=1e-3)
