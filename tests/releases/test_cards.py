from dataclasses import replace
from typing import Any

import pytest

from tacit.errors import NotReleasableError, ReleaseError
from tacit.privacy.card import Card
from tacit.privacy.card_content import Guarantee
from tacit.releases.file import as_written, read_card, releasable


def test_a_card_with_a_mechanism_passes_as_it_will_be_read_again(card: Card) -> None:
    part = replace(card.parts[0], mechanism={"mechanism": "laplace", "bounds": (0.0, 1.0)})
    passed = releasable(replace(card, parts=(part,)))
    assert passed.parts[0].mechanism["bounds"] == [0.0, 1.0]
    assert releasable(passed) == passed


def test_a_card_without_a_mechanism_is_not_releasable(card: Card) -> None:
    with pytest.raises(NotReleasableError, match="did not pass through a mechanism"):
        releasable(replace(card, parts=()))
    assert as_written(replace(card, parts=())).parts == ()


def test_a_card_that_could_not_be_read_again_is_refused(card: Card) -> None:
    endless = replace(card, coarser=(Guarantee("group", float("nan"), 0.0),))
    with pytest.raises(ReleaseError):
        as_written(endless)


@pytest.mark.parametrize("content", [None, [], "x", {}, {"parts": 3}])
def test_what_describes_no_card_is_refused(content: Any) -> None:
    with pytest.raises(ReleaseError, match="the card"):
        read_card(content)
