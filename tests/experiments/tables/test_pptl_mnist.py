"""Private linear transfer from digits 0 and 8 to digits 0 and 9."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.data.public.datasets import ImageSet
from tacit.experiments import linear_digits
from tacit.experiments.linear_runs import DIRECT, SIMPLE, SOURCE
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pptl_mnist

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture
def images(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> ImageSet:
    images = digits(8, 1300, 400)
    shrink(linear_digits, load_mnist=lambda: images, DIRECTIONS=20, SOURCE_ROWS=160, TARGET_ROWS=100)
    shrink(pptl_mnist, RUNS=2, EPSILONS=(0.5, 8.0), ask_peer=lambda *_: None)
    return images


def test_every_method_is_measured_beside_its_published_figure(images: ImageSet, checked: Checked) -> None:
    rows = checked(pptl_mnist.rows())
    sound = [DIRECT, SOURCE, SIMPLE, *(f"PPTL-FS({f}), {a}" for f in "RW" for a in ("stack", "average"))]
    methods = [*sound, *(f"PPTL-FS({f}), as printed, lambda {s}" for f, s in (("W", 0.1), ("W", 0.01), ("R", 0.1)))]
    settings = ["epsilon 0.5", "epsilon 8"]
    assert [(row.setting, row.method) for row in rows] == [(s, method) for s in settings for method in methods]
    published = {(row.setting, row.method): row.paper for row in rows}
    assert published["epsilon 0.5", DIRECT] == pptl_mnist.PAPER[DIRECT][0]
    # The figure stands beside the algorithm that it was printed for, and beside its epsilon.
    assert published["epsilon 8", "PPTL-FS(W), as printed, lambda 0.1"] == 0.9921
    assert published["epsilon 0.5", "PPTL-FS(R), as printed, lambda 0.1"] == 0.7687
    for method in ("PPTL-FS(W), stack", "PPTL-FS(W), average", "PPTL-FS(W), as printed, lambda 0.01"):
        assert published["epsilon 8", method] is None
    areas = {(row.setting, row.method): row.mean for row in rows}
    assert areas["epsilon 8", DIRECT] > areas["epsilon 0.5", DIRECT]
    assert areas["epsilon 8", SIMPLE] > 0.95


def test_an_epsilon_that_was_not_published_has_no_figure() -> None:
    assert pptl_mnist.published_area(DIRECT, 2.0) == 0.8657
    assert pptl_mnist.published_area(DIRECT, 3.0) is None


def test_the_peer_learns_the_rows_of_the_target_at_unit_length(images: ImageSet, shrink: Callable[..., None]) -> None:
    asked: list[dict[str, np.ndarray]] = []

    def answer(script: str, mode: str, arrays: dict[str, np.ndarray]) -> dict[str, list[float]]:
        asked.append(arrays)
        return {"0.5": [0.6, 0.8], "8": [1.0, 1.0]}

    shrink(pptl_mnist, ask_peer=answer)
    peer = [row for row in pptl_mnist.rows() if "diffprivlib" in row.method]
    assert [(row.setting, row.mean, row.runs) for row in peer] == [
        ("epsilon 0.5", pytest.approx(0.7), 2),
        ("epsilon 8", 1.0, 2),
    ]
    assert float(asked[0]["runs"]) == 2
    assert np.linalg.norm(asked[0]["X_1"], axis=1).max() <= 1 + 1e-9
    assert len(asked[0]["X_test_0"]) == len(asked[0]["y_test_0"]) == 20
