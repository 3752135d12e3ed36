"""MixMatch and FixMatch with and without adaptive sharpening, on few small pictures and few steps."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest
import torch

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import sharpening_cifar

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None]) -> Iterator[None]:
    threads = torch.get_num_threads()
    shrink(sharpening_cifar, load_cifar10=coloured, PER_CLASS=2, UNLABELLED_ROWS=200, SEEDS=range(1), STEPS=3)
    sharpening_cifar._photographs.cache_clear()
    yield
    sharpening_cifar._photographs.cache_clear()
    torch.set_num_threads(threads)


def coloured() -> ImageSet:
    """Return pictures of 8 x 8 pixels and three channels, each class of which has a colour of its own."""
    random = np.random.default_rng(0)
    y = np.tile(np.arange(10), 30)
    colours = random.uniform(size=(10, 3))
    X = np.clip(np.tile(colours[y], 64) + 0.05 * random.standard_normal((300, 192)), 0, 1).astype(np.float32)
    return ImageSet("colours", X[:200], y[:200], X[200:], y[200:], (8, 8, 3), tuple("0123456789"))


def test_each_algorithm_stands_as_published_and_with_adaptive_sharpening(checked: Checked) -> None:
    rows = checked(sharpening_cifar.rows())
    assert [row.method for row in rows] == list(sharpening_cifar.ROWS)
    assert {row.setting for row in rows} == {"CIFAR-10, 20 labels"}
    # The thesis has another network and far more steps: its figures are of another experiment.
    assert {row.paper for row in rows} == {None}
    assert all(0 <= row.mean <= 100 for row in rows)


def test_pictures_in_colour_are_learned(shrink: Callable[..., None]) -> None:
    shrink(sharpening_cifar, STEPS=60)
    assert sharpening_cifar.error("fixmatch, PL", 0) < 40
