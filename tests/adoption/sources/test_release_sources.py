"""Releases as sources of the engine."""

import numpy as np
import pytest
from tests.laws.test_kind_laws import SCHEMA, made, people

from tacit.adoption.sources.release_sources import ReleaseScores, ReleaseView, release_sources
from tacit.adoption.sources.source import clean_scores
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.registry import all_kinds, kind_by_name

X, _ = people(200, 5)


def test_every_kind_becomes_scores_or_a_view() -> None:
    for kind in all_kinds():
        (source,) = release_sources([made(kind)], SCHEMA, X)
        if source.scores is not None:
            assert source.scores(X).shape == (200, 2)
            assert source.view is None
        else:
            assert source.view is not None
            assert (source.view(X) ** 2).mean() == pytest.approx(1)


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: kind.name)
def test_a_stored_source_says_the_same(kind) -> None:  # type: ignore[no-untyped-def]
    (source,) = release_sources([made(kind)], SCHEMA, X)
    part = source.view if source.scores is None else source.scores
    assert isinstance(part, ReleaseScores | ReleaseView)
    again = type(part).from_parts(*part.to_parts())
    assert (again(X) == part(X)).all()


@pytest.mark.parametrize("name", ["linear", "noisy_rows"])
def test_scores_of_unknown_scale_are_brought_to_a_usual_spread(name: str) -> None:
    (source,) = release_sources([made(kind_by_name(name))], SCHEMA, X)
    assert source.scores is not None
    assert not source.calibrated
    scores = clean_scores(source.scores(X), len(X), 2).values
    assert np.diff(scores)[:, 0].std() == pytest.approx(1, rel=0.05)
    assert source.weight_sd > 0.5


def test_the_quality_of_class_sums_is_taken_over() -> None:
    (source,) = release_sources([made(kind_by_name("class_moments"))], SCHEMA, X)
    assert source.reliability.trust > 0.5
    assert source.shares == pytest.approx([0.5, 0.5], abs=0.1)
    assert source.halves is not None
    first, second = source.halves(X)
    assert first.shape == second.shape == (200, 2)


def test_a_class_that_the_owner_does_not_have_is_unknown() -> None:
    ours = Schema((*SCHEMA.columns[:-1], Label("outcome", ("well", "ill", "dead"))))
    (source,) = release_sources([made(kind_by_name("class_moments"))], ours, X)
    assert source.scores is not None
    assert np.isnan(source.scores(X)[:, 2]).all()
    assert source.shares is None


def test_a_release_that_shares_no_column_is_refused() -> None:
    ours = Schema((Numeric("height", (0.0, 1.0)), Label("outcome", ("well", "ill"))))
    with pytest.raises(InputError, match="says nothing about the rows"):
        release_sources([made(kind_by_name("class_moments"))], ours, X[:, :1])


def test_no_more_rows_than_needed_are_shown_to_a_release() -> None:
    many = np.repeat(X, 300, axis=0)
    few, all_rows = (release_sources([made(kind_by_name("class_moments"))], SCHEMA, each)[0] for each in (X, many))
    assert few.scores is not None
    assert all_rows.scores is not None
    assert few.scores(X) == pytest.approx(all_rows.scores(X), abs=0.2)
