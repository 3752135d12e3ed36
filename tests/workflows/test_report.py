"""The report on a file: one call for models, releases and fabricated tables."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tacit.data.rows.encoding import Encoded, decode
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.releases.file import Model, write_model, write_release
from tacit.workflows.adopt import adopt
from tacit.workflows.fabricated_tables import write_fabricated
from tacit.workflows.models import is_model_file
from tacit.workflows.models import write_model as write_adopted
from tacit.workflows.report import measured_methods, report

SCHEMA = Schema((Numeric("age", (0, 100)), Numeric("dose", (0, 1)), Label("ill", ("no", "yes"))))


def rows(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    return np.clip(np.random.default_rng(0).normal(0.3 + 0.3 * y[:, None], 0.1, (n, 2)), 0, 1), y


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    budget = {"unit": "record", "epsilon": 1.0, "delta": 1e-6, "random_state": 0}
    write_release(CLASS_MOMENTS.release(*rows(), SCHEMA, **budget), folder / "r.tacit")  # type: ignore[arg-type]
    write_fabricated(fabricate(*rows(), SCHEMA, **budget), folder / "f.csv")  # type: ignore[arg-type]
    write_model(Model("m", {"w": np.zeros(2)}, {}), folder / "m.tacit")
    return folder


def test_releases_and_fabricated_tables_get_their_pages(folder: Path) -> None:
    assert "report on a release" in report(folder / "r.tacit")
    assert "report on fabricated rows" in report(folder / "f.csv")
    assert report(folder / "f.csv.tacit") == report(folder / "f.csv")


def test_only_a_fabricated_table_is_compared_with_originals(folder: Path) -> None:
    page = report(folder / "f.csv", originals=folder / "f.csv")
    assert "original" in page
    for name in ("r.tacit", "m.tacit"):
        with pytest.raises(InputError, match="--originals is for fabricated tables"):
            report(folder / name, originals=folder / "f.csv")


def test_only_a_model_is_tested(folder: Path) -> None:
    for name in ("r.tacit", "f.csv"):
        with pytest.raises(InputError, match="--test is for models"):
            report(folder / name, test=folder / "f.csv")


def test_a_file_that_is_neither_is_refused_by_the_reader(folder: Path) -> None:
    (folder / "x.tacit").write_bytes(b"nothing")
    assert not is_model_file(folder / "x.tacit")
    assert is_model_file(folder / "m.tacit")
    with pytest.raises(ReleaseError, match="not a tacit file"):
        report(folder / "x.tacit")


@pytest.mark.parametrize("learner", ["averaged", "membership"])
def test_a_test_table_gives_majority_rate_and_area_beside_accuracy(folder: Path, learner: str, tmp_path: Path) -> None:
    X, y = rows(80)
    ours = Encoded(X, np.where(np.arange(80) < 30, y, -1), SCHEMA.encoded_names, SCHEMA.classes)
    model = adopt([folder / "r.tacit"], ours, SCHEMA, learner=learner)
    write_adopted(model, tmp_path / "model.tacit")
    decode(X[40:], SCHEMA, y=y[40:]).write_csv(tmp_path / "test.csv")
    methods = measured_methods(model, tmp_path / "test.csv")
    adopted = methods[-1]
    assert methods[0].name == "majority"
    assert adopted.area is not None
    truth = roc_auc_score(y[40:], model.classifier.predict_proba(X[40:])[:, 1])
    assert adopted.area.value == pytest.approx(truth)
    page = report(tmp_path / "model.tacit", test=tmp_path / "test.csv")
    assert "of the rows are of the commonest class" in page
    assert f"<b>{adopted.area.value:.3f}</b><span>AUC with what was adopted" in page
    assert "Log-loss 0" not in page
