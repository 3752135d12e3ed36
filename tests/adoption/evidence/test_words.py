"""Evidence in sentences that claim no more than the labels show."""

from dataclasses import replace

import pytest

from tacit.adoption.evidence.figures import Figure
from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence, MethodFigures, ReleaseFigures
from tacit.adoption.evidence.words import remarks, verdict_sentence

HALF = Figure(0.5, 0.4, 0.6)
METHOD = MethodFigures("adopted", HALF, None, HALF, ())
RELEASE = ReleaseFigures("release 1", 0.6, 0.9, 0.0, HALF, None, (), 0)
EVIDENCE = AdoptionEvidence(90, ("no", "yes"), (6, 4), (METHOD,), Figure(-0.1, -0.2, -0.05), (RELEASE,))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Adopting helps."),
        ({"difference": Figure(-0.1, -0.3, 0.1)}, "cannot tell"),
        ({"difference": Figure(0.1, 0.05, 0.2)}, "Adopting harms"),
        ({"methods": (), "labels": (0, 0)}, "With no labels, nothing can be measured"),
        ({"methods": (), "labels": (0, 1)}, "With 1 label, nothing can be measured"),
        ({"releases": ()}, "No release was adopted"),
        ({"releases": (replace(RELEASE, used=0.0),)}, "speak against the releases"),
    ],
)
def test_the_verdict_is_said_in_words(changes: dict[str, object], words: str) -> None:
    assert words in verdict_sentence(replace(EVIDENCE, **changes))  # type: ignore[arg-type]


def test_what_is_odd_is_said() -> None:
    assert remarks(EVIDENCE) == []
    odd = replace(RELEASE, reversed=0.8, unknown_classes=("yes",), n_unusable=3)
    lines = " ".join(remarks(replace(EVIDENCE, labels=(6, 0), releases=(odd,))))
    for words in ("No label of yes", "used reversed", "does not know yes", "no finite scores to 3 rows"):
        assert words in lines
