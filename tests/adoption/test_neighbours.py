import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from typer.testing import CliRunner

from tacit import (
    AveragedTransfer,
    MetricNeighbours,
    PairMetric,
    Release,
    TransferClassifier,
    read_release,
    write_release,
)
from tacit.arrays import FloatArray
from tacit.data.rows.encoding import decode
from tacit.data.schemas.columns import Column, Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.interfaces.cli.main import app
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.pair_metric import KIND as PAIR_METRIC
from tacit.kinds.pair_metric.teach import metric_between
from tacit.releases.file import Model, read_model, write_model
from tacit.workflows.report import report_release

MEANS = Numeric("means", (0.0, 10.0))
CHATTER: tuple[Column, ...] = tuple(Numeric(f"chatter{place}", (0.0, 1.0)) for place in range(8))
CLASS = Label("class", ("no", "yes"))
SCHEMA = Schema((MEANS, *CHATTER, CLASS))


def people(n_rows: int, seed: int) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return encoded rows of which the first column tells the class, and eight others nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    return np.column_stack([np.clip(0.3 + 0.4 * y + rng.normal(0, 0.08, n_rows), 0, 1), rng.random((n_rows, 8))]), y


@pytest.fixture(scope="module")
def metric() -> Release:
    return PAIR_METRIC.release(*people(3000, 0), SCHEMA, unit="pair", epsilon=2.0, delta=1e-6, random_state=0)


