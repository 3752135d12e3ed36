"""Sparsemax with each distillation, on few digits and few steps."""

from collections.abc import Callable, Iterable, Iterator

import pytest
import torch

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import sharpening_links

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> Iterator[None]:
    threads = torch.get_num_threads()
    shrink(sharpening_links, load_mnist=lambda: digits(28, 300, 100), UNLABELLED_ROWS=300)
    shrink(sharpening_links, SEEDS=range(1), STEPS={"vat": 3, "fixmatch": 3, "mixmatch": 3})
    sharpening_links._digits.cache_clear()
    yield
    sharpening_links._digits.cache_clear()
    torch.set_num_threads(threads)


def test_every_column_of_the_published_table_has_a_row(checked: Checked) -> None:
    rows = checked(sharpening_links.rows())
    assert [row.method for row in rows] == [
        *(f"vat, {name}" for name in ("none", "Sp", "Sp+ME", "Sp+PL", "Sp+NS", "ADS", "SH")),
        *(f"fixmatch, {name}" for name in ("none", "Sp", "Sp+PL", "Sp+NS", "ADS")),
        "mixmatch, SH",
        "mixmatch, ADS",
    ]
    assert {row.paper for row in rows} == {None}
    assert all(0 <= row.mean <= 100 for row in rows)


def test_a_row_is_learned_on_the_link_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    recipes: list[tuple[str, str]] = []

    class Recorded:
        def __init__(self, *, distillation: str, losses: object, **_: object) -> None:
            recipes.append((distillation, losses.link))  # type: ignore[attr-defined]  # LossSettings

        def fit(self, *_: object) -> None: ...

        def score(self, *_: object) -> float:
            return 0.75

    monkeypatch.setattr(sharpening_links, "SharpenedClassifier", Recorded)
    assert sharpening_links.error("vat", "Sp+NS", 0) == 25.0
    assert sharpening_links.error("vat", "SH", 0) == 25.0
    assert recipes == [("ns", "sparsemax"), ("sh", "softmax")]
