"""The finished release: what every party sends is compared, and read with distrust."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.situations.joint.joint_parties import parties, run

from tacit.releases.file import Release
from tacit.situations.joint.finished import agreed_release, release_parts
from tacit.situations.joint.messages import FINISHED, UPLOAD, Message
from tacit.situations.joint.refusals import JoinRefusedError


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return run(parties(tmp_path, 2)).run()


def carried(release: Release, changes: dict[str, Any] | None = None) -> Message:
    facts, arrays = release_parts(release)
    raw = Message("ab", UPLOAD, 1, {**facts, "party": 0, **(changes or {})}, arrays).to_bytes()
    return Message.from_bytes(raw)


def test_a_release_arrives_as_it_was_sent(release: Release) -> None:
    message = carried(release)
    assert message.facts["status"] == FINISHED
    assert agreed_release({0: message, 1: carried(release)}) == release


def test_releases_that_differ_in_a_number_or_on_the_card_are_not_agreed_on(release: Release) -> None:
    counts = np.array(release.arrays["counts"])
    counts[0] = np.nextafter(counts[0], np.inf)
    number = replace(release, arrays={**release.arrays, "counts": counts})
    card = replace(release, card=replace(release.card, title="others"))
    for other in (number, card):
        with pytest.raises(JoinRefusedError, match="releases differ"):
            agreed_release({0: carried(release), 1: carried(other)})


@pytest.mark.parametrize(
    "content", [None, {}, {"kind": "x"}, {"kind": "a b", "settings": {}, "schema": None, "card": {}}]
)
def test_what_is_no_release_is_refused(release: Release, content: Any) -> None:
    with pytest.raises(JoinRefusedError):
        agreed_release({0: carried(release, {"release": content})})
