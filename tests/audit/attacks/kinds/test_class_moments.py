"""The views of class moments: means of features per record, moments of noisy rows per entry."""

import numpy as np

from tacit.audit.attacks.kinds.class_moments import entry_target, record_target
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.class_moments.features import features_of
from tacit.releases.file import Release

SCHEMA = Schema((*(Numeric(f"x{k}", (0, 1)) for k in range(4)), Label("ill", ("no", "yes"))))
RNG = np.random.default_rng(0)
X, Y = RNG.random((400, 4)), np.arange(400) % 2


def released(unit: str) -> Release:
    return CLASS_MOMENTS.release(X, Y, SCHEMA, unit=unit, epsilon=100.0, delta=1e-6, random_state=0)


def test_with_nearly_no_noise_the_rows_are_the_means_of_the_features() -> None:
    attacked = record_target(released("record"), SCHEMA, None)
    features = features_of(SCHEMA)(X).astype(np.float64)
    np.testing.assert_allclose(attacked.view.embed(X), features)
    means = np.array([features[code == Y].mean(axis=0) for code in (0, 1)])
    np.testing.assert_allclose(attacked.view.rows, means, atol=0.01)
    assert attacked.view.moments is not None
    assert attacked.view.moments.covariances is None


def test_per_entry_the_covariances_and_the_noise_are_read_too() -> None:
    release = released("entry")
    attacked = entry_target(release, SCHEMA, None)
    assert attacked.view.embed(X) is X
    moments = attacked.view.moments
    assert moments is not None
    np.testing.assert_array_equal(moments.covariances, release.arrays["covariances"])
    np.testing.assert_array_equal(moments.noise, release.arrays["noise"])
    np.testing.assert_allclose(moments.means, [X[code == Y].mean(axis=0) for code in (0, 1)], atol=0.02)


def test_a_class_that_noise_emptied_counts_as_one_row() -> None:
    release = released("record")
    emptied = Release(
        release.kind,
        {**release.arrays, "counts": np.array([-3.0, 200.0])},
        release.settings,
        release.card,
        schema=release.schema,
    )
    attacked = record_target(emptied, SCHEMA, None)
    np.testing.assert_allclose(attacked.view.rows[0], release.arrays["sums"][0])
