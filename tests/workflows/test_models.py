"""Model files as predictors: what each file holds, and what is said of files that predict nothing."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.schemas.columns import Label, Numeric, Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError, TacitError
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.releases.file import Model, write_release
from tacit.releases.file import write_model as write_file
from tacit.workflows.models import (
    RECEIVERS,
    AdoptedModel,
    is_model_file,
    is_release_file,
    open_predictor,
    read_model,
    write_model,
)

SCHEMA = Schema((Numeric("x", (0, 1)), Numeric("z", (0, 1)), Label("y", ("no", "yes"))))
TARGET = Schema((Numeric("x", (0, 1)), Numeric("z", (0, 1)), Target("cost", (0, 10))))


def people(n: int, *, numbers: bool = False, seed: int = 0) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    x, z = draw.uniform(size=(2, n))
    columns: dict[str, Any] = {"x": x, "z": z}
    columns |= {"cost": 10 * x} if numbers else {"y": np.where(x > 0.5, "yes", "no")}
    return pl.DataFrame(columns)


@pytest.fixture(scope="module")
def classes() -> AdoptedModel:
    release = tacit.release(people(300), SCHEMA, epsilon=3, method="additive", random_state=0)
    return tacit.adopt([release], people(30, seed=1), schema=SCHEMA, random_state=0)


@pytest.fixture(scope="module")
def numbers() -> AdoptedModel:
    release = tacit.release(people(300, numbers=True), TARGET, epsilon=3, random_state=0)
    return tacit.adopt([release], people(30, numbers=True, seed=1), schema=TARGET, random_state=0)


def test_a_model_comes_back_with_its_schema_and_predicts_the_same(classes: AdoptedModel, tmp_path: Path) -> None:
    write_model(classes, tmp_path / "model.tacit")
    again = read_model(tmp_path / "model.tacit")
    rows = people(50, seed=2).select("x", "z").to_numpy()
    assert again.schema == SCHEMA
    assert again.classifier.predict_proba(rows).tobytes() == classes.classifier.predict_proba(rows).tobytes()
    assert again.evidence == classes.evidence
    assert repr(again) == "<AdoptedModel 'averaged_model': AveragedTransfer>"


def test_a_model_of_classes_has_no_regressor_and_one_of_a_target_no_classifier(
    classes: AdoptedModel, numbers: AdoptedModel
) -> None:
    assert classes.classifier is classes.learner
    assert numbers.regressor is numbers.learner
    with pytest.raises(InputError, match="see its classifier"):
        _ = classes.regressor
    with pytest.raises(InputError, match="see its regressor"):
        _ = numbers.classifier


def test_the_file_alone_or_the_whole_model_can_be_written(classes: AdoptedModel, tmp_path: Path) -> None:
    write_model(classes, tmp_path / "whole.tacit")
    write_model(classes.model, tmp_path / "file.tacit")
    assert (tmp_path / "whole.tacit").read_bytes() == (tmp_path / "file.tacit").read_bytes()
    assert (tmp_path / "whole.tacit").stat().st_mode & 0o077 == 0


def test_files_are_told_by_what_they_hold(classes: AdoptedModel, tmp_path: Path) -> None:
    release = tacit.release(people(100), SCHEMA, epsilon=3, method="linear", random_state=0)
    write_release(release, tmp_path / "release.tacit")
    write_model(classes, tmp_path / "model.tacit")
    (tmp_path / "text.tacit").write_text("not a file of ours")
    held = {path.stem: (is_release_file(path), is_model_file(path)) for path in sorted(tmp_path.iterdir())}
    assert held == {"model": (False, True), "release": (True, False), "text": (False, False)}
    assert not is_release_file(tmp_path / "missing.tacit")


def test_a_linear_release_predicts_by_itself_and_others_say_why_not(tmp_path: Path) -> None:
    for method in ("linear", "moments"):
        release = tacit.release(people(300), SCHEMA, epsilon=5, method=method, random_state=0)
        write_release(release, tmp_path / f"{method}.tacit")
    predictor = open_predictor(tmp_path / "linear.tacit")
    assert isinstance(predictor.learner, FeatureSplitClassifier)
    assert predictor.schema == SCHEMA
    with pytest.raises(TacitError, match="release"):
        open_predictor(tmp_path / "moments.tacit")


def test_a_model_without_a_schema_or_of_no_known_kind_is_refused(classes: AdoptedModel, tmp_path: Path) -> None:
    write_file(Model("averaged_model", {}, {}), tmp_path / "bare.tacit")
    with pytest.raises(ReleaseError, match="no schema"):
        read_model(tmp_path / "bare.tacit")
    other = Model("something_else", {}, {}, (), SCHEMA.to_dict())
    write_file(other, tmp_path / "other.tacit")
    with pytest.raises(ReleaseError, match="of kind 'something_else'"):
        read_model(tmp_path / "other.tacit")
    assert "something_else" not in RECEIVERS
