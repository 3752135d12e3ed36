import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tests.models.marginals.conftest import SCHEMA, people

from tacit.data.rows.encoding import encode
from tacit.similarity.learning import LEARNERS, class_area, trained_area

TRAIN, TEST = (encode(people(800, seed), SCHEMA) for seed in (0, 1))


@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_learners_tell_the_classes_apart(learner: str) -> None:
    assert trained_area(learner, TRAIN, TEST) > 0.8


def test_shuffled_labels_teach_nothing() -> None:
    rows = encode(people(800), SCHEMA)
    rows.y[:] = np.random.default_rng(0).permutation(rows.y)
    assert 0.4 < trained_area("logistic regression", rows, TEST) < 0.62


def test_one_class_teaches_nothing_that_can_be_measured() -> None:
    assert np.isnan(trained_area("boosting", TRAIN.where(TRAIN.y == 0), TEST))


def test_a_class_that_the_table_lacks_has_probability_zero() -> None:
    assert trained_area("boosting", TRAIN.where(TRAIN.y < 2), TEST) < trained_area("boosting", TRAIN, TEST)


def test_the_area_of_several_classes_is_their_mean() -> None:
    P = np.random.default_rng(0).dirichlet(np.ones(3), len(TEST.y))
    assert class_area(TEST.y, P) == pytest.approx(roc_auc_score(TEST.y, P, multi_class="ovr"))
    binary = (TEST.y > 0).astype(int)
    assert class_area(binary, P[:, :2]) == pytest.approx(roc_auc_score(binary, P[:, 1]))
