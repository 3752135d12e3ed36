"""The model file: what a receiver keeps, in the same container as a release but marked as no handout."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.errors import ReleaseError
from tacit.files import atomic, strict_json, tensors
from tacit.files.regular import FilePath
from tacit.privacy.card import Card
from tacit.releases import container
from tacit.releases.cards import as_written, read_card
from tacit.releases.container import LARGEST_FILE, MODEL, Contents
from tacit.releases.signature import SigningKey, TrustedKey


@dataclass(frozen=True, eq=False)
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
