"""Evidence of a numeric target through JSON, and its verdict."""

import json
from dataclasses import replace

import pytest

from tacit.adoption.evidence.figures import CalibrationBin, Figure
from tacit.adoption.evidence.receiver_evidence import BETTER, CANNOT_TELL, WORSE
from tacit.adoption.evidence.target_evidence import TargetEvidence, TargetReleaseFigures
from tacit.adoption.evidence.target_figures import TargetFigures
from tacit.adoption.evidence.words import counted, target_verdict_sentence

HALF = Figure(0.5, 0.4, 0.6)
FIGURES = TargetFigures(
    "adopted", HALF, Figure(12.0, 11.0, 13.0), Figure(0.9, 0.8, 0.95), (CalibrationBin(3.0, HALF, 9),)
)
RELEASE = TargetReleaseFigures("clinic", 0.6, 0.9, HALF, "4 columns shared by name")
EVIDENCE = TargetEvidence(12, 80, (FIGURES,), Figure(-0.2, -0.3, -0.1), (RELEASE,))


def test_evidence_comes_back_from_json() -> None:
    for evidence in (EVIDENCE, replace(EVIDENCE, difference=None, methods=(), releases=(replace(RELEASE, gain=None),))):
        assert TargetEvidence.from_dict(json.loads(json.dumps(evidence.to_dict()))) == evidence


def test_weights_and_notes_are_those_of_the_releases() -> None:
    assert EVIDENCE.weights == (0.9,)
    assert EVIDENCE.notes == ("4 columns shared by name",)
    assert EVIDENCE.to_dict()["verdict"] == BETTER


@pytest.mark.parametrize(
    ("difference", "verdict", "words"),
    [
        (Figure(-0.2, -0.3, -0.1), BETTER, "Adopting helps."),
        (Figure(0.2, 0.1, 0.3), WORSE, "Adopting harms: use your values alone."),
        (Figure(0.0, -0.1, 0.1), CANNOT_TELL, "the interval of the difference in error holds 0"),
        (None, CANNOT_TELL, "cannot tell"),
    ],
)
def test_the_verdict_is_that_of_the_squared_errors(difference: Figure | None, verdict: str, words: str) -> None:
    evidence = replace(EVIDENCE, difference=difference)
    assert evidence.verdict == verdict
    assert words in target_verdict_sentence(evidence)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"methods": (), "n_known": 0}, "With no known value, nothing can be measured"),
        ({"methods": (), "n_known": 1}, "With 1 known value, nothing"),
        ({"methods": (), "n_known": 1200}, "With 1,200 known values, nothing"),
        ({"releases": ()}, "No release was adopted: the model is what your values teach alone."),
        ({"releases": (replace(RELEASE, used=0.0),)}, "Your values speak against the releases"),
    ],
)
def test_what_cannot_be_measured_is_said(changes: dict[str, object], words: str) -> None:
    assert words in target_verdict_sentence(replace(EVIDENCE, **changes))  # type: ignore[arg-type]


def test_one_is_singular_and_none_has_words_of_its_own() -> None:
    assert [counted(n, "row", "nothing") for n in (0, 1, 2, 1000)] == ["nothing", "1 row", "2 rows", "1,000 rows"]
