"""Pictures without labels: releases start, the receiver's own rows do the rest."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tacit.adoption.evidence.words import label_free_lines
from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.data.public.datasets import ImageSet, load_digits
from tacit.errors import InputError, ReleaseError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import TrainingSettings
from tacit.releases.file import Release, read_model, write_model

NETWORK = SharpenedClassifier(
    distillation="sh",
    n_steps=60,
    unlabelled_ratio=2,
    validation_fraction=0.0,
    training=TrainingSettings(batch_size=32, early_stopping=False),
)


@cache
def digits() -> ImageSet:
    return load_digits()


@cache
def release(epsilon: float) -> Release:
    data = digits()
    return CLASS_MOMENTS.release(
        data.X_train, data.y_train, data.schema, unit="record", epsilon=epsilon, delta=1e-6, random_state=0
    )


@cache
def learned(learner: str) -> LabelFreeTransfer:
    model = LabelFreeTransfer([release(4.0)], schema=digits().schema, learner=learner, network=NETWORK, random_state=0)
    return model.fit(digits().X_test)


@pytest.mark.parametrize("learner", ["network", "self-training"])
def test_digits_are_told_apart_without_any_label(learner: str) -> None:
    model = learned(learner)
    assert (model.predict(digits().X_test) == digits().y_test).mean() > 0.85
    assert model.predict_proba(digits().X_test).sum(axis=1) == pytest.approx(np.ones(len(digits().y_test)))
    assert len(np.unique(model.target_only_predict(digits().X_test))) == 1


@pytest.mark.parametrize("learner", ["network", "self-training"])
def test_a_model_file_predicts_as_the_classifier_did(learner: str, tmp_path: Path) -> None:
    model = learned(learner)
    write_model(model.to_model(), tmp_path / "model.tacit")
    again = LabelFreeTransfer.from_model(read_model(tmp_path / "model.tacit"))
    rows = digits().X_test[:50]
    assert again.predict_proba(rows) == pytest.approx(model.predict_proba(rows), abs=1e-6)
    assert json.dumps(again.evidence_.to_dict()) == json.dumps(model.evidence_.to_dict())
    assert again.shares_.tolist() == model.shares_.tolist()


def test_what_can_be_said_without_labels_is_said() -> None:
    evidence = learned("network").evidence_
    assert evidence.truth == ()
    first, agreed, last = label_free_lines(evidence)
    assert first == "With no labels of two classes, nothing can be measured on your rows."
    assert "agree on" in agreed
    assert "State other shares" in last
    assert sum(evidence.shares) == pytest.approx(1)


def test_stated_shares_are_kept_and_wrong_ones_refused() -> None:
    stated = dict.fromkeys(digits().classes, 0.1)
    model = LabelFreeTransfer(
        [release(4.0)], schema=digits().schema, shares=stated, learner="self-training", random_state=0
    ).fit(digits().X_test)
    assert model.shares_ == pytest.approx(np.full(10, 0.1))
    with pytest.raises(InputError, match="shares must"):
        LabelFreeTransfer([release(4.0)], schema=digits().schema, shares="seldom").fit(digits().X_test)


def test_labels_of_one_class_are_kept_and_of_two_refused() -> None:
    y = np.full(len(digits().y_test), -1)
    y[np.flatnonzero(digits().y_test == 3)[:5]] = 3
    model = LabelFreeTransfer([release(4.0)], learner="self-training", random_state=0).fit(digits().X_test, y)
    assert model.evidence_.n_labelled == 5
    y[0] = 9
    with pytest.raises(InputError, match="one class at most"):
        LabelFreeTransfer([release(4.0)]).fit(digits().X_test, y)
    with pytest.raises(InputError, match="for each row"):
        LabelFreeTransfer([release(4.0)]).fit(digits().X_test, y[:-1])


def test_noise_no_release_and_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match="than chance"):
        LabelFreeTransfer([release(0.01)]).fit(digits().X_test)
    with pytest.raises(InputError, match="at least one release"):
        LabelFreeTransfer().fit(digits().X_test)
    with pytest.raises(InputError, match="encoded columns"):
        LabelFreeTransfer([release(4.0)]).fit(digits().X_test[:, :10])
    other = replace(learned("self-training").to_model(), kind="other")
    with pytest.raises(ReleaseError, match="without labels"):
        LabelFreeTransfer.from_model(other)