@pytest.mark.filterwarnings("ignore:y holds -1 and 1 alone")
@parametrize_with_checks([MetricNeighbours()])
def test_scikit_learn_accepts_it(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def test_without_a_release_it_is_plain_neighbours() -> None:
    (X, y), (X_test, _) = people(60, 1), people(200, 2)
    model, plain = MetricNeighbours().fit(X, y), KNeighborsClassifier(5).fit(X, y)
    assert (model.predict(X_test) == plain.predict(X_test)).all()
    assert model.predict_proba(X_test) == pytest.approx(plain.predict_proba(X_test))
    assert (model.target_only_predict(X_test) == model.predict(X_test)).all()
    assert model.evidence_.adopted == model.evidence_.target_only


def test_a_metric_that_knows_what_matters_helps(metric: Release) -> None:
    (X, y), (X_test, y_test) = people(60, 1), people(500, 2)
    y[40:] = -1
    model = MetricNeighbours([metric], schema=SCHEMA).fit(X, y)
    assert (model.predict(X_test) == y_test).mean() > (model.target_only_predict(X_test) == y_test).mean() + 0.05
    assert model.evidence_.weights == (1.0,)
    assert (model.evidence_.n_labelled, model.evidence_.n_unlabelled) == (40, 20)
    ours = PairMetric.from_release(metric)
    peer = KNeighborsClassifier(5).fit(ours.transform(X[:40]), y[:40])
    assert (model.predict(X_test) == peer.predict(ours.transform(X_test))).all()


def test_left_out_rows_are_judged_by_a_slow_loop_alike(metric: Release) -> None:
    X, y = people(30, 3)
    misleading = Release(metric.kind, {"components": np.eye(9)[1:]}, metric.settings, metric.card, metric.schema)
    model = MetricNeighbours([misleading, metric], schema=SCHEMA, n_neighbors=3).fit(X, y)
    transformations = [np.eye(9)[1:], metric.arrays["components"], np.eye(9)]
    judged = []
    for W in transformations:
        rest = [np.delete(np.arange(30), row) for row in range(30)]
        peers = [KNeighborsClassifier(3).fit(X[others] @ W.T, y[others]) for others in rest]
        judged.append([int(peer.predict(X[[row]] @ W.T)[0]) for row, peer in enumerate(peers)])
    right = np.array(judged) == y
    expected = [judged[int((right.sum(axis=1) - right[:, row]).argmax())][row] for row in range(30)]
    assert list(model.evidence_.adopted) == expected
    assert list(model.evidence_.target_only) == judged[-1]
    assert model.evidence_.weights == tuple(float(place == right.sum(axis=1).argmax()) for place in range(2))


def test_a_metric_that_misleads_is_ignored(metric: Release) -> None:
    misleading = Release(metric.kind, {"components": np.eye(9)[1:]}, metric.settings, metric.card, metric.schema)
    X, y = people(60, 4)
    model = MetricNeighbours([misleading], schema=SCHEMA).fit(X, y)
    assert model.evidence_.weights == (0.0,)
    assert (model.predict(X) == model.target_only_predict(X)).all()


def test_distances_are_the_owners_whatever_the_receivers_bounds_and_order(metric: Release) -> None:
    """Rows in the receiver's units lie as far apart as the same people in the owner's."""
    wider = Schema((*CHATTER[:4], Numeric("age", (0, 100)), Numeric("means", (-10.0, 30.0)), CLASS))
    W, note = metric_between(metric, wider)
    rng = np.random.default_rng(5)
    theirs = np.zeros((6, 9))
    theirs[:, :5] = rng.random((6, 5))
    ours = np.column_stack([theirs[:, 1:5], rng.random(6), (10 * theirs[:, 0] + 10) / 40])
    apart = [
        np.linalg.norm(np.diff(rows, axis=0), axis=1) for rows in (ours @ W.T, theirs @ metric.arrays["components"].T)
    ]
    assert apart[0] == pytest.approx(apart[1])
    assert "5 columns shared by name" in note


def test_fewer_labels_than_neighbours_all_vote() -> None:
    model = MetricNeighbours().fit([[0.0], [1.0], [0.4]], [0, 1, 0])
    assert model.predict_proba([[0.5]]) == pytest.approx(np.array([[2 / 3, 1 / 3]]))


@pytest.mark.parametrize("change", [{"schema": None}, {"schema": Schema((Numeric("other", (0, 1)), CLASS)).to_dict()}])
def test_a_metric_of_other_columns_is_refused_with_the_reason(metric: Release, change: dict[str, object]) -> None:
    parts = {"schema": metric.schema} | change
    kept = metric.arrays["components"][:, :1]
    other = Release(metric.kind, {"components": kept}, metric.settings, metric.card, parts["schema"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"needs its schema|share no column"):
        MetricNeighbours([other], schema=SCHEMA).fit(*people(20, 1))


def test_a_malformed_metric_is_refused(metric: Release) -> None:
    short = Release(metric.kind, {"components": np.eye(3)}, metric.settings, metric.card, metric.schema)
    with pytest.raises(ReleaseError, match="differ in their columns"):
        MetricNeighbours([short], schema=SCHEMA).fit(*people(20, 1))


def test_the_model_survives_its_file(metric: Release, tmp_path: Path) -> None:
    X, y = people(40, 6)
    model = MetricNeighbours([metric], schema=SCHEMA, n_neighbors=3).fit(X, y)
    write_model(model.to_model(), tmp_path / "model.tacit")
    again = MetricNeighbours.from_model(read_model(tmp_path / "model.tacit"))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.evidence_ == model.evidence_


@pytest.mark.parametrize("lost", ["rows", "components", "codes", "classes"])
def test_a_model_file_without_a_part_is_refused(metric: Release, lost: str) -> None:
    file = MetricNeighbours([metric], schema=SCHEMA).fit(*people(20, 6)).to_model()
    arrays = {name: array for name, array in file.arrays.items() if name != lost}
    with pytest.raises(ReleaseError, match="misses a part"):
        MetricNeighbours.from_model(Model(file.kind, arrays, file.settings, file.cards, file.schema))


def test_the_command_line_adopts_predicts_and_reports(
    metric: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_release(metric, "metric.tacit")
    Path("ours.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    names = [column.name for column in SCHEMA.features]
    for name, n_rows, seed in (("ours.csv", 40, 7), ("new.csv", 200, 8)):
        X, y = people(n_rows, seed)
        X[:, 0] *= 10
        pl.DataFrame(X, schema=names).with_columns(pl.Series("class", np.array(["no", "yes"])[y])).write_csv(name)
    adopt = ["adopt", "metric.tacit", "ours.csv", "-s", "ours.toml", "-o", "model.tacit"]
    done = CliRunner().invoke(app, adopt)
    assert done.exit_code == 0, done.output
    assert "9 columns shared by name" in done.output
    assert "your labels alone" in done.output
    assert CliRunner().invoke(app, ["predict", "model.tacit", "new.csv", "-o", "told.csv"]).exit_code == 0
    right = pl.read_csv("told.csv")["prediction"] == pl.read_csv("new.csv")["class"]
    assert right.sum() > 180
    done = CliRunner().invoke(app, ["report", "model.tacit", "--test", "new.csv", "-o", "page.html"])
    assert done.exit_code == 0, done.output
    assert read_release("metric.tacit").card.unit in Path("page.html").read_text(encoding="utf-8")


def test_the_page_about_a_metric_shows_what_it_weighs_most(metric: Release) -> None:
    page = report_release(metric)
    assert "<h2>Metric</h2>" in page
    bars = re.findall(r'aria-label="([^"]*): weight', page)
    lengths = np.linalg.norm(metric.arrays["components"], axis=0)
    assert bars == [SCHEMA.encoded_names[place] for place in np.argsort(-lengths, kind="stable")]
    assert bars[0] == "means"
    malformed = Release(metric.kind, {"components": np.eye(3)}, metric.settings, metric.card, metric.schema)
    with pytest.raises(ReleaseError, match="differ in their columns"):
        report_release(malformed)


def test_a_metric_is_adopted_together_with_class_sums(
    metric: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = people(120, 3)
    y[30:] = -1
    sums = CLASS_MOMENTS.release(*people(2000, 1), SCHEMA, epsilon=1.0, delta=1e-6, random_state=0)
    write_release(metric, "metric.tacit")
    write_release(sums, "means.tacit")
    Path("ours.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    decode(X, SCHEMA, y=y).write_csv("ours.csv")
    common = ["ours.csv", "-s", "ours.toml", "-o", "model.tacit"]
    mixed = CliRunner().invoke(app, ["adopt", "metric.tacit", "means.tacit", *common], catch_exceptions=False)
    assert mixed.exit_code == 0, mixed.output
    test, truth = people(500, 4)
    model = AveragedTransfer.from_model(read_model("model.tacit"))
    assert (model.predict(test) == truth).mean() > 0.95
    metric_source, sums_source = model.engine_.sources
    assert metric_source.scores is None
    assert metric_source.view is not None
    assert sums_source.scores is not None
    common = ["ours.csv", "-s", "ours.toml", "-o", "kept.tacit", "--learner", "membership"]
    assert CliRunner().invoke(app, ["adopt", "metric.tacit", "means.tacit", *common]).exit_code == 0
    kept = TransferClassifier.from_model(read_model("kept.tacit"))
    assert [source.kind for source in kept.sources_] == ["pair_metric", "class_moments"]


def test_the_printed_combination_refuses_a_metric(metric: Release) -> None:
    X, y = people(60, 3)
    with pytest.raises(InputError, match="combine='calibrated'"):
        TransferClassifier([metric], schema=SCHEMA, combine="paper").fit(X, y)
