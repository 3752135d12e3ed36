"""Owners' answers beside the network of a receiver without labels."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.adoption.pictures.test_label_free_transfer import learned, release
from tests.adoption.pictures.test_second_round import NETWORK, digits
from tests.kinds.answer.test_teach import answer

from tacit.adoption.pictures.answered import STARTED, Answers, answers_among
from tacit.adoption.pictures.label_free_sources import label_free_sources
from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.adoption.pictures.second_round import OwnerAnswer
from tacit.releases.file import Release, read_model, write_model


def adopted(*releases: Release) -> LabelFreeTransfer:
    model = LabelFreeTransfer(releases, schema=digits().schema, learner="network", network=NETWORK, random_state=0)
    return model.fit(digits().X_test)


@cache
def second() -> LabelFreeTransfer:
    return adopted(answer())


def accuracy(model: LabelFreeTransfer | OwnerAnswer) -> float:
    return float((model.predict(digits().X_test) == digits().y_test).mean())


def test_log_odds_of_an_answer_are_its_own_and_are_added_to_the_networks() -> None:
    rows, model = digits().X_test[:40], second()
    of_answer = OwnerAnswer.from_release(answer()).predict_proba(rows)
    assert model.answers_.soft_labels(rows) == pytest.approx(of_answer, abs=1e-6)
    assert model.network_ is not None
    product = of_answer * model.network_.predict_proba(rows)
    assert model.predict_proba(rows) == pytest.approx(product / product.sum(axis=1, keepdims=True), abs=1e-6)


def test_an_adopted_answer_is_no_worse_than_the_answer_and_better_than_the_first_round() -> None:
    assert accuracy(second()) >= accuracy(OwnerAnswer.from_release(answer()))
    assert accuracy(second()) > accuracy(learned("network"))


def test_an_adopted_answer_is_kept_in_the_model_file(tmp_path: Path) -> None:
    write_model(second().to_model(), tmp_path / "model.tacit")
    again = LabelFreeTransfer.from_model(read_model(tmp_path / "model.tacit"))
    rows = digits().X_test[:40]
    assert again.predict_proba(rows) == pytest.approx(second().predict_proba(rows), abs=1e-6)


def test_a_model_without_an_answer_predicts_by_its_network_alone() -> None:
    model, rows = learned("network"), digits().X_test[:40]
    assert model.network_ is not None
    assert not model.answers_.sources
    assert np.array_equal(model.predict_proba(rows), model.network_.predict_proba(rows))
    before = Answers.from_parts({}, {}, 10)
    assert not before(rows).any()


def test_beside_another_release_an_answer_still_joins_the_network() -> None:
    model = adopted(release(4.0), answer())
    assert len(model.answers_.sources) == 1
    assert accuracy(model) > accuracy(learned("network")) - 0.005


def test_stated_shares_move_what_answers_say() -> None:
    rows = digits().X_test
    stated = np.array([0.19, *[0.09] * 9])
    answers = answers_among(label_free_sources([answer()], digits().schema, rows), rows, 10, stated)
    assert answers.soft_labels(rows).mean(axis=0) == pytest.approx(stated, abs=1e-3)
    assert 0.6 < STARTED < 1
