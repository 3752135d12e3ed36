"""Faults of pictures are what they are called, stay in bounds, and a seed repeats them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.experiments import picture_faults
from tacit.experiments.picture_faults import FAULTS, faulty

PICTURES = np.random.default_rng(0).uniform(0.2, 0.8, (6, 12, 16, 3))


def changed(fault: str) -> np.ndarray:
    return FAULTS[fault](PICTURES, np.random.RandomState(1))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_picture_has_its_shape_and_bounds_and_a_seed_repeats_it(fault: str) -> None:
    first, again = faulty(PICTURES, fault, 3), faulty(PICTURES, fault, 3)
    assert first.shape == PICTURES.shape
    assert (first.min(), first.max()) >= (0, 0)
    assert first.max() <= 1
    assert_array_equal(first, again)
    assert np.abs(first - PICTURES).mean() > 0.01


@pytest.mark.parametrize("fault", ["gaussian", "shot", "impulse", "glass", "snow", "frost", "fog", "elastic"])
def test_faults_by_chance_differ_by_seed(fault: str) -> None:
    assert not np.array_equal(faulty(PICTURES, fault, 0), faulty(PICTURES, fault, 1))


def test_all_fifteen_of_the_table_are_there_and_made_up_frost_is_said_to_be() -> None:
    assert len(FAULTS) == 15
    assert "Frost is made up" in " ".join((picture_faults.__doc__ or "").split())


def test_frost_dims_a_picture_and_lays_bright_ridges_over_it() -> None:
    grey = np.full((4, 24, 24, 3), 0.5)
    ice = FAULTS["frost"](grey, np.random.RandomState(0))
    assert ice.min() == pytest.approx(0.3, abs=0.05)
    assert (ice > 0.9).mean() == pytest.approx(0.15, abs=0.1)
    assert (ice[..., 2] >= ice[..., 0]).all()
    bare = FAULTS["frost"](grey[..., :1], np.random.RandomState(0))
    assert_allclose(bare[..., 0], ice[..., 2])


def test_noise_has_its_law() -> None:
    assert (changed("gaussian") - PICTURES).std() == pytest.approx(0.25, rel=0.05)
    assert (changed("impulse") != PICTURES).mean() == pytest.approx(0.2, abs=0.03)
    counts = changed("shot")
    assert_allclose(counts * 3, np.round(counts * 3))
    assert counts.mean() == pytest.approx(PICTURES.mean(), rel=0.05)


@pytest.mark.parametrize("fault", ["defocus", "motion"])
def test_blur_keeps_the_mean_of_a_flat_picture_and_lowers_the_spread(fault: str) -> None:
    flat = np.full((1, 9, 9, 1), 0.4)
    assert_allclose(FAULTS[fault](flat, np.random.RandomState(0)), flat)
    assert changed(fault).std() < 0.6 * PICTURES.std()


def test_glass_takes_pixels_from_nearby_alone() -> None:
    ramp = np.broadcast_to(np.arange(16.0)[None, None, :, None] / 16, (1, 12, 16, 1))
    moved = FAULTS["glass"](ramp, np.random.RandomState(0))
    assert np.abs(moved - ramp).max() <= 2 / 16 + 1e-12
    assert set(np.unique(moved)) <= set(np.unique(ramp))


def test_a_zoomed_picture_keeps_its_middle() -> None:
    dot = np.zeros((1, 9, 9, 1))
    dot[0, 4, 4] = 1
    blurred = FAULTS["zoom"](dot, np.random.RandomState(0))
    assert blurred[0, 4, 4, 0] == pytest.approx(1)
    assert blurred.argmax() == dot.argmax()


def test_contrast_and_brightness_are_affine() -> None:
    mean = PICTURES.mean(axis=(1, 2), keepdims=True)
    assert_allclose(changed("contrast"), mean + 0.3 * (PICTURES - mean))
    assert_allclose(changed("brightness") - PICTURES, 0.4)


def test_pixels_of_a_block_are_its_mean() -> None:
    blocks = changed("pixelate")
    assert_allclose(blocks[0, :4, 4:8, 1], PICTURES[0, :4, 4:8, 1].mean())


def test_a_coarse_file_keeps_whole_steps_of_a_block_mean() -> None:
    flat = np.full((1, 4, 4, 1), 0.5)
    # The cosine of a flat block of 16 pixels is four times its value: 2.0 is five steps of 0.4.
    assert_allclose(FAULTS["jpeg"](flat, np.random.RandomState(0)), 0.5)
    assert_allclose(FAULTS["jpeg"](flat * 0.96, np.random.RandomState(0)), 0.5)
