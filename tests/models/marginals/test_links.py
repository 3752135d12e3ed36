"""Numbers that hang on a category, or that it fixes."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.models.marginals.conftest import SCHEMA, measured

from tacit.audit.replay import QueryRecorder
from tacit.data.rows.encoding import Encoded, encode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.link_places import link_places
from tacit.models.marginals.links import (
    MOST_COUNTS,
    NoisyLink,
    complete_link,
    dependence,
    guessing_gain,
    level_cells,
    visible_link,
)
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.model import MarginalModel, fitted_model
from tacit.models.marginals.planning import MOST_LINKS, plan_stages
from tacit.models.marginals.storage import model_arrays, model_settings, stored_model
from tacit.privacy.account import observed_by
from tacit.privacy.budget import Budget

TOWNS = tuple(f"town {code:02}" for code in range(30))
TOWN_SCHEMA = Schema(
    (
        Numeric("age", (17, 90), integer=True),
        Numeric("miles", (0, 3000), integer=True),
        Categorical("town", TOWNS),
        Categorical("way", ("train", "car")),
        Label("late", ("no", "yes")),
    )
)
BUDGET = Budget(1.0, 1e-6, unit="record")


def journeys(n_rows: int, seed: int = 0) -> Encoded:
    """Return rows whose miles are those of their town, by train or by car."""
    rng = np.random.default_rng(seed)
    town, way = rng.integers(0, len(TOWNS), n_rows), rng.integers(0, 2, n_rows)
    miles = (town * 977 + 13) % 2900 + 7 * way
    table = pl.DataFrame(
        {
            "age": rng.integers(17, 91, n_rows),
            "miles": miles,
            "town": [TOWNS[code] for code in town],
            "way": [("train", "car")[code] for code in way],
            "late": [("no", "yes")[code] for code in rng.integers(0, 2, n_rows)],
        }
    )
    return encode(table, TOWN_SCHEMA)


def right_miles(model: MarginalModel) -> float:
    """Return the share of invented rows whose miles are one of their town's two."""
    places, classes = model.places(5000, random_state=1)
    table = model.layout.table(places, classes)
    town = np.array([TOWNS.index(name) for name in table["town"]])
    apart = table["miles"].to_numpy() - (town * 977 + 13) % 2900
    return float(np.isin(apart, (0, 7)).mean())


@pytest.fixture(scope="module")
def towns() -> Measurement:
    rows = journeys(20_000)
    return measured(rows.X, rows.y, TOWN_SCHEMA, epsilon=1.0)


@pytest.fixture(scope="module")
def town_model(towns: Measurement) -> MarginalModel:
    return fitted_model(towns, random_state=0)


def test_invented_rows_have_the_miles_of_their_town(town_model: MarginalModel) -> None:
    assert right_miles(town_model) > 0.97
    without = MarginalModel(replace(town_model.measurement, links=()), town_model.mixture)
    assert right_miles(without) < 0.5


def test_the_category_that_fixes_a_number_is_found_and_asked_as_often_as_planned(towns: Measurement) -> None:
    stages = plan_stages(Layout.of(TOWN_SCHEMA), BUDGET)
    assert stages.n_links == MOST_LINKS
    assert stages.links is not None
    (link,) = towns.links
    assert link.columns == (2, 1)
    assert link.sigma == pytest.approx(stages.links.mechanism.sigma / np.sqrt(MOST_LINKS))  # type: ignore[attr-defined]
    assert len(link.cells) >= 55  # of sixty


def test_one_row_moves_the_query_of_links_by_no_more_than_declared() -> None:
    rows, others = journeys(3000), journeys(20, seed=3)

    def asked(X: np.ndarray, y: np.ndarray, answers: list[np.ndarray]) -> list[tuple[object, np.ndarray]]:
        recorder, queries = QueryRecorder(), []

        def observe(mechanism, values, draw):  # type: ignore[no-untyped-def]
            queries.append((mechanism, values.copy()))
            return answers[len(queries) - 1] if answers else recorder.record(mechanism, values, draw)

        with observed_by(observe):
            measured(X, y, TOWN_SCHEMA)
        answers += [query.answer for query in recorder.queries]
        return queries

    answers: list[np.ndarray] = []
    mechanism, before = asked(rows.X, rows.y, answers)[-1]
    assert before.size == MOST_LINKS * len(TOWNS) * 3001
    for x, label in zip(others.X, others.y, strict=True):
        _, after = asked(np.vstack([rows.X, x]), np.append(rows.y, label), answers)[-1]
        assert np.count_nonzero(after - before) == MOST_LINKS
        assert mechanism.distance(before, after) <= mechanism.sensitivity  # type: ignore[attr-defined]


def test_shuffled_miles_have_no_link() -> None:
    rows = journeys(20_000)
    X = rows.X.copy()
    place = TOWN_SCHEMA.positions["miles"].start
    X[:, place] = np.random.default_rng(0).permutation(X[:, place])
    assert measured(X, rows.y, TOWN_SCHEMA, epsilon=1.0).links == ()


def test_tables_of_few_categories_or_levels_spend_nothing_on_links() -> None:
    stages = plan_stages(Layout.of(SCHEMA), BUDGET)
    assert stages.links is None
    assert stages.n_links == 0


def test_the_gain_of_guessing_is_1_of_what_is_fixed_and_0_of_what_is_independent() -> None:
    fixed, apart = np.diag([500.0, 300, 200]), np.outer([500.0, 300, 200], [0.5, 0.3, 0.2])
    for counts, gain in ((fixed, 1.0), (apart, 0.0)):
        assert guessing_gain(counts, counts.sum(axis=1), counts.sum(axis=0), 5.0) == pytest.approx(gain)
    assert guessing_gain(fixed, fixed.sum(axis=1), fixed.sum(axis=0), 1000.0) <= 0


