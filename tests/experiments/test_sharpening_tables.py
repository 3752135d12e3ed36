"""The table of few digits: its orderings in words, and what each row is made of, on few digits."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.data.datasets import ImageSet, load_digits
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
    made = list(sharpening_mnist.rows())
    assert [row.method for row in made[:4]] == ["labels alone", "FixMatch, SH", "FixMatch, ADS", "FixMatch, PL"]
    assert made[1].mean == 3.0
    assert {row.method: row.paper for row in made}["VAT, ADS"] == 14.52
    assert len(made) == 4 + 6 + 2


def test_an_error_is_the_share_of_test_digits_that_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def wide() -> ImageSet:
        digits = load_digits()
        train, test = (np.kron(X.reshape(-1, 8, 8), np.ones((3, 3)))[:300] for X in (digits.X_train, digits.X_test))
        padded = (np.pad(X, ((0, 0), (2, 2), (2, 2))).reshape(300, 784).astype(np.float32) for X in (train, test))
        X_train, X_test = padded
        return replace(digits, X_train=X_train, X_test=X_test, y_train=digits.y_train[:300], y_test=digits.y_test[:300])

    monkeypatch.setattr(sharpening_mnist, "_digits", wide)
    settings = {"n_steps": 40, "distillation": "sh", "unlabelled_ratio": 1}
    first, second = (sharpening_mnist.error_from(settings, 0) for _ in range(2))
    assert first == second
    assert 5 < first < 75
