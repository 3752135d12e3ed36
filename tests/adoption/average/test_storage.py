"""Averages, kernel features, trees and representations through arrays and JSON, to the last bit."""

import json
from typing import Any

import numpy as np
import pytest

from tacit.adoption.average.average import Average
from tacit.adoption.average.boosted_trees import BoostedTrees, learn_class_trees
from tacit.adoption.average.class_members import probabilities
from tacit.adoption.average.hypotheses import Hypothesis, Usage
from tacit.adoption.average.kernel_features import features_of
from tacit.adoption.average.learned import LabelledRows, Surroundings, learn
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.representation import Representation, represent
from tacit.adoption.average.storage import (
    array_fields,
    average_parts,
    kernel_parts,
    named,
    stored_average,
    stored_fields,
    stored_kernels,
    under,
)
from tacit.adoption.average.target_member import TargetFitter

DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(40, 3))


def learned(n_classes: int, *, releases: bool = True) -> tuple[Average[Any], Inputs]:
    codes = (np.argsort(np.argsort(X[:, 0])) * n_classes // 40).astype(np.intp)
    scores = (X[:, :1] * np.linspace(-1, 1, n_classes),) if releases else ()
    setting = Setting(n_classes, np.ones(len(scores)), np.zeros((len(scores), n_classes)))
    rows = LabelledRows(X, X, scores, codes)
    result = learn(rows, Surroundings(setting, (0.6,) * len(scores), 3.0), seed=0)
    return result.average, result.inputs(rows)


@pytest.mark.parametrize(("n_classes", "releases"), [(2, True), (2, False), (3, True), (3, False)])
def test_an_average_comes_back_to_the_last_bit(n_classes: int, releases: bool) -> None:
    average, inputs = learned(n_classes, releases=releases)
    arrays, settings = average_parts(average)
    again = stored_average(arrays, json.loads(json.dumps(settings)))
    assert probabilities(again, inputs).tobytes() == probabilities(average, inputs).tobytes()
    assert again.used.tolist() == average.used.tolist()
    assert (again.joined is None) is (average.joined is None)
    members = [(each.hypothesis, each.log_evidence) for each in average.alone.members]
    assert [(each.hypothesis, each.log_evidence) for each in again.alone.members] == members


def test_members_of_a_numeric_target_come_back_too() -> None:
    inputs = Inputs((X[:, :1],), X, features_of(X, 3.0))
    fit = TargetFitter(inputs, X[:, 0], Setting(1, np.ones(1), np.zeros((1, 1))))
    member = fit(Hypothesis(Usage((1,)), 0.2, "linear", 0.5, trees=False, log_prior=-1.0))
    average = Average(type(learned(2)[0].alone)(np.ones(1), (member,)), None, 0.0, np.zeros(1), np.zeros(1))
    arrays, settings = average_parts(average)
    again = stored_average(arrays, json.loads(json.dumps(settings))).alone.members[0]
    assert again.moments(inputs)[0].tobytes() == member.moments(inputs)[0].tobytes()
    assert (again.hypothesis, again.scale, again.freedom) == (member.hypothesis, member.scale, member.freedom)


def test_an_average_of_an_unknown_form_is_not_read() -> None:
    arrays, settings = average_parts(learned(2)[0])
    settings["alone"][0]["form"] = "cubic"
    with pytest.raises(KeyError, match="cubic"):
        stored_average(arrays, settings)


def test_kernel_features_come_back_under_their_names() -> None:
    features = features_of(X, 3.0)
    features["radial@1"] = features["radial"]
    arrays, settings = kernel_parts(features)
    again = stored_kernels(arrays, json.loads(json.dumps(settings)))
    assert list(again) == ["linear", "radial", "radial@1"]
    for name, each in again.items():
        assert each(X).tobytes() == features[name](X).tobytes()


def test_parts_of_arrays_alone_come_back_by_their_fields() -> None:
    representation = represent(np.column_stack([X, (X[:, 0] > 0).astype(float)]))
    again = stored_fields(Representation, array_fields(representation))
    rows = np.column_stack([X, (X[:, 0] > 0).astype(float)])
    assert again(rows).tobytes() == representation(rows).tobytes()
    trees = learn_class_trees(X, (X[:, 0] > 0).astype(np.intp), 2, seed=0)
    assert stored_fields(BoostedTrees, array_fields(trees))(X).tobytes() == trees(X).tobytes()


def test_names_with_a_prefix_are_found_again_and_no_others() -> None:
    arrays = {"a": np.zeros(1), "b_c": np.ones(1)}
    together = named(arrays, "alone_1") | named({"a": np.full(1, 2.0)}, "alone_10") | {"alone": np.zeros(0)}
    assert set(together) == {"alone_1_a", "alone_1_b_c", "alone_10_a", "alone"}
    assert {name: each.tolist() for name, each in under(together, "alone_1").items()} == {"a": [0.0], "b_c": [1.0]}
