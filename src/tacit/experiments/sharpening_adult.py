"""Adult from 200 labels and the rows beside them, and what a blank cell's neighbours tell of it; next to peers."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.utils import check_random_state

from tacit.arrays import UNLABELLED, IntArray
from tacit.data.datasets import load_adult
from tacit.experiments.feedback_runs import gathered
from tacit.experiments.registry import Row
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

Floats = NDArray[np.floating[Any]]
Labelled = tuple[Floats, IntArray]
Maker = Callable[[], Any]
Scores = dict[tuple[str, str], float]


def rows() -> Iterator[Row]:
    """Yield accuracies and calibration errors of income from 200 labels, then of sex and race from 1000 known cells."""
    train, test = (load_adult(part).encode(labels="required") for part in ("train", "test"))
    runs = [_income((train.X, train.y), (test.X, test.y), seed) for seed in range(SEEDS)]
    yield from gathered(f"income, {LABELS} labels and {UNLABELLED_ROWS} rows without", runs)
    for column in ("sex", "race"):
        found = [_blanks(column, seed) for seed in range(BLANK_SEEDS)]
        yield from gathered(f"{column}, {KNOWN} cells known and {BLANK} blank", found)


def _income(train: Labelled, test: Labelled, seed: int) -> Scores:
    chosen = check_random_state(seed).permutation(len(train[1]))[: LABELS + UNLABELLED_ROWS]
    X, y = train[0][chosen], train[1][chosen]
    y[LABELS:] = UNLABELLED
    found: Scores = {}
    for method, make in {**networks(seed), **peers(seed)}.items():
        found |= _scored(method, *_predicted(make, X, y, test[0]), test[1])
    return found


def networks(seed: int) -> dict[str, Maker]:
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


def peers(seed: int) -> dict[str, Maker]:
    """Return makers of the peers; the first two learn from labelled rows only. Settings were chosen on other seeds."""
    return {
        "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000)),
        "boosted trees": lambda: HistGradientBoostingClassifier(random_state=seed),
        "self-training (logistic regression)": lambda: SelfTrainingClassifier(LogisticRegression(max_iter=1000)),
        "label spreading": lambda: LabelSpreading(kernel="rbf", gamma=1.0),
    }


def _predicted(make: Maker, X: Floats, y: IntArray, X_test: Floats) -> tuple[Floats, Floats]:
    """Return probabilities of the test rows as learned, and at a temperature from labelled rows held out in turn."""
    labelled = np.flatnonzero(y != UNLABELLED)
    held_out = np.zeros((len(labelled), 2))
    for _, part in StratifiedKFold(FOLDS).split(labelled, y[labelled]):
        hidden = y.copy()
        hidden[labelled[part]] = UNLABELLED
        held_out[part] = _logits(_fitted(make, X, hidden), X[labelled[part]])
    logits = _logits(_fitted(make, X, y), X_test)
    return softmax(logits, axis=1), apply_temperature(logits, find_temperature(held_out, y[labelled]))


def _fitted(make: Maker, X: Floats, y: IntArray) -> Any:
    model, known = make(), y != UNLABELLED
    from_all = isinstance(model, SharpenedClassifier | SelfTrainingClassifier | LabelSpreading)
    return model.fit(X, y) if from_all else model.fit(X[known], y[known])


def _logits(model: Any, X: Floats) -> Floats:
    logits: Floats = (
        model.logits(X) if isinstance(model, SharpenedClassifier) else np.log(model.predict_proba(X) + LEAST)
    )
    return logits


def _scored(method: str, raw: Floats, calibrated: Floats, truth: IntArray) -> Scores:
    return {
        (method, ACCURACY): float((raw.argmax(axis=1) == truth).mean()),
        (method, RAW): calibration_error(raw, truth),
        (method, CALIBRATED): calibration_error(calibrated, truth),
    }


def _blanks(column: str, seed: int) -> Scores:
    """Return how well each learner fills blanks whose truth is known, and what its own held-out rows had promised."""
    data = load_adult("train")
    chosen = check_random_state(seed).permutation(data.table.height)[: KNOWN + BLANK]
    whole = data.table[chosen]
    blank = pl.Series(np.arange(whole.height) >= KNOWN)
    table = whole.with_columns(whole[column].set(blank, None))
    found: Scores = {}
    for learner in LEARNERS:
        given = infer_column(table, data.schema, column, learner=learner, random_state=seed)
        truth = np.array([given.categories.index(name) if name in given.categories else -1 for name in whole[column]])
        found |= _filled(learner, given, truth[KNOWN:])
    found["the commonest category", ACCURACY] = given.evidence.commonest
    return found


def _filled(learner: str, given: InferredColumn, truth: IntArray) -> Scores:
    answered = coverage(given.probabilities, truth, least=ABSTAIN)
    return {
        (learner, ACCURACY): float((given.probabilities.argmax(axis=1) == truth).mean()),
        (learner, "accuracy promised by held-out rows"): given.evidence.accuracy,
        (learner, CALIBRATED): calibration_error(given.probabilities, truth),
        (learner, f"answered above {ABSTAIN:g}"): answered.share,
        (learner, f"accuracy above {ABSTAIN:g}"): answered.accuracy,
    }
