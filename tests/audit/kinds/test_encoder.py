"""The audits of the private autoencoder."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.audit.kinds.encoder import (
    EXTRA,
    _added,
    _fit_game,
    _log_ratio,
    _query_game,
    _recorded_fit,
    _small_tables,
    _with_noise,
    cases,
)
from tacit.errors import InputError
from tacit.privacy.mechanisms import Gaussian, Laplace, Staircase


def test_less_noise_and_the_printed_algorithm_are_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control", seed=0, least=3) == []


def test_every_fit_uses_no_more_than_its_sensitivity(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "replay", seed=0, least=5) == []


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_one_query_passes_with_its_own_noise(delta: float) -> None:
    result = _query_game(0, delta=delta).play(6_000)
    assert result.passed
    assert result.lower_bound > 0.2


def test_what_the_record_adds_is_the_difference_of_the_queries() -> None:
    fewer, more = _small_tables()
    settings = {"delta": 1e-3, "hidden": (1,), "draw": 0}
    model, without = _recorded_fit(fewer, 4.0, **settings)
    first_layer = _added(model)[0]
    _, present = _recorded_fit(more, 4.0, **settings)
    # Rows are shortened a little, so that rounding does not lengthen them.
    np.testing.assert_allclose(present[0].values - without[0].values, first_layer, atol=1e-3)
    assert len(without) == len(_added(model)) == 2
    assert len(more[0]) == len(fewer[0]) + len(EXTRA[0])


def test_the_log_ratio_is_that_of_two_normal_densities() -> None:
    rng = np.random.default_rng(0)
    beyond, added = rng.normal(size=3), rng.normal(size=3)
    by_hand = (-((beyond - added) ** 2).sum() + (beyond**2).sum()) / (2 * 1.5**2)
    assert _log_ratio(Gaussian(1.5, 1.0), beyond, added) == pytest.approx(by_hand)


def test_only_the_noises_of_the_autoencoder_are_scaled() -> None:
    assert _with_noise(Laplace(2.0, 1.0), 0.5) == Laplace(1.0, 1.0)
    assert _with_noise(Gaussian(2.0, 1.0), 0.5) == Gaussian(1.0, 1.0)
    with pytest.raises(InputError, match="Laplace or Gaussian noise; got staircase"):
        _with_noise(Staircase(1.0, 1.0), 0.5)
    with pytest.raises(InputError, match="for Gaussian noise; got laplace"):
        _log_ratio(Laplace(1.0, 1.0), np.zeros(2), np.zeros(2))


def test_whole_fits_show_the_record_and_pass() -> None:
    game = _fit_game(seed=1)
    assert game.second(20).mean() > game.first(20).mean()
    assert game.play(30).passed
