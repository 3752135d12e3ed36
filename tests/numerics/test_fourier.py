import numpy as np

from tacit.numerics.fourier import fourier_features, frequencies


def test_inner_products_approach_the_gaussian_kernel() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(20, 4)).astype(np.float32)
    phi = fourier_features(X, frequencies(4, 20_000, gamma=0.7))
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    assert np.abs(phi @ phi.T - np.exp(-0.7 * distances)).max() < 0.04


def test_rows_have_unit_length_and_the_map_is_fixed() -> None:
    X = np.random.default_rng(1).random((7, 3), dtype=np.float32)
    phi = fourier_features(X, frequencies(3, 500))
    assert np.allclose(np.linalg.norm(phi, axis=1), 1.0, atol=1e-5)
    # A public map: owner and receiver must draw the same one, on any machine.
    assert np.allclose(frequencies(3, 500).values[0, :3], [2.4947667, 0.56590325, 1.3841449], atol=1e-5)
