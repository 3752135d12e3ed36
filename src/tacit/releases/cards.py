"""Checks of cards: a release must have one, and a card read from a file may be malformed."""

from typing import Any

from tacit.errors import NotReleasableError, ReleaseError, TacitError
from tacit.files.strict_json import Json, plain_object
from tacit.privacy.card import Card


def releasable(card: Any) -> Card:
    """Return ``card`` as it will be read again; raise NotReleasableError if it names no mechanism event."""
    if isinstance(card, Card) and card.parts:
        return as_written(card)
    got = "a card without any" if isinstance(card, Card) else type(card).__name__
    raise NotReleasableError(
        f"card must name at least one mechanism event; got {got}. release() refuses to export anything that did "
        "not pass through a mechanism: fit with a budget first."
    )


def as_written(card: Any) -> Card:
    """Return ``card`` as it will be read again; raise ReleaseError if it could not be read."""
    if not isinstance(card, Card):
        raise ReleaseError(f"each card must be a Card; got {type(card).__name__}.")
    return read_card(plain_object(card.to_dict(), "card"))


def read_card(content: Json) -> Card:
    """Return the card that ``content`` describes; raise ReleaseError if it describes none."""
    if not isinstance(content, dict):
        raise ReleaseError("the card must be a mapping of names to values.")
    try:
        return Card.from_dict(content)
    except TacitError as problem:
        raise ReleaseError(f"the card cannot be read: {problem}") from problem
