"""Class probabilities of averages: classes that no label tells of."""

from dataclasses import replace

import numpy as np
import pytest

from tacit.adoption.average.average import Average, fit_hypotheses
from tacit.adoption.average.class_members import ClassFitter, ClassMember, probabilities
from tacit.adoption.average.kernel_features import features_of
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.storage import average_parts, stored_average
from tacit.adoption.average.weighted_members import WeightedMembers

N, L = 300, 40


def rows_of_three_classes() -> tuple[Inputs, np.ndarray]:
    """Return rows whose classes follow column 0, and a release that knows all of them."""
    Z = np.random.default_rng(0).normal(size=(N, 3))
    codes = np.digitize(Z[:, 0], [-0.5, 0.5]).astype(np.intp)
    scores = -4 * (Z[:, :1] - np.array([-1.2, 0.0, 1.2])) ** 2
    return Inputs((scores - scores.mean(axis=1, keepdims=True),), Z, features_of(Z[:L], 3.0)), codes


def learned(*, useless: bool = False) -> tuple[Average[ClassMember], Inputs, np.ndarray]:
    """Return what labels of the first two classes teach with the release, or with its scores of other rows."""
    rows, codes = rows_of_three_classes()
    rows = replace(rows, scores=(rows.scores[0][::-1] if useless else rows.scores[0],))
    kept = np.flatnonzero(codes < 2)[:L]
    shown = Inputs((rows.scores[0][kept],), rows.Z[kept], rows.features)
    fit = ClassFitter(shown, codes[kept], Setting(3, np.array([10.0]), rows.scores[0].mean(axis=0)[None]))
    return fit_hypotheses(fit, [0.6]).average(), rows, codes


def test_a_class_without_labels_is_as_probable_as_members_with_releases_say() -> None:
    average, rows, codes = learned()
    whole = probabilities(average, rows)
    assert whole.sum(axis=1) == pytest.approx(np.ones(N))
    assert whole.min() >= 0
    assert average.joined is not None
    used = [place for place, each in enumerate(average.joined.members) if each.hypothesis.usage.used]
    weights = average.joined.weights[used] / average.joined.weights[used].sum()
    told = WeightedMembers(weights, tuple(average.joined.members[place] for place in used))
    plain = average.mean(lambda member: member.probabilities(rows))[:, 2]
    expected = plain + average.support * np.maximum(probabilities(told, rows)[:, 2] - plain, 0)
    assert whole[:, 2] == pytest.approx(expected)
    assert (whole.argmax(axis=1)[codes == 2] == 2).mean() > 0.8


def test_odds_among_classes_with_labels_stay_as_they_are() -> None:
    average, rows, _ = learned()
    whole, plain = probabilities(average, rows), average.mean(lambda member: member.probabilities(rows))
    assert whole[:, 0] / whole[:, 1] == pytest.approx(plain[:, 0] / plain[:, 1])


def test_labels_that_speak_against_a_release_take_its_say_on_other_classes() -> None:
    for_it, against_it = learned()[0], learned(useless=True)[0]
    assert for_it.support == 1.0
    assert against_it.joined is None or against_it.support < 0.5


def test_learning_alone_knows_nothing_of_a_class_without_labels() -> None:
    average, rows, codes = learned()
    alone = probabilities(average.alone, rows)
    assert (alone == average.alone.mean(lambda member: member.probabilities(rows))).all()
    assert (alone.argmax(axis=1)[codes == 2] != 2).all()


def test_a_stored_average_says_the_same_and_one_of_an_older_file_what_it_said() -> None:
    average, rows, _ = learned()
    arrays, settings = average_parts(average)
    assert probabilities(stored_average(arrays, settings), rows).tobytes() == probabilities(average, rows).tobytes()
    del settings["support"]
    plain = average.mean(lambda member: member.probabilities(rows))
    assert probabilities(stored_average(arrays, settings), rows) == pytest.approx(plain)
