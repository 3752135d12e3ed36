"""The table of few digits: its orderings in words, and what each row is made of, on few digits."""

from collections.abc import Callable
from typing import Any

import pytest

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import sharpening_mnist
from tacit.models.semi_supervised.classifier import SharpenedClassifier


def test_orderings_are_told_apart_in_words() -> None:
    as_published, others = sharpening_mnist.orderings({**sharpening_mnist.PUBLISHED, "ads": 19.0, "sh": 18.0})
    assert "SH < ADS" not in as_published.method
    assert "not as published: ADS < SH" in others.method
    assert as_published.mean == pytest.approx(14 / 15)
    assert as_published.mean + others.mean == pytest.approx(1)
    assert "VAT orderings not as published: none" in [
        row.method for row in sharpening_mnist.orderings(sharpening_mnist.PUBLISHED)
    ]


def test_equal_errors_repeat_no_ordering() -> None:
    same = dict.fromkeys(sharpening_mnist.PUBLISHED, 5.0)
    assert next(sharpening_mnist.orderings(same)).mean == 0


def test_every_setting_is_one_of_the_classifiers() -> None:
    for settings in (sharpening_mnist.FIXMATCH, sharpening_mnist.VAT, sharpening_mnist.SUPERVISED):
        SharpenedClassifier(**settings)


def test_rows_are_means_over_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    def error(settings: dict[str, Any]) -> list[float]:
        return [len(settings["distillation"]), 4.0]

    monkeypatch.setattr(sharpening_mnist, "errors", error)
    rows = list(sharpening_mnist.rows())
    assert [row.method for row in rows[:4]] == ["labels alone", "FixMatch, SH", "FixMatch, ADS", "FixMatch, PL"]
    assert rows[1].mean == 3.0
    assert {row.method: row.paper for row in rows}["VAT, ADS"] == 14.52
    assert len(rows) == 4 + 6 + 2


def test_an_error_is_the_share_of_test_digits_that_are_wrong(
    shrink: Callable[..., None], digits: Callable[..., ImageSet]
) -> None:
    shrink(sharpening_mnist, _digits=lambda: digits(28, 300, 200))
    settings = {"n_steps": 15, "distillation": "sh", "unlabelled_ratio": 1}
    first, again = (sharpening_mnist.error_from(settings, 0) for _ in range(2))
    assert first == again
    assert 5 < first < 85
    # 200 digits are tested: a percentage is a multiple of a half.
    assert 2 * first == pytest.approx(round(2 * first))


def test_the_whole_table_on_few_digits_and_steps(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Callable[[Any], list[ResultRow]]
) -> None:
    shrink(sharpening_mnist, _digits=lambda: digits(28, 200, 100), SEEDS=range(2), JOBS=1)
    for name in ("FIXMATCH", "VAT", "SUPERVISED"):
        shrink(sharpening_mnist, **{name: {**getattr(sharpening_mnist, name), "n_steps": 2}})
    rows = checked(sharpening_mnist.rows())
    assert {(row.setting, row.runs) for row in rows[:-2]} == {("MNIST, 20 labels", 2)}
    assert all(0 <= row.mean <= 100 for row in rows[:-2])
    assert rows[-2].mean + rows[-1].mean == pytest.approx(1)
    assert [row.paper for row in rows[4:10]] == list(sharpening_mnist.PUBLISHED.values())
