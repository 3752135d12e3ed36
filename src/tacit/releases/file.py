"""The release, which an owner hands out, and the model, which a receiver keeps: records, and files (``*.tacit``).

Both are written in the same container; a model is marked as no handout. A release must have a card.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacit.errors import NotReleasableError, ReleaseError, TacitError
from tacit.files import atomic, strict_json, tensors
from tacit.files.notebook_html import html_facts
from tacit.files.regular import FilePath
from tacit.files.strict_json import Json, plain_object
from tacit.privacy.card import Card
from tacit.records import record
from tacit.releases import container
from tacit.releases.container import LARGEST_FILE, MODEL, RELEASE, Contents
from tacit.releases.signature import SigningKey, TrustedKey


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


@dataclass(frozen=True, eq=False)
class Release(Contents):
    """Arrays and settings that passed through a mechanism, with the card that states their guarantee.

    The card must name at least one mechanism event. That each array really is the output of those events is the
    responsibility of the code that makes the release; the audit tests it.

    Parameters
    ----------
    kind : str
        The kind of knowledge in the arrays, an identifier; readers dispatch on it.
    arrays : mapping of str to numpy array
        Finite arrays of floats, integers or booleans, by identifiers. They are not copied: do not write to them.
    settings : mapping
        Further values that are needed to use the arrays: JSON's own types, no NaN.
    card : Card
        What is protected and what is not.
    schema : mapping or None
        The schema of the columns that the arrays refer to.
    signer : str or None
        The public key, as hexadecimal digits, whose signature was verified on reading. It is not written.
    digest : str or None
        SHA-256 of the file's manifest, which a signature signs and which holds the hashes of all else; set on reading.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.privacy.card_content import Part
    >>> from tacit.privacy.events import LaplaceEvent
    >>> count = Part("count", {"mechanism": "laplace"}, "one record moves it by 1", LaplaceEvent(2.0, 1.0))
    >>> card = Card("a count", "record", 0.5, 0.0, "one record more or less", (count,))
    >>> Release("count", {"count": np.array([412.0])}, {}, card).card.epsilon
    0.5
    """

    card: Card
    schema: Mapping[str, Any] | None = None
    signer: str | None = field(default=None, compare=False)
    digest: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "card", releasable(self.card))
        object.__setattr__(self, "schema", strict_json.optional_object(self.schema, "schema"))

    def __repr__(self) -> str:
        return f"<Release {self.kind!r}: epsilon {self.card.epsilon:g}, delta {self.card.delta:g} per {self.card.unit}>"

    def _repr_html_(self) -> str:
        """Return what the release holds, and its card, as a notebook shows it."""
        arrays = ", ".join(f"{name} {list(array.shape)}" for name, array in self.arrays.items())
        facts = [("Kind", self.kind), ("Holds", arrays), ("Signed by", self.signer or "nobody")]
        return html_facts("Release", facts) + self.card._repr_html_()


def write_release(release: Release, path: FilePath, *, signing_key: SigningKey | None = None) -> None:
    """Write ``release`` to ``path`` (by custom ``*.tacit``), whole or not at all; equal releases give equal bytes.

    ``signing_key`` is an Ed25519 private key or the path of its PEM file.
    """
    document = {
        "kind": release.kind,
        "settings": release.settings,
        "schema": release.schema,
        "card": release.card.to_dict(),
    }
    container.write_container(path, RELEASE, document, release.arrays, signing_key=signing_key)


def read_release(path: FilePath, *, trusted_key: TrustedKey | None = None, max_bytes: int = LARGEST_FILE) -> Release:
    """Return the release in the file at ``path``, after checking all of it; nothing in the file is ever executed.

    A signature, if there is one, is always verified. ``trusted_key`` (an Ed25519 public key or the path of its PEM
    file) requires one by that key. A file of more than ``max_bytes`` is refused before it is read; memory for
    a little more than the file's size is needed.
    """
    with container.reading(path, RELEASE, trusted_key=trusted_key, max_bytes=max_bytes) as content:
        return Release(
            kind=tensors.identifier("kind", content.document["kind"]),
            arrays=content.arrays,
            settings=strict_json.plain_object(content.document["settings"], "settings"),
            card=read_card(content.document["card"]),
            schema=strict_json.optional_object(content.document["schema"], "schema"),
            signer=content.signer,
            digest=content.digest,
        )


@record
class Model(Contents):
    """A receiver's fitted model: private to the receiver, since its arrays passed through no mechanism.

    Parameters
    ----------
    kind, arrays, settings, schema
        As in a ``Release``.
    cards : tuple of Card
        The cards of the releases that were adopted, in their order; empty if there were none.
    """

    cards: tuple[Card, ...] = ()
    schema: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cards", tuple(as_written(card) for card in self.cards))
        object.__setattr__(self, "schema", strict_json.optional_object(self.schema, "schema"))


def write_model(model: Model, path: FilePath, *, signing_key: SigningKey | None = None) -> None:
    """Write ``model`` to ``path``, whole or not at all, readable by its owner alone."""
    document = {
        "kind": model.kind,
        "settings": model.settings,
        "schema": model.schema,
        "cards": [card.to_dict() for card in model.cards],
    }
    container.write_container(path, MODEL, document, model.arrays, signing_key=signing_key, mode=atomic.OWNER_ONLY)


def read_model(path: FilePath, *, trusted_key: TrustedKey | None = None, max_bytes: int = LARGEST_FILE) -> Model:
    """Return the model in the file at ``path``, checked as ``read_release`` checks a release."""
    with container.reading(path, MODEL, trusted_key=trusted_key, max_bytes=max_bytes) as content:
        cards = content.document["cards"]
        if not isinstance(cards, list):
            raise ReleaseError("the cards must be a list.")
        return Model(
            kind=tensors.identifier("kind", content.document["kind"]),
            arrays=content.arrays,
            settings=strict_json.plain_object(content.document["settings"], "settings"),
            cards=tuple(read_card(card) for card in cards),
            schema=strict_json.optional_object(content.document["schema"], "schema"),
        )
