"""The audits of an owner's answer."""

from collections.abc import Callable

from tacit.adoption.pictures.private_head import SENSITIVITY
from tacit.audit.second_round import cases, gradient_move, neighbours


def test_an_answer_uses_no_more_than_its_sensitivity(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "answer to a request, replay", seed=0) == []


def test_the_noise_of_an_answer_keeps_its_claim(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "answer to a request, gradients", seed=0) == []


def test_half_of_the_noise_is_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control: noise of an answer halved", seed=0) == []


def test_longer_features_are_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control: features longer", seed=0) == []


def test_one_row_moves_the_gradient_by_no_more_than_is_declared() -> None:
    assert gradient_move() <= SENSITIVITY < gradient_move(length=4.0)
    (X, _), (more, _) = neighbours()
    assert len(more) == len(X) + 1
