"""What an owner's answer teaches the receiver that asked for it."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.adoption.pictures.test_second_round import NETWORK, digits, request

from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.adoption.pictures.network import SharpenedTransfer
from tacit.adoption.pictures.second_round import OwnerAnswer, answer_request
from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.arrays import UNLABELLED, Codes
from tacit.data.public.datasets import load_digits
from tacit.data.public.schemas import image_schema
from tacit.data.rows.encoding import Encoded
from tacit.errors import InputError
from tacit.kinds.answer.teach import stored_scores, teach
from tacit.kinds.registry import all_kinds, kind_by_method, kind_of
from tacit.releases.file import Release, read_model, write_model
from tacit.releases.lesson import ReceiverTable
from tacit.workflows.adopt import adopt

NOTHING = np.empty(0, dtype=np.intp)


@cache
def answer() -> Release:
    data = digits()
    return answer_request(request(), data.X_train, data.y_train, data.schema, epsilon=4.0, delta=1e-6, random_state=0)


def few(per_class: int) -> Codes:
    """Return the receiver's labels: the first of each class, -1 elsewhere."""
    y = digits().y_test
    labels = np.full(len(y), UNLABELLED)
    for code in np.unique(y):
        places = np.flatnonzero(y == code)[:per_class]
        labels[places] = code
    return labels


def test_an_answer_is_found_by_its_file_and_released_by_no_method() -> None:
    assert kind_of(answer()).name == "answer"
    assert "answer" not in {kind.name for kind in all_kinds()}
    with pytest.raises(InputError, match="method must be"):
        kind_by_method("")


def test_an_answer_teaches_what_it_predicts_and_says_the_same_when_stored() -> None:
    data = digits()
    lesson = teach(answer(), ReceiverTable(data.schema, data.X_test, NOTHING, NOTHING))
    ((scores, _),) = lesson.candidates
    assert np.exp(scores(data.X_test)) == pytest.approx(OwnerAnswer.from_release(answer()).predict_proba(data.X_test))
    assert lesson.calibrated
    assert lesson.quality is None
    again = stored_scores(*scores.to_parts())
    assert np.array_equal(again(data.X_test[:30]), scores(data.X_test[:30]))


def test_an_answer_says_nothing_of_other_pictures() -> None:
    other = image_schema((4, 16), digits().classes)
    assert not teach(answer(), ReceiverTable(other, digits().X_test, NOTHING, NOTHING)).candidates
    with pytest.raises(InputError, match="encoded otherwise"):
        AveragedTransfer([answer()], schema=other).fit(digits().X_test, few(0))


@pytest.mark.parametrize("per_class", [0, 3])
def test_an_adopted_answer_is_at_least_as_good_and_is_kept_in_the_model(per_class: int, tmp_path: Path) -> None:
    data = load_digits()
    rows = Encoded(data.X_test, few(per_class), tuple(data.schema.encoded_names), data.classes)
    adopted = adopt([answer()], rows, data.schema, learner="averaged", output=tmp_path / "model.tacit")
    by_itself = float((OwnerAnswer.from_release(answer()).predict(data.X_test) == data.y_test).mean())
    assert float((adopted.classifier.predict(data.X_test) == data.y_test).mean()) >= by_itself - 0.01
    again = AveragedTransfer.from_model(read_model(tmp_path / "model.tacit"))
    assert np.array_equal(again.predict(data.X_test), adopted.classifier.predict(data.X_test))


def test_receivers_of_pictures_adopt_an_answer_and_keep_it(tmp_path: Path) -> None:
    data, truth = digits(), digits().y_test
    kept: TransferClassifier | SharpenedTransfer
    for kept in (
        TransferClassifier([answer()], schema=data.schema, evidence=False, random_state=0),
        SharpenedTransfer([answer()], schema=data.schema, learner=NETWORK, random_state=0),
    ):
        kept.fit(data.X_test, few(3))
        write_model(kept.to_model(), tmp_path / "kept.tacit")
        again = type(kept).from_model(read_model(tmp_path / "kept.tacit"))
        assert np.array_equal(again.predict(data.X_test), kept.predict(data.X_test))
        assert (again.predict(data.X_test) == truth).mean() > 0.85
    free = LabelFreeTransfer([answer()], schema=data.schema, learner="network", network=NETWORK, random_state=0)
    assert (free.fit(data.X_test).predict(data.X_test) == truth).mean() > 0.85
