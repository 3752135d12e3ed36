"""Evidence in sentences that claim no more than the labels show."""

from dataclasses import replace

import pytest

from tacit.adoption.evidence.figures import Figure
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence, MethodFigures, ReleaseFigures
from tacit.adoption.evidence.target_evidence import TargetEvidence, TargetReleaseFigures
from tacit.adoption.evidence.target_figures import TargetFigures
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


@pytest.mark.parametrize(("used", "against", "said"), [(0.3, 0.25, True), (0.9, 0.3, False), (0.0, 0.0, False)])
def test_a_release_runs_against_the_labels_by_most_of_its_weight(used: float, against: float, said: bool) -> None:
    lines = remarks(replace(EVIDENCE, releases=(replace(RELEASE, used=used, reversed=against),)))
    assert any("used reversed" in line for line in lines) is said


def test_printed_evidence_is_a_table_with_intervals() -> None:
    assert str(EVIDENCE).splitlines() == [
        "labelled rows: 10; unlabelled rows: 90; verdict: better",
        "learned from  accuracy                AUC                 log-loss",
        "adopted       0.500 (0.400 to 0.600)  labels cannot tell  0.500 (0.400 to 0.600)",
        "release    trust  used  gain",
        "release 1  0.60   0.90  0.500 (0.400 to 0.600)",
    ]


def test_without_figures_only_the_facts_are_printed() -> None:
    nothing = replace(EVIDENCE, labels=(0, 0), methods=(), difference=None, releases=())
    assert str(nothing) == "labelled rows: 0; unlabelled rows: 90; verdict: cannot tell"


def test_evidence_of_a_target_prints_its_own_figures() -> None:
    figures = TargetFigures("alone", HALF, Figure(12.0, 11.0, 13.0), Figure(0.8, 0.7, 0.9))
    release = TargetReleaseFigures("release 1", 0.6, 0.9, None, "")
    lines = str(TargetEvidence(30, 70, (figures,), None, (release,))).splitlines()
    assert lines[0] == "known values: 30; unknown values: 70; verdict: cannot tell"
    assert lines[1].split() == ["learned", "from", "R", "squared", "absolute", "error", "coverage"]
    assert "12.000 (11.000 to 13.000)" in lines[2]
    assert lines[4].endswith("labels cannot tell")


def test_evidence_of_pictures_prints_how_many_rows_were_right() -> None:
    evidence = Evidence(3, 7, ("a", "b"), (1.0,), ("",), "", (0, 1, 1), (0, 0, 0), (), (0, 1, 0))
    assert str(evidence) == "labelled rows: 3; unlabelled rows: 7; alone 1 of 3 right; adopted 2 of 3 right"
