"""Private linear transfer from digits 0 and 8 to digits 0 and 9."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.data.public.datasets import ImageSet
from tacit.experiments import linear_digits
from tacit.experiments.linear_runs import DIRECT, SIMPLE, SOURCE
from tacit.experiments.linear_tuning import PUBLIC, TUNED
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pptl_mnist

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture
def images(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> ImageSet:
    images = digits(8, 1300, 400)
    shrink(linear_digits, load_mnist=lambda: images, DIRECTIONS=20, SOURCE_ROWS=160, TARGET_ROWS=100)
    shrink(pptl_mnist, RUNS=2, EPSILONS=(0.5, 8.0), ask_peer=lambda *_: None)
    return images


SOUND = [DIRECT, SOURCE, SIMPLE, *(f"PPTL-FS({f}), {a}" for f in "RW" for a in ("stack", "average"))]
ALONE = [f"{DIRECT} by Alg. 1, lambda 1", f"{DIRECT} by Alg. 1, lambda 0.0001"]
PRINTED = ["PPTL-FS(W), as printed, lambda 0.1", "PPTL-FS(W), as printed, lambda 0.01", *ALONE]


def test_every_method_is_measured_at_every_epsilon(images: ImageSet, checked: Checked) -> None:
    areas = {(row.setting, row.method): row for row in checked(pptl_mnist.rows()) if row.metric == "ROC AUC"}
    methods = {*SOUND, *PRINTED, *pptl_mnist.PAPER}
    settings = {"epsilon 0.5", "epsilon 8"}
    assert set(areas) == {(s, method) for s in settings for method in methods} | {("no budget", PUBLIC)}
    assert areas["epsilon 8", DIRECT].mean > areas["epsilon 0.5", DIRECT].mean
    assert areas["epsilon 8", SIMPLE].mean > 0.95
    assert areas["no budget", PUBLIC].mean > areas["epsilon 0.5", DIRECT].mean


def test_learning_alone_by_algorithm_1_needs_its_regularisation(images: ImageSet, shrink: Callable[..., None]) -> None:
    shrink(pptl_mnist, RUNS=10, EPSILONS=(0.5,))
    areas = {row.method: row.mean for row in pptl_mnist.rows()}
    assert areas[ALONE[0]] > areas[ALONE[1]] + 0.05


def test_a_published_figure_stands_beside_what_was_tuned_as_in_the_paper(images: ImageSet) -> None:
    published = {(row.setting, row.method): row.paper for row in pptl_mnist.rows() if row.metric == "ROC AUC"}
    assert published["epsilon 0.5", f"{DIRECT}, {TUNED}"] == 0.6467
    assert published["epsilon 8", f"PPTL-FS(W), {TUNED}"] == 0.9921
    assert published["epsilon 0.5", f"PPTL-FS(R), {TUNED}"] == 0.7687
    assert {published["epsilon 8", method] for method in (*SOUND, *PRINTED)} == {None}


def test_published_methods_are_ranked_over_the_epsilons(images: ImageSet) -> None:
    ranked = {row.method: row.mean for row in pptl_mnist.rows() if row.metric == "averaged rank"}
    assert set(ranked) == set(pptl_mnist.PAPER)
    assert sum(ranked.values()) == pytest.approx(15)
    shares = [row.mean for row in pptl_mnist.rows() if row.metric.startswith("share of epsilons best")]
    assert len(shares) == 5
    assert max(shares) <= 1


def test_an_epsilon_that_was_not_published_has_no_figure() -> None:
    direct = f"{DIRECT}, {TUNED}"
    assert pptl_mnist.published_area(direct, 2.0) == 0.8657
    assert pptl_mnist.published_area(direct, 3.0) is None


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
