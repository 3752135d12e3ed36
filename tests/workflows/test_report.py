"""The report on a file: one call for models, releases and fabricated tables."""

from pathlib import Path

import numpy as np
import pytest

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.releases.file import Model, write_model, write_release
from tacit.workflows.fabricated_tables import write_fabricated
from tacit.workflows.models import is_model_file
from tacit.workflows.report import report

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
