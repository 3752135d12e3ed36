import numpy as np
import pytest

from tacit.models.class_moments.moments import class_moments, denoised, denoised_squares


@pytest.mark.parametrize("clean", [0.0, 0.2, 0.77, 1.0])
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_denoised_values_have_the_clean_mean(clean: float, scale: float) -> None:
    """By a sum over a fine grid of the noise's quantiles instead of draws."""
    t = (np.arange(400_000) + 0.5) / 400_000
    noise = np.where(t < 0.5, scale * np.log(2 * t), -scale * np.log(2 * (1 - t)))
    assert denoised(clean + noise, scale).mean() == pytest.approx(clean, abs=1e-3)
    assert denoised_squares(clean + noise, scale).mean() == pytest.approx(clean**2, abs=2e-2)
    assert denoised(clean + noise, scale).var() < noise.var()


def test_moments_of_noisy_rows_estimate_those_of_clean_ones() -> None:
    rng = np.random.default_rng(0)
    mixing = rng.random((3, 5)) / 3
    clean = rng.random((40_000, 3)) @ mixing
    codes = np.arange(40_000) % 2
    clean[codes == 1] *= 0.5
    moments = class_moments(clean + rng.laplace(scale=0.5, size=clean.shape), codes, 3, 0.5)
    for code in (0, 1):
        mine = clean[codes == code]
        assert np.abs(moments.means[code] - mine.mean(axis=0)).max() < 0.03
        assert np.abs(moments.covariances[code] - np.cov(mine.T)).max() < 0.03
    assert moments.counts.tolist() == [20_000, 20_000, 0]
    assert np.all(moments.means[2] == 0)


def test_without_noise_moments_are_exact() -> None:
    rng = np.random.default_rng(1)
    clean = rng.random((500, 4))
    moments = class_moments(clean, np.zeros(500, dtype=np.intp), 1, 0.0)
    assert np.allclose(moments.means[0], clean.mean(axis=0))
    assert np.allclose(moments.covariances[0], np.cov(clean.T, bias=True), atol=1e-5)


def test_the_noise_of_denoised_values_is_that_of_both_estimates_of_squares() -> None:
    rng = np.random.default_rng(2)
    scale = np.array([0.5, 2.0, 0.1])
    noisy = rng.random((1000, 3)) + rng.laplace(size=(1000, 3)) * scale
    codes = rng.integers(0, 2, 1000)
    moments = class_moments(noisy, codes, 2, scale)
    differences = denoised(noisy, scale) ** 2 - denoised_squares(noisy, scale)
    expected = [differences[codes == code].mean() for code in (0, 1)]
    assert np.allclose(moments.noise, expected)
