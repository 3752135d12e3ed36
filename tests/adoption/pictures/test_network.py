"""A network as a receiver's learner: guided by releases that help, deaf to those that do not."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.network import SharpenedTransfer
from tacit.data.public.datasets import ImageSet, load_digits
from tacit.data.public.splits import few_labels
from tacit.errors import InputError, ReleaseError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import TrainingSettings
from tacit.releases.file import Release, read_model, write_model

BATCHES = TrainingSettings(batch_size=32)
LEARNER = SharpenedClassifier(distillation="sh", n_steps=60, training=BATCHES, unlabelled_ratio=2)


@cache
def digits() -> ImageSet:
    return load_digits()


@cache
def release(epsilon: float) -> Release:
    data = digits()
    return CLASS_MOMENTS.release(
        data.X_train, data.y_train, data.schema, unit="record", epsilon=epsilon, delta=1e-5, random_state=0
    )


@cache
def adopted(epsilon: float) -> SharpenedTransfer:
    data = digits()
    y = few_labels(data.y_test, per_class=2, random_state=0)
    model = SharpenedTransfer([release(epsilon)], schema=data.schema, learner=LEARNER, random_state=0)
    return model.fit(data.X_test, y)


@pytest.mark.filterwarnings("ignore:y holds -1 and 1 alone")
@parametrize_with_checks(
    [SharpenedTransfer(learner=LEARNER, compare=False, random_state=0)],
)
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def accuracy(predicted: Any) -> float:
    return float((predicted == digits().y_test).mean())


def test_a_release_helps_where_labels_are_few() -> None:
    model, X = adopted(20.0), digits().X_test
    assert model.weights_[1] > 0
    assert accuracy(model.predict(X)) > accuracy(model.target_only_predict(X)) + 0.03
    assert accuracy(model.predict(X)) > 0.9


def test_a_release_of_noise_weighs_nothing_and_guides_nobody() -> None:
    model, X = adopted(0.001), digits().X_test
    assert model.weights_[1] == 0
    assert model.alone_ is model.learner_
    assert_array_equal(model.predict(X), model.target_only_predict(X))


def test_the_evidence_is_by_networks_that_did_not_learn_the_labels() -> None:
    found = adopted(20.0).evidence_
    assert found.n_labelled == len(found.truth) == len(found.adopted) == 20
    assert found.n_unlabelled == len(digits().y_test) - 20
    right = sum(a == b for a, b in zip(found.truth, found.target_only, strict=True))
    # Networks that had learned these labels would know all of them.
    assert right < 20


def test_a_model_file_predicts_as_the_classifier_did(tmp_path: Path) -> None:
    model, X = adopted(20.0), digits().X_test[:50]
    write_model(model.to_model(), tmp_path / "m.tacit")
    again = SharpenedTransfer.from_model(read_model(tmp_path / "m.tacit"))
    assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-6)
    assert_array_equal(again.target_only_predict(X), model.target_only_predict(X))
    assert again.evidence_ == model.evidence_


def test_a_model_file_of_a_table_predicts_as_the_classifier_did(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((120, 3))
    y = np.where(np.arange(120) < 30, X[:, 0] > 0.5, -1)
    model = SharpenedTransfer(learner=LEARNER, random_state=0).fit(X, y)
    write_model(model.to_model(), tmp_path / "m.tacit")
    again = SharpenedTransfer.from_model(read_model(tmp_path / "m.tacit"))
    assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-6)


def test_another_model_file_and_a_damaged_one_are_refused() -> None:
    model = adopted(20.0).to_model()
    with pytest.raises(ReleaseError, match="transfer_model"):
        TransferClassifier.from_model(model)
    lacking = {name: values for name, values in model.arrays.items() if name != "network_0_weight"}
    with pytest.raises(ReleaseError, match="misses a part"):
        SharpenedTransfer.from_model(type(model)(model.kind, lacking, model.settings, model.cards, model.schema))


def test_what_cannot_be_weighed_compared_or_stored_is_refused() -> None:
    X, y = np.random.default_rng(0).random((40, 4)), np.repeat([0, 1, -1], [1, 9, 30])
    with pytest.raises(InputError, match="at least two labels of each"):
        SharpenedTransfer(learner=LEARNER).fit(X, y)
    y[:10] = np.arange(10) % 2
    quick = SharpenedTransfer(learner=LEARNER, compare=False, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="compare=True"):
        quick.target_only_predict(X)
    own = SharpenedClassifier(nn.Linear(4, 2), n_steps=5)
    with pytest.raises(InputError, match="default network"):
        SharpenedTransfer(learner=own, random_state=0).fit(X, y).to_model()
