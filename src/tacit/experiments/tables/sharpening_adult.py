"""Adult from 200 labels and unlabelled rows, and blank cells inferred from the other columns; next to peers."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from scipy.special import softmax
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.utils import check_random_state

from tacit.arrays import UNLABELLED, IntArray, Rows
from tacit.data.public.datasets import load_adult
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import TrainingSettings
from tacit.numerics.calibration import apply_temperature, calibration_error, coverage, find_temperature
from tacit.situations.missing.inference import InferredColumn, infer_column
from tacit.situations.missing.learners import LEARNERS

SEEDS, LABELS, UNLABELLED_ROWS, FOLDS = 4, 200, 4_800, 3
# So few labels are learned by heart in more; chosen, as the peers' settings, on other seeds.
STEPS = 300
BLANK_SEEDS, KNOWN, BLANK = 2, 1_000, 3_000
ABSTAIN = 0.8
LEAST = 1e-12
ACCURACY, RAW, CALIBRATED = "accuracy", "calibration error", "calibration error, corrected"

# Encoded rows and their labels.
AdultRows = tuple[Rows, IntArray]
MakeLearner = Callable[[], Any]
QUICK: dict[str, Any] = {"SEEDS": 1, "BLANK_SEEDS": 1, "STEPS": 30, "UNLABELLED_ROWS": 800, "BLANK": 500}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies and calibration errors of income from 200 labels, then of sex and race from 1000 known cells."""
    train, test = (load_adult(part).encode(labels="required") for part in ("train", "test"))
    runs = [_income((train.X, train.y), (test.X, test.y), seed) for seed in range(SEEDS)]
    yield from metric_rows(f"income, {LABELS} labels and {UNLABELLED_ROWS} rows without", runs)
    for column in ("sex", "race"):
        runs = [_blanks(column, seed) for seed in range(BLANK_SEEDS)]
        yield from metric_rows(f"{column}, {KNOWN} cells known and {BLANK} blank", runs)


def _income(train: AdultRows, test: AdultRows, seed: int) -> Figures:
    chosen = check_random_state(seed).permutation(len(train[1]))[: LABELS + UNLABELLED_ROWS]
    X, y = train[0][chosen], train[1][chosen]
    y[LABELS:] = UNLABELLED
    figures: Figures = {}
    for method, make in {**networks(seed), **peers(seed)}.items():
        figures |= _scores(method, *_predict(make, X, y, test[0]), test[1])
    return figures


def networks(seed: int) -> dict[str, MakeLearner]:
    """Return makers of the network with each way to distil, and of the same network on labelled rows only."""
    schema = load_adult("test").schema
    settings = {**dict.fromkeys(("ads", "sh", "pl"), "fixmatch"), "none": "supervised"}
    return {
        f"{algorithm}, {distillation}": partial(
            SharpenedClassifier,
            algorithm=algorithm,
            distillation=distillation,
            schema=schema,
            n_steps=STEPS,
            training=TrainingSettings(early_stopping=False),
            random_state=seed,
        )
        for distillation, algorithm in settings.items()
    }


def peers(seed: int) -> dict[str, MakeLearner]:
    """Return makers of the peers; the first two learn from labelled rows only. Settings were chosen on other seeds."""
    return {
        "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000)),
        "boosted trees": lambda: HistGradientBoostingClassifier(random_state=seed),
        "self-training (logistic regression)": lambda: SelfTrainingClassifier(LogisticRegression(max_iter=1000)),
        "label spreading": lambda: LabelSpreading(kernel="rbf", gamma=1.0),
    }


def _predict(make: MakeLearner, X: Rows, y: IntArray, X_test: Rows) -> tuple[Rows, Rows]:
    """Return probabilities of the test rows as learned, and at a temperature from labelled rows held out in turn."""
    labelled = np.flatnonzero(y != UNLABELLED)
    held_out = np.zeros((len(labelled), 2))
    for _, part in StratifiedKFold(FOLDS).split(labelled, y[labelled]):
        hidden = y.copy()
        hidden[labelled[part]] = UNLABELLED
        held_out[part] = _logits(_fit(make, X, hidden), X[labelled[part]])
    logits = _logits(_fit(make, X, y), X_test)
    return softmax(logits, axis=1), apply_temperature(logits, find_temperature(held_out, y[labelled]))


def _fit(make: MakeLearner, X: Rows, y: IntArray) -> Any:
    model, labelled = make(), y != UNLABELLED
    from_all = isinstance(model, SharpenedClassifier | SelfTrainingClassifier | LabelSpreading)
    return model.fit(X, y) if from_all else model.fit(X[labelled], y[labelled])


def _logits(model: Any, X: Rows) -> Rows:
    logits: Rows = model.logits(X) if isinstance(model, SharpenedClassifier) else np.log(model.predict_proba(X) + LEAST)
    return logits


def _scores(method: str, raw: Rows, calibrated: Rows, truth: IntArray) -> Figures:
    return {
        (method, ACCURACY): float((raw.argmax(axis=1) == truth).mean()),
        (method, RAW): calibration_error(raw, truth),
        (method, CALIBRATED): calibration_error(calibrated, truth),
    }


def _blanks(column: str, seed: int) -> Figures:
    """Return how well each learner fills blanks whose truth is known, and what its own held-out rows had promised."""
    data = load_adult("train")
    chosen = check_random_state(seed).permutation(data.table.height)[: KNOWN + BLANK]
    whole = data.table[chosen]
    blank = pl.Series(np.arange(whole.height) >= KNOWN)
    table = whole.with_columns(whole[column].set(blank, None))
    figures: Figures = {}
    for learner in LEARNERS:
        inferred = infer_column(table, data.schema, column, learner=learner, random_state=seed)
        places = {name: place for place, name in enumerate(inferred.categories)}
        truth = np.array([places.get(name, -1) for name in whole[column]])
        figures |= _scores_of_blanks(learner, inferred, truth[KNOWN:])
    figures["the commonest category", ACCURACY] = inferred.evidence.commonest
    return figures


def _scores_of_blanks(learner: str, inferred: InferredColumn, truth: IntArray) -> Figures:
    answered = coverage(inferred.probabilities, truth, least=ABSTAIN)
    return {
        (learner, ACCURACY): float((inferred.probabilities.argmax(axis=1) == truth).mean()),
        (learner, "accuracy promised by held-out rows"): inferred.evidence.accuracy,
        (learner, CALIBRATED): calibration_error(inferred.probabilities, truth),
        (learner, f"answered above {ABSTAIN:g}"): answered.share,
        (learner, f"accuracy above {ABSTAIN:g}"): answered.accuracy,
    }