def test_dependence_is_the_share_of_rows_to_move_and_noise_alone_has_none() -> None:
    rng = np.random.default_rng(0)
    fixed, apart = np.diag([500.0, 500]), np.full((12, 12), 100.0)
    assert dependence(fixed, fixed.sum(axis=1), fixed.sum(axis=0), 0.0) == pytest.approx(0.5)
    noisy = apart + rng.normal(0, 30, apart.shape)
    assert dependence(noisy, apart.sum(axis=1), apart.sum(axis=0), 30.0) < 0.02


def test_a_small_table_orders_rows_inside_coarse_cells() -> None:
    schema = Schema(
        (Categorical("month", tuple("abcdefghijkl")), Numeric("day", (1, 31), integer=True), Label("y", tuple("01")))
    )
    rng = np.random.default_rng(0)
    month = rng.integers(0, 12, 30_000)
    day = (rng.integers(0, 8, 30_000) * 4 + month % 4) % 31
    X, y = np.column_stack([np.eye(12)[month], day / 30]), rng.integers(0, 2, 30_000)
    # Days hang on months also between coarse cells.
    X[month > 5, 12] = np.minimum(X[month > 5, 12], 12 / 30)
    found = measured(X, y, schema, epsilon=1.0)
    (link,) = found.links
    assert link.complete
    model = fitted_model(found, random_state=0)
    without = MarginalModel(replace(found, links=()), model.mixture)
    exact = np.histogram2d(month, np.round(X[:, 12] * 30), bins=(np.arange(13), np.arange(32)))[0] / 30_000
    distances = []
    for each in (model, without):
        places = np.floor(each.places(30_000, random_state=1)[0])
        shares = np.histogram2d(places[:, 0], places[:, 1], bins=(np.arange(13), np.arange(32)))[0] / 30_000
        distances.append((np.abs(shares - exact).sum() / 2, np.abs(shares.sum(axis=0) - exact.sum(axis=0)).sum() / 2))
    assert distances[0][0] < 0.7 * distances[1][0]
    # What single columns say is not changed by it.
    assert distances[0][1] < 1.2 * distances[1][1] + 0.002


def test_a_table_of_noise_is_drawn_to_the_numbers_own_shares(towns: Measurement) -> None:
    ages = towns.columns[0]
    own = ages.projected().sum(axis=0)[ages.cell_of_level(74)] / 10
    noisy = np.tile(own, (10, 1)) + np.random.default_rng(0).normal(0, 30, (10, 74))
    link = complete_link(NoisyLink((2, 0), noisy, np.arange(74), 30.0), ages)
    drawn = np.zeros((10, 74))
    drawn[link.cells[:, 0], link.cells[:, 1]] = link.counts
    assert np.abs(drawn - own).std() < 0.5 * np.abs(noisy - own).std()


def test_noise_alone_is_hardly_ever_visible() -> None:
    noise = np.random.default_rng(0).normal(0, 20, (100, 5000))
    assert len(visible_link(NoisyLink((0, 1), noise, np.arange(5000), 20.0)).cells) <= 3


def test_levels_are_joined_where_they_are_too_many() -> None:
    columns = (
        Categorical("c", tuple(map(str, range(400)))),
        Numeric("x", (0, 19_999), integer=True, missing="flag"),
    )
    layout = Layout.of(Schema(columns))
    cells = level_cells(layout.columns[1], layout)
    assert len(cells) == 20_001
    assert (int(cells.max()) + 1) * 400 <= MOST_COUNTS * 1.01
    assert (cells == cells[-1]).sum() == 1
    assert np.array_equal(level_cells(layout.columns[0], layout), np.arange(400))


def test_rows_that_a_link_does_not_explain_keep_their_cells(towns: Measurement) -> None:
    (link,) = towns.links
    few = replace(link, cells=link.cells[:1], counts=link.counts[:1] / 4)
    places = link_places(few, towns)
    town, low, _ = few.cells[0]
    cells = np.repeat(towns.columns[1].groups[np.searchsorted(towns.columns[1].ranges[:, 0], low, "right") - 1], 1000)
    ranks = (np.arange(1000) + 0.5) / 1000
    placed, left = places(np.full(1000, town), cells, ranks)
    assert 0 < np.isnan(placed).mean() < 1
    assert np.nanmin(placed) >= low
    assert np.ptp(left[np.isnan(placed)]) > 0.9
    assert np.isnan(places(np.full(1000, (town + 1) % 30), cells, ranks)[0]).all()


def test_a_stored_model_with_links_draws_the_same_rows(town_model: MarginalModel) -> None:
    again = stored_model(model_arrays(town_model), model_settings(town_model), town_model.layout)
    first, second = (each.places(200, random_state=3)[0] for each in (town_model, again))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("links", lambda a: a[:, ::-1]),
        ("links", lambda a: a * 0),
        ("link_sigmas", lambda a: -a),
        ("link_cells", lambda a: a[::-1]),
        ("link_cells", lambda a: a + 3000),
        ("link_counts", lambda a: a[:-1]),
        ("link_counts", lambda a: -a),
        ("link_complete", lambda a: a[:0]),
    ],
)
def test_links_that_do_not_fit_the_schema_are_refused(town_model: MarginalModel, name: str, change) -> None:  # type: ignore[no-untyped-def]
    arrays = model_arrays(town_model)
    arrays[name] = change(arrays[name])
    with pytest.raises(ReleaseError, match="malformed"):
        stored_model(arrays, model_settings(town_model), town_model.layout)
