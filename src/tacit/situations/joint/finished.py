"""The finished release as every party sends it, and the check that all parties made the same."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from tacit.errors import TacitError
from tacit.files import strict_json, tensors
from tacit.releases.file import Release, read_card
from tacit.situations.joint.messages import FINISHED, Message
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError


def release_parts(release: Release) -> tuple[dict[str, Any], Mapping[str, NDArray[Any]]]:
    """Return the facts and arrays of the message that carries ``release``."""
    document = {
        "kind": release.kind,
        "settings": release.settings,
        "schema": release.schema,
        "card": release.card.to_dict(),
    }
    return {"status": FINISHED, "release": strict_json.plain_object(document, "release")}, release.arrays


def agreed_release(finished: Mapping[int, Message]) -> Release:
    """Return the release that all parties made; refuse to go on if two of them differ."""
    releases = {number: _read(message) for number, message in finished.items()}
    first, *others = releases.values()
    if any(other != first for other in others):
        raise JoinRefusedError(
            JoinRefusal.UNAVAILABLE,
            "the parties' releases differ: their software or their arithmetic does. The charges stand.",
        )
    return first


def _read(message: Message) -> Release:
    try:
        content = strict_json.plain_object(message.facts.get("release"), "release")
        return Release(
            kind=tensors.identifier("kind", content["kind"]),
            arrays=message.arrays,
            settings=strict_json.plain_object(content["settings"], "settings"),
            card=read_card(content["card"]),
            schema=strict_json.optional_object(content["schema"], "schema"),
        )
    except (TacitError, KeyError) as problem:
        raise JoinRefusedError(JoinRefusal.MESSAGE) from problem
