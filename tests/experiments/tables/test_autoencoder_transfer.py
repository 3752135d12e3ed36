"""A receiver of two digits learns from pixels, from an unlearned layer, or from an owner's encoder."""

from collections.abc import Callable, Iterable

import numpy as np

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import autoencoder_transfer
from tacit.experiments.tables.autoencoder_transfer import _feature_maps, _few_rows

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
NAMES = [
    "pixels",
    "a layer that learned nothing",
    "the owner's encoder, epsilon 1, delta 1e-05",
    "the owner's encoder, epsilon 1, delta 0",
]


def test_the_receiver_learns_from_pixels_an_unlearned_layer_or_the_owners_encoder() -> None:
    owned = np.random.default_rng(0).random((300, 49))
    feature_maps = _feature_maps(owned)
    assert list(feature_maps) == NAMES
    features = [transform(owned[:5]) for transform, _ in feature_maps.values()]
    assert [rows.shape for rows in features] == [(5, 49), (5, 24), (5, 24), (5, 24)]
    assert all(np.allclose(np.linalg.norm(rows, axis=1), 1.0) for rows in features[1:])
    assert not np.allclose(features[1], features[2])


def test_a_receiver_has_as_many_rows_as_said() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40)
    rows, labels = _few_rows((X, y), 7, seed=3)
    assert rows[:, 0].tolist() == labels.tolist()
    assert len(set(labels.tolist())) == 7


def test_each_epsilon_of_the_receiver_is_measured_and_none_at_all(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    shrink(autoencoder_transfer, load_mnist=lambda: digits(28, 1300, 300), RECEIVED=(3, 5), SEEDS=2, N_OWNED=500)
    shrink(autoencoder_transfer, N_RECEIVED=(40, 120), EPSILONS=(0.05, 8.0))
    rows = checked(autoencoder_transfer.rows())
    settings = [f"{n} rows, {promise}" for n in (40, 120) for promise in ("epsilon 0.05", "epsilon 8", "not private")]
    assert {(row.method, row.setting) for row in rows} == {(name, setting) for name in NAMES for setting in settings}
    means = {(row.method, row.setting): row.mean for row in rows}
    for name in NAMES:
        assert means[name, "120 rows, not private"] > 0.95
        assert means[name, "120 rows, epsilon 8"] > means[name, "120 rows, epsilon 0.05"]


def test_the_owner_has_none_of_the_receivers_digits(
    shrink: Callable[..., None], digits: Callable[..., ImageSet]
) -> None:
    images, sizes = digits(28, 400, 100), []

    def recorded(owned: np.ndarray) -> dict[str, object]:
        sizes.append(len(owned))
        return {}

    shrink(autoencoder_transfer, load_mnist=lambda: images, RECEIVED=(3, 5), _feature_maps=recorded, N_RECEIVED=(10,))
    assert list(autoencoder_transfer.rows()) == []
    assert sizes == [int((~np.isin(images.y_train, (3, 5))).sum())]
