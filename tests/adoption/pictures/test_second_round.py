"""A second round between a receiver of pictures and their owner."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.adoption.pictures.second_round import TOLD, OwnerAnswer, Request, answer_request, make_request
from tacit.arrays import Float32Array
from tacit.data.public.datasets import ImageSet, load_digits
from tacit.data.public.schemas import image_schema
from tacit.errors import BudgetExceededError, InputError, ReleaseError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.semi_supervised import training
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.embedding import CONSTANT, fitted_head
from tacit.models.semi_supervised.recipe import TrainingSettings
from tacit.models.semi_supervised.training import logits_of
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Model, read_model, read_release, write_model, write_release

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
def receiver() -> LabelFreeTransfer:
    data = digits()
    release = CLASS_MOMENTS.release(
        data.X_train, data.y_train, data.schema, unit="record", epsilon=2.0, delta=1e-6, random_state=0
    )
    return LabelFreeTransfer([release], schema=data.schema, learner="network", network=NETWORK, random_state=0).fit(
        data.X_test
    )


@cache
def request() -> Request:
    return make_request(receiver(), digits().X_test, digits().schema)


def test_features_are_short_end_in_a_constant_and_depend_on_their_row_alone() -> None:
    embedding, rows = request().layer.embedding, digits().X_train
    features = embedding(rows)
    assert np.linalg.norm(features, axis=1).max() <= 1
    assert features[:, -1] == pytest.approx(np.full(len(features), CONSTANT), abs=1e-3)
    alone = embedding.one_by_one(rows[:40])
    assert np.allclose(alone, features[:40], atol=1e-4)
    assert np.array_equal(alone[5:8], embedding.one_by_one(rows[5:8]))


def test_an_owner_computes_features_of_each_private_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def counted(network: object, rows: NDArray[Any]) -> Float32Array:
        sizes.append(len(rows))
        return logits_of(network, rows)  # type: ignore[arg-type]

    monkeypatch.setattr(training, "logits_of", counted)
    data = digits()
    answer_request(request(), data.X_train[:30], data.y_train[:30], data.schema, epsilon=1, delta=1e-5, random_state=0)
    assert sizes == [1] * 30


def test_the_start_says_what_the_network_says() -> None:
    rows = digits().X_test
    started = (request().layer.embedding(rows) @ request().layer.head).argmax(axis=1)
    assert (started == receiver().predict(rows)).mean() > 0.95


def test_a_fitted_head_is_where_the_gradient_vanishes() -> None:
    random = np.random.RandomState(0)
    X = random.normal(size=(200, 3))
    shares = np.eye(2)[(X[:, 0] + random.normal(size=200) > 0).astype(int)]
    head = fitted_head(X, shares)
    p = np.exp(X @ head)
    p /= p.sum(axis=1, keepdims=True)
    assert X.T @ (p - shares) / 200 + 1e-4 * head == pytest.approx(np.zeros((3, 2)), abs=1e-4)


def test_an_answer_knows_more_than_the_receiver_did(tmp_path: Path) -> None:
    data = digits()
    made = answer_request(request(), data.X_train, data.y_train, data.schema, epsilon=4.0, delta=1e-6, random_state=0)
    write_release(made, tmp_path / "answer.tacit")
    answer = OwnerAnswer.from_release(read_release(tmp_path / "answer.tacit"))
    before = (receiver().predict(data.X_test) == data.y_test).mean()
    assert (answer.predict(data.X_test) == data.y_test).mean() > before
    assert answer.predict_proba(data.X_test).sum(axis=1) == pytest.approx(np.ones(len(data.X_test)))
    assert TOLD in made.card.not_protected


def test_a_request_survives_its_file(tmp_path: Path) -> None:
    write_model(request().to_model(), tmp_path / "request.tacit")
    again = Request.from_model(read_model(tmp_path / "request.tacit"))
    rows = digits().X_test[:20]
    assert np.array_equal(again.layer.embedding(rows), request().layer.embedding(rows))
    assert np.array_equal(again.layer.head, request().layer.head)
    with pytest.raises(ReleaseError, match="tacit request"):
        Request.from_model(receiver_file())


def receiver_file() -> Model:
    return Model("other", {}, {}, (), digits().schema.to_dict())


def test_the_owners_ledger_is_charged_first(tmp_path: Path) -> None:
    data = digits()
    ledger = Ledger.create(tmp_path / "owner.ledger", Budget(1, 1e-5, unit="record"))
    with pytest.raises(BudgetExceededError):
        answer_request(request(), data.X_train, data.y_train, data.schema, epsilon=2.0, delta=1e-6, ledger=ledger)
    assert not ledger.lines()
    answer_request(request(), data.X_train, data.y_train, data.schema, epsilon=0.5, delta=1e-6, ledger=ledger)
    assert 0.3 < ledger.spent() <= 0.5


def test_what_cannot_be_asked_or_answered_is_refused() -> None:
    data = digits()
    with pytest.raises(InputError, match="must hold a network"):
        make_request(object(), data.X_test, data.schema)
    other = image_schema((4, 16), data.classes)
    with pytest.raises(InputError, match="encoded as the request's"):
        answer_request(request(), data.X_train, data.y_train, other, epsilon=1.0, delta=1e-6)
    fewer = image_schema((8, 8), data.classes[:5])
    with pytest.raises(InputError, match="classes must be those"):
        answer_request(request(), data.X_train, data.y_train, fewer, epsilon=1.0, delta=1e-6)
