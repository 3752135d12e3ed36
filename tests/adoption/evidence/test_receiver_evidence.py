"""Evidence of adopting classes: what labels can tell, figures of each way to learn, and files of all of it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tacit.adoption.average.average import Average
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.adoption.evidence.comparison import Comparison
from tacit.adoption.evidence.figures import CalibrationBin, Figure, HeldOut
from tacit.adoption.evidence.held_out import HeldOutMethods
from tacit.adoption.evidence.label_free import Agreement
from tacit.adoption.evidence.own_comparison import compare_evidence
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.evidence.receiver_evidence import (
    BETTER,
    CANNOT_TELL,
    LEAST_CLASS_LABELS,
    LEAST_LABELS,
    WORSE,
    AdoptionEvidence,
    MethodFigures,
    ReleaseFigures,
    all_figures,
    labels_can_tell,
    release_figures,
    release_gains,
)
from tacit.adoption.sources.source import Reliability, Source

HALF = Figure(0.5, 0.4, 0.6)
METHOD = MethodFigures("adopted", HALF, None, HALF, (CalibrationBin(0.4, HALF, 7),))
RELEASE = ReleaseFigures("a", 0.6, 0.9, 0.1, HALF, Agreement(0.8, 0.5, 40), ("worse",), 2, "3 columns shared by name")
EVIDENCE = AdoptionEvidence(
    90, ("no", "yes"), (6, 4), (METHOD,), Figure(-0.1, -0.2, -0.05), (RELEASE,), (0, 1, 1), (0, 0, 1), (0, 1, 0)
)
CODES = np.array([0, 1] * 10)


def held_out(probability: float) -> HeldOut:
    """Return predictions that give the true class this probability."""
    true = np.eye(2)[CODES]
    return HeldOut((probability * true + (1 - probability) * (1 - true))[None], np.zeros((1, 20), dtype=np.intp))


def methods(*, without: tuple[HeldOut, ...] = ()) -> HeldOutMethods:
    return HeldOutMethods(held_out(0.5), held_out(0.6), held_out(0.9), without)


def test_evidence_comes_back_from_json() -> None:
    assert AdoptionEvidence.from_dict(json.loads(json.dumps(EVIDENCE.to_dict()))) == EVIDENCE
    bare = replace(EVIDENCE, difference=None, releases=(replace(RELEASE, gain=None, agreement=None),), methods=())
    assert AdoptionEvidence.from_dict(json.loads(json.dumps(bare.to_dict()))) == bare


def test_json_says_what_can_be_computed_too() -> None:
    content = EVIDENCE.to_dict()
    assert content["labelled"] == 10
    assert content["labels"] == {"no": 6, "yes": 4}
    assert content["verdict"] == BETTER
    assert content["releases"][0]["agreement"] == {"share": 0.8, "chance": 0.5, "kappa": pytest.approx(0.6), "rows": 40}


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (None, CANNOT_TELL),
        (Figure(-0.1, -0.2, 0.0), CANNOT_TELL),
        (Figure(0.1, 0.0, 0.2), CANNOT_TELL),
        (Figure(-0.1, -0.2, -1e-9), BETTER),
        (Figure(0.1, 1e-9, 0.2), WORSE),
    ],
)
def test_a_verdict_needs_an_interval_without_0(difference: Figure | None, verdict: str) -> None:
    assert replace(EVIDENCE, difference=difference).verdict == verdict


def test_weights_notes_and_classes_without_labels_are_read_off() -> None:
    evidence = replace(EVIDENCE, labels=(3, 0), releases=(RELEASE, replace(RELEASE, used=0.0, note="")))
    assert evidence.weights == (0.9, 0.0)
    assert evidence.notes == ("3 columns shared by name", "")
    assert evidence.classes_without_labels == ("yes",)
    assert evidence.n_labelled == 3


@pytest.mark.parametrize(
    ("counts", "enough"),
    [
        ((LEAST_LABELS - LEAST_CLASS_LABELS, LEAST_CLASS_LABELS), True),
        ((LEAST_LABELS - LEAST_CLASS_LABELS - 1, LEAST_CLASS_LABELS), False),
        ((LEAST_LABELS, LEAST_CLASS_LABELS - 1), False),
        ((LEAST_LABELS,), False),
        ((), False),
        ((5, 5, 1), True),
    ],
)
def test_labels_can_tell_from_ten_on_with_two_of_a_second_class(counts: tuple[int, ...], enough: bool) -> None:
    assert labels_can_tell(np.repeat(np.arange(len(counts)), counts)) is enough


def test_figures_of_all_ways_are_named_in_order_and_releases_alone_only_if_there_are_any() -> None:
    names = [each.name for each in all_figures(methods(), held_out(0.7), CODES)]
    assert names == ["majority", "alone", "releases", "adopted"]
    figures = all_figures(methods(), None, CODES)
    assert [each.name for each in figures] == ["majority", "alone", "adopted"]
    assert [each.log_loss.value for each in figures] == pytest.approx([-np.log(p) for p in (0.5, 0.6, 0.9)])
    assert [each.accuracy.value for each in figures] == [0.5, 1.0, 1.0]


def test_the_gain_of_a_release_is_what_its_absence_costs() -> None:
    gains = release_gains(methods(without=(held_out(0.8), held_out(0.9))), 2, CODES)
    assert [each.value for each in gains if each] == pytest.approx([np.log(0.9 / 0.8), 0.0])
    (only,) = release_gains(methods(), 1, CODES)
    assert only is not None
    assert only.value == pytest.approx(np.log(0.9 / 0.6))
    assert release_gains(None, 3, CODES) == [None, None, None]


def test_figures_of_releases_are_those_of_the_average_and_of_the_source() -> None:
    source = Source("clinic", None, Reliability(), note="2 columns shared by name")
    average: Average[object] = Average(WeightedMembers(np.ones(0), ()), None, 0.0, np.array([0.7]), np.array([0.2]))  # type: ignore[type-var]
    (figures,) = release_figures(
        [source], average, trusts=[0.5], gains=[HALF], agreements=[None], unknown=[("ill",)], unusable=[4]
    )
    assert figures == ReleaseFigures("clinic", 0.5, 0.7, 0.2, HALF, None, ("ill",), 4, "2 columns shared by name")


def test_a_notebook_shows_every_figure_and_the_verdict() -> None:
    page = EVIDENCE._repr_html_()
    for words in ("adopted", "0.500 (0.400 to 0.600)", "labels cannot tell", "better", "0.90"):
        assert words in page


def test_own_labels_are_compared_as_they_were_predicted() -> None:
    comparison = compare_evidence(EVIDENCE)
    assert isinstance(comparison, Comparison)
    assert comparison.truth.tolist() == [0, 1, 1]
    assert comparison.right_only.tolist() == [True, False, True]
    assert comparison.right_with.tolist() == [True, True, False]
    assert compare_evidence(replace(EVIDENCE, truth=(), alone=(), adopted=())) is None


@pytest.mark.parametrize("view", ["", "oriented gradients"])
def test_a_view_is_compared_only_if_a_release_brought_one(view: str) -> None:
    evidence = Evidence(3, 5, ("no", "yes"), (0.5,), ("",), view, (0, 1, 1), (0, 0, 1), (1, 1, 1), (0, 1, 1))
    comparison = compare_evidence(evidence)
    assert comparison is not None
    assert (comparison.view_only is None) is (not view)


def test_evidence_of_pictures_comes_back_from_json() -> None:
    evidence = Evidence(
        3, 5, ("no", "yes"), (0.5, 0.0), ("", "x"), "", (0,), (1,), (1,), (0,), ((0.8, 0.5), None), (0.4, 0.6)
    )
    again = Evidence.from_dict(json.loads(json.dumps(evidence.to_dict())))
    assert again.weights == evidence.weights
    assert [None if each is None else tuple(each) for each in again.agreements] == [(0.8, 0.5), None]
    assert again.shares == evidence.shares
