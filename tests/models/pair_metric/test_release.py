from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.release import bound_widths, metric_of_columns, metric_release, released_metric
from tacit.releases.file import Release

SCHEMA = Schema((*(Numeric(name, (0, 8)) for name in "abcd"), Label("kind", ("x", "y", "z"))))


@pytest.fixture(scope="module")
def release() -> Release:
    X, y = load_iris(return_X_y=True)
    model = PairMetric(3.0, bounds=(0, 8), random_state=0).fit(X, y)
    return metric_release(
        model.components_,
        model.card_,
        bounds=(0, np.full(4, 8.0)),
        kappa=2,
        transitive=False,
        fell_back=True,
        settings={"solver": "diagonal", "n_pairs": 149},
        schema=SCHEMA.to_dict(),
    )


def test_the_file_states_bounds_kappa_and_whether_the_metric_is_plain(release: Release) -> None:
    assert release.kind == "pair_metric"
    assert release.settings == {
        "low": 0.0,
        "high": [8.0] * 4,
        "kappa": 2,
        "transitive": False,
        "fell_back": True,
        "solver": "diagonal",
        "n_pairs": 149,
    }


def test_a_metric_is_read_with_its_settings_and_columns(release: Release) -> None:
    components, settings = released_metric(release)
    assert components.shape == (4, 4)
    assert settings["kappa"] == 2
    again, schema = metric_of_columns(release)
    assert np.array_equal(again, components)
    assert schema.encoded_names == SCHEMA.encoded_names


def test_malformed_files_are_refused(release: Release) -> None:
    with pytest.raises(InputError, match="kind 'pair_metric'"):
        released_metric(replace(release, kind="linear"))
    with pytest.raises(InputError, match="malformed"):
        released_metric(replace(release, settings={"low": 0}))
    with pytest.raises(InputError, match="malformed"):
        released_metric(replace(release, arrays={"components": np.ones(4)}))
    with pytest.raises(InputError, match="needs its schema"):
        metric_of_columns(replace(release, schema=None))
    with pytest.raises(ReleaseError, match="differ in their columns"):
        metric_of_columns(replace(release, arrays={"components": np.ones((2, 3))}))


def test_widths_are_those_of_the_bounds() -> None:
    assert bound_widths((1, [2, 5])).tolist() == [1.0, 4.0]


@pytest.mark.parametrize(
    ("transitive", "words"), [(True, "pass on to third people"), (False, "say nothing about third")]
)
def test_the_card_says_whether_relationships_pass_on(transitive: bool, words: str) -> None:
    X, y = load_iris(return_X_y=True)
    card = PairMetric(1.0, bounds=(0, 8), transitive=transitive).fit(X, y).card_
    assert any(words in assumption for assumption in card.assumptions)


def test_without_a_graph_nothing_is_promised_to_a_whole_person() -> None:
    X, _ = load_iris(return_X_y=True)
    pairs = X[np.arange(40).reshape(20, 2)]
    card = PairMetric(1.0, bounds=(0, 8), kappa=1).fit(pairs, np.tile([1, -1], 10)).card_
    assert any("how many pairs one person is in is not known" in line for line in card.not_protected)
