from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit.errors import InputError
from tacit.models import parts
from tacit.models.membership.autoencoder import MembershipAutoencoder
from tacit.models.membership.wide import wide_filter
from tacit.numerics.kernels import Floats


def digits() -> Floats:
    return np.asarray(load_digits(return_X_y=True)[0] / 16)


@parametrize_with_checks([MembershipAutoencoder(random_state=0), MembershipAutoencoder(n_layers=2, random_state=0)])
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_reconstructs_better_than_as_many_principal_components() -> None:
    X = digits()
    model = MembershipAutoencoder(n_components=5, part_size=200, random_state=0).fit(X[:1200])
    linear = PCA(5).fit(X[:1200])
    kept = linear.inverse_transform(linear.transform(X[1200:]))
    assert model.reconstruction_errors(X[1200:]).mean() < 0.8 * ((X[1200:] - kept) ** 2).sum(axis=1).mean()


def test_its_methods_agree_with_each_other_over_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROWS_AT_ONCE", 64)
    X = digits()
    model = MembershipAutoencoder(n_layers=3, part_size=300, random_state=0, n_jobs=2).fit(X)
    new = X[:200] + 0.01
    filtered, expected = model.filter(new), wide_filter(model.parts_, new)
    assert np.allclose(filtered.rows, expected.rows, atol=1e-9)
    assert np.array_equal(filtered.parts, expected.parts)
    assert np.array_equal(filtered.layers, expected.layers)
    assert np.array_equal(model.transform(new), filtered.rows)
    assert np.allclose(model.reconstruction_errors(new), ((new - filtered.rows) ** 2).sum(axis=1))
    layers = model.reconstruct_layers(new)
    assert layers.shape == (3, 200, 64)
    assert np.allclose(layers[filtered.layers, np.arange(200)], filtered.rows, atol=1e-9)


def test_without_a_part_size_there_is_one_part() -> None:
    assert len(MembershipAutoencoder(part_size=None, random_state=0).fit(digits()).parts_) == 1


def test_a_seed_repeats_the_fit_whatever_the_number_of_jobs() -> None:
    X = digits()
    first, second, other = (
        MembershipAutoencoder(part_size=200, random_state=seed, n_jobs=n_jobs).fit(X).transform(X)
        for seed, n_jobs in ((1, None), (1, 2), (2, None))
    )
    assert np.allclose(first, second, atol=1e-9)
    assert not np.allclose(first, other, atol=1e-3)


def test_a_setting_out_of_range_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="n_components must be a whole number of at least 1; got 0"):
        MembershipAutoencoder(n_components=0).fit(digits())


def test_float32_stays_float32() -> None:
    X = digits().astype(np.float32)
    model = MembershipAutoencoder(random_state=0).fit(X)
    assert model.transform(X).dtype == model.reconstruction_errors(X).dtype == np.float32
