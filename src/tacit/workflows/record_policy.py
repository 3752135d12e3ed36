"""What a card says of records that a schema does not foresee: mended by public rules, or able to stop a release."""

from dataclasses import replace

from tacit.data.schema import Schema
from tacit.privacy.card import Card

MENDED = "cells that the schema does not foresee are mended by its public rules, so that no record stops a release"
REFUSED = (
    "that every record follows the schema: one that does not stops the release, so that a release tells that there is "
    'none (bad_records = "clip", "category" or "missing" mends such records instead)'
)


def with_record_policy(card: Card, schema: Schema) -> Card:
    """Return ``card`` with what becomes of records that ``schema`` does not foresee."""
    if schema.refusing_columns:
        return replace(card, not_protected=(*card.not_protected, REFUSED))
    return replace(card, assumptions=(*card.assumptions, MENDED))
