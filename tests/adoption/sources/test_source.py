"""What the engine takes from a release's scores, and how far it trusts its card."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import softmax
from scipy.stats import norm

from tacit.adoption.average.hypotheses import UNCALIBRATED_SD, WEIGHT_SD
from tacit.adoption.sources.source import (
    FULL_SPREAD,
    INFORMATIVE,
    LARGEST_SCORE,
    LEAST_TRUST,
    MOST_TRUST,
    USUAL_Z,
    WEIGHT_DRIFT,
    Reliability,
    Source,
    all_scores,
    clean_scores,
    informative_probability,
    trust_on_rows,
)
from tacit.errors import InputError


def test_clean_scores_are_centred_and_keep_differences_of_classes() -> None:
    raw = np.array([[1.0, 2.0, 6.0], [0.0, 0.0, 3.0]])
    clean = clean_scores(raw, 2, 3)
    assert clean.values.sum(axis=1) == pytest.approx(0)
    assert clean.values - clean.values[:, :1] == pytest.approx(raw - raw[:, :1])
    assert clean.n_unusable == 0


@pytest.mark.parametrize("hostile", [1e300, -1e300, np.inf, 1e12])
def test_huge_scores_become_large_ones(hostile: float) -> None:
    clean = clean_scores(np.array([[0.0, hostile], [0.0, 1.0]]), 2, 2)
    assert np.isfinite(clean.values).all()
    assert np.abs(clean.values).max() <= LARGEST_SCORE


def test_a_row_without_finite_scores_scores_as_the_mean_row_and_is_counted() -> None:
    raw = np.array([[0.0, 2.0], [0.0, 4.0], [np.nan, 1.0]])
    clean = clean_scores(raw, 3, 2)
    assert clean.n_unusable == 1
    assert clean.values[2] == pytest.approx(clean.values[:2].mean(axis=0))


def test_a_class_that_a_release_does_not_know_is_as_likely_in_every_row() -> None:
    clean = clean_scores(np.array([[1.0, np.nan, 3.0], [5.0, np.nan, 1.0]]), 2, 3)
    assert clean.known.tolist() == [True, False, True]
    assert softmax(clean.values, axis=1)[:, 1] == pytest.approx(1 / 3)
    assert clean.values[:, 2] - clean.values[:, 0] == pytest.approx([2.0, -4.0])


def test_a_release_that_knows_one_class_says_nothing() -> None:
    assert not clean_scores(np.array([[1.0, np.nan], [3.0, np.nan]]), 2, 2).values.any()


def test_scores_of_another_shape_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"scores of clinic must have shape \(2, 3\)"):
        clean_scores(np.zeros((2, 2)), 2, 3, name="clinic")


def test_a_source_is_not_asked_about_no_rows() -> None:
    def refuse(_: np.ndarray) -> np.ndarray:
        raise AssertionError

    assert all_scores([Source("a", refuse)], np.empty((0, 4)), 2)[0].values.shape == (0, 2)


def test_trust_grows_with_what_the_card_shows_and_stays_within_its_bounds() -> None:
    weak = Reliability(separation=0.1, separation_z=2.0, rows_times_mu=50.0)
    strong = Reliability(separation=1.5, separation_z=100.0, rows_times_mu=1e4)
    assert LEAST_TRUST <= weak.trust < strong.trust <= MOST_TRUST
    assert LEAST_TRUST < Reliability(separation_z=1.0).trust < Reliability(separation_z=2.0).trust
    assert Reliability(separation_z=-9.0).trust == pytest.approx(LEAST_TRUST, abs=0.02)
    assert Reliability().trust == MOST_TRUST


def test_more_rows_and_less_noise_count_more() -> None:
    assert Reliability(rows_times_mu=1e4).precision > Reliability(rows_times_mu=300.0).precision
    assert Reliability(noise_share=0.1).precision > Reliability(noise_share=0.9).precision


@pytest.mark.parametrize("z", [-3.0, -0.5, 0.0, 1.0, 2.5, 6.0])
def test_the_probability_of_holding_something_is_that_of_the_integral(z: float) -> None:
    held = quad(lambda s: norm.pdf(z - s) * 2 * norm.pdf(s, scale=USUAL_Z), 0, 60)[0]
    held, nothing = INFORMATIVE * held, (1 - INFORMATIVE) * norm.pdf(z)
    assert informative_probability(z) == pytest.approx(held / (held + nothing))


def test_without_labels_only_a_check_clearly_above_its_noise_is_trusted() -> None:
    assert Reliability().clear_trust == MOST_TRUST
    assert Reliability(separation=1.0, separation_z=4.0).clear_trust > 0.4
    assert Reliability(separation=9.0, separation_z=2.0).clear_trust == LEAST_TRUST
    assert Reliability(separation=9.0, separation_z=0.0).clear_trust == LEAST_TRUST
    # Many rows of shuffled labels: a separation of nothing, sure as it is.
    assert Reliability(separation=0.05, separation_z=9.0).clear_trust < 0.1


def test_a_separation_that_noise_may_have_hidden_costs_no_trust() -> None:
    hidden, small = Reliability(separation=0.3, separation_z=1.0), Reliability(separation=0.2, separation_z=20.0)
    assert hidden.trust == pytest.approx(Reliability(separation_z=1.0).trust)
    assert small.trust < 0.5 * Reliability(separation_z=20.0).trust


def test_trust_falls_where_scores_hardly_differ_between_rows() -> None:
    margin = np.random.default_rng(0).normal(size=400)
    scores = np.stack([-margin / 2, margin / 2], axis=1)
    assert trust_on_rows(0.6, scores) == pytest.approx(0.6)
    assert trust_on_rows(0.6, scores / 4) == pytest.approx(0.02 + 0.58 * (margin.std() / 4 / FULL_SPREAD) ** 2)
    assert trust_on_rows(0.6, np.zeros((5, 3))) == LEAST_TRUST


def test_the_weight_of_calibrated_scores_is_known_the_better_the_more_rows_they_were_made_from() -> None:
    def deviation(amount: float | None, *, calibrated: bool = True) -> float:
        return Source("a", None, Reliability(rows_times_mu=amount), calibrated=calibrated).weight_sd

    assert deviation(500.0) == pytest.approx(np.sqrt(0.2**2 + 8 / 500))
    assert WEIGHT_DRIFT < deviation(1e6) < deviation(1e3) < deviation(100.0) < WEIGHT_SD
    assert deviation(0.0) == deviation(None) == WEIGHT_SD
    assert deviation(1e6, calibrated=False) == UNCALIBRATED_SD


def test_the_best_class_of_a_sure_row_stays_the_best() -> None:
    raw = np.array([[30.0, 20.0, -40.0, -10.0], [0.1, 0.2, 0.3, 0.4]])
    clean = clean_scores(raw, 2, 4).values
    assert np.argsort(clean[0]).tolist() == np.argsort(raw[0]).tolist()
    assert np.abs(clean).max() <= LARGEST_SCORE
    assert clean[1] == pytest.approx(raw[1] - raw[1].mean())
