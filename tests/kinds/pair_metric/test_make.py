from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from tacit import Budget, PairMetric, read_release
from tacit.arrays import FloatArray
from tacit.audit.replay import replay
from tacit.data.rows.pairs import chain
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError, InputError, SchemaError
from tacit.interfaces.cli.main import app
from tacit.kinds.pair_metric import KIND as PAIR_METRIC
from tacit.kinds.pair_metric.plan import difference_radius, feature_scales, indicator_columns
from tacit.privacy.ledger import Ledger

SCHEMA = Schema((Numeric("number", (0, 1)), Categorical("kind", ("a", "b")), Label("class", ("0", "1"))))
TOML = """
version = 1
[columns.number]
kind = "numeric"
bounds = [0, 1]
[columns.class]
kind = "label"
classes = ["no", "yes"]
"""


def rows(n_rows: int = 400) -> tuple[FloatArray, NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    return np.column_stack([0.5 * y + 0.5 * rng.random(n_rows), np.eye(2)[rng.integers(0, 2, n_rows)]]), y


def test_the_release_says_kappa_and_weighs_what_tells_classes_apart() -> None:
    release = PAIR_METRIC.release(*rows(), SCHEMA, unit="pair", epsilon=4.0, delta=1e-6)
    assert (release.kind, release.card.unit, release.settings["kappa"]) == ("pair_metric", "pair", 1)
    assert release.settings["transitive"] is True
    assert release.schema == SCHEMA.to_dict()
    metric = PairMetric.from_release(release)
    assert metric.components_.diagonal().argmax() == 0
    assert metric.transform(rows()[0]).shape == (400, 3)


def test_public_facts_come_from_the_schema_alone() -> None:
    assert feature_scales(SCHEMA) == pytest.approx([1.0, 0.5**0.5, 0.5**0.5])
    assert indicator_columns(SCHEMA).tolist() == [False, True, True]
    assert difference_radius(SCHEMA, norm=2) == pytest.approx(0.95**0.5)
    assert difference_radius(SCHEMA, norm=1) == pytest.approx(1.35)


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_a_replay_on_a_changed_pair_finds_nothing(delta: float) -> None:
    """The last person of the chain stands in one pair: changing their row and class changes that pair alone."""
    X, y = rows(40)
    last = int(chain(40, random_state=3).indices[-1, 1])
    other, turned = X.copy(), y.copy()
    other[last], turned[last] = [1 - round(X[last, 0]), *X[last, :0:-1]], 1 - y[last]

    def run(table: tuple[FloatArray, NDArray[np.int64]]) -> dict[str, object]:
        release = PAIR_METRIC.release(*table, SCHEMA, unit="pair", epsilon=1.0, delta=delta, random_state=3)
        return dict(release.arrays)

    seen = replay(run, (X, y), (other, turned)).require()
    assert seen.queries == 1
    assert seen.largest_share > 0.1


@pytest.mark.parametrize("unit", ["record", "entry"])
def test_another_unit_is_refused_with_the_way_out(unit: str) -> None:
    with pytest.raises(InputError, match="--unit pair"):
        PAIR_METRIC.plan(SCHEMA, unit=unit, epsilon=1.0, delta=1e-6)


def test_a_schema_without_classes_and_rows_of_another_shape_are_refused() -> None:
    with pytest.raises(SchemaError, match="two classes"):
        PAIR_METRIC.plan(Schema((Numeric("number", (0, 1)),)), unit="pair", epsilon=1.0, delta=1e-6)
    X, y = rows(10)
    with pytest.raises(InputError, match="3 encoded columns"):
        PAIR_METRIC.release(X[:, :2], y, SCHEMA, unit="pair", epsilon=1.0, delta=1e-6)


def test_a_refused_charge_releases_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "pairs.ledger", Budget(0.5, 1e-6, unit="pair"))
    with pytest.raises(BudgetExceededError):
        PAIR_METRIC.release(*rows(), SCHEMA, unit="pair", epsilon=1.0, delta=1e-6, ledger=ledger)
    assert not ledger.lines()


def test_the_command_line_releases_a_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = rows(200)
    lines = [f"{x[0]:.4f},{'yes' if code else 'no'}" for x, code in zip(X, y, strict=True)]
    Path("ours.csv").write_text("number,class\n" + "\n".join(lines), encoding="utf-8")
    Path("ours.toml").write_text(TOML, encoding="utf-8")
    Ledger.create("ours.ledger", Budget(2.0, 1e-5, unit="pair"))
    common = ["release", "ours.csv", "-s", "ours.toml", "--epsilon", "1", "--method", "pairs"]
    refused = CliRunner().invoke(app, [*common, "-o", "metric.tacit"])
    assert refused.exit_code != 0
    assert not Path("metric.tacit").exists()
    made = CliRunner().invoke(app, [*common, "--unit", "pair", "--ledger", "ours.ledger", "-o", "metric.tacit"])
    assert made.exit_code == 0, made.output
    assert "tacit adopt metric.tacit" in made.output
    release = read_release("metric.tacit")
    assert release.card.holds
    assert PairMetric.from_release(release).transform(X[:, :1]).shape == (200, 1)
