"""A second round by files: request, answer, predict, adopt."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer
from tacit.data.public.datasets import load_digits
from tacit.data.schemas.file import format_schema
from tacit.interfaces.cli.main import app
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import TrainingSettings
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import write_model


def tacit(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_request_answer_predict_and_adopt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = load_digits()
    names = [column.name for column in data.schema.features]
    label = data.schema.label
    assert label is not None
    pl.DataFrame(data.X_test, schema=names).write_csv("ours.csv")
    classes = pl.Series(label.name, [data.classes[code] for code in data.y_train])
    pl.DataFrame(data.X_train, schema=names).with_columns(classes).write_csv("theirs.csv")
    Path("theirs.toml").write_text(format_schema(data.schema))
    release = CLASS_MOMENTS.release(
        data.X_train, data.y_train, data.schema, unit="record", epsilon=2.0, delta=1e-6, random_state=0
    )
    training = TrainingSettings(batch_size=32, early_stopping=False)
    network = SharpenedClassifier(distillation="sh", n_steps=40, validation_fraction=0.0, training=training)
    model = LabelFreeTransfer([release], schema=data.schema, learner="network", network=network, random_state=0)
    write_model(model.fit(data.X_test).to_model(), "model.tacit")
    Ledger.create(tmp_path / "theirs.ledger", Budget(5, 1e-5, unit="record"))
    assert "can learn about those rows" in tacit("request", "model.tacit", "ours.csv", "-o", "request.tacit")
    owner = ("theirs.csv", "-s", "theirs.toml", "--epsilon", "4", "--ledger", "theirs.ledger")
    assert "at epsilon 4" in tacit("answer", "request.tacit", *owner, "-o", "answer.tacit")
    assert [line.purpose for line in Ledger(tmp_path / "theirs.ledger").lines()] == ["answer in answer.tacit"]
    tacit("predict", "answer.tacit", "ours.csv", "-o", "answers.csv")
    predicted = pl.read_csv("answers.csv")["prediction"].cast(pl.String).to_numpy()
    assert np.mean(predicted == np.array(data.classes)[data.y_test]) > 0.85
    assert "softmax layer on a receiver's features" in tacit("card", "answer.tacit")
    assert "passes" in tacit("audit", "answer.tacit")
    tacit("report", "answer.tacit", "-o", "answer.html")
    assert "softmax layer on a receiver" in Path("answer.html").read_text().lower()
    adopted = tacit("adopt", "answer.tacit", "ours.csv", "-s", "theirs.toml", "-o", "again.tacit")
    assert "features that were sent" in adopted
    tacit("predict", "again.tacit", "ours.csv", "-o", "again.csv")
    again = pl.read_csv("again.csv")["prediction"].cast(pl.String).to_numpy()
    assert np.mean(again == predicted) > 0.95
