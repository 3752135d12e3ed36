"""The private autoencoder beside linear models, on few small digits."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.small_digits import averaged_pixels
from tacit.experiments.tables import autoencoder_mnist
from tacit.experiments.tables.autoencoder_mnist import DigitTask

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
PRINTED, PLAIN = "autoencoder as printed: no guarantee", "logistic regression, not private"


@pytest.fixture
def images(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> ImageSet:
    images = digits(28, 1300, 300)
    shrink(
        autoencoder_mnist,
        load_mnist=lambda: images,
        PAIR=(3, 5),
        SEEDS=2,
        N_ROWS=200,
        FEW=60,
        EPSILONS=(0.1, 8.0),
        PRINTED_EPSILONS=(8.0, 50.0),
    )
    return images


def test_a_sample_labels_as_many_rows_as_said() -> None:
    X = np.arange(100.0)[:, None]
    task = DigitTask("numbers", X, np.ones(100, dtype=np.int64), X, np.ones(100, dtype=np.int64), 50, 20)
    rows, labels = task.sample(0)
    assert len(np.unique(rows)) == 50
    assert labels.tolist() == [1] * 20 + [-1] * 30
    assert not np.array_equal(rows, task.sample(1)[0])


def test_the_tasks_are_two_digits_and_the_parity_of_all(images: ImageSet) -> None:
    pair, few, parity = autoencoder_mnist.tasks()
    assert [task.name for task in (pair, few, parity)] == [
        "3 or 5, 200 rows",
        "3 or 5, 200 rows, 60 labelled",
        "odd or even, 400 rows",
    ]
    assert len(pair.X) == int(np.isin(images.y_train, (3, 5)).sum())
    np.testing.assert_array_equal(pair.y_test, (images.y_test[np.isin(images.y_test, (3, 5))] == 5).astype(int))
    np.testing.assert_array_equal(parity.y, images.y_train % 2)
    assert (few.n_rows, few.n_labels) == (200, 60)


def test_every_method_is_measured_at_every_epsilon(images: ImageSet, checked: Checked) -> None:
    rows = checked(autoencoder_mnist.rows())
    means = {(row.method, row.setting): row.mean for row in rows}
    for task in ("3 or 5, 200 rows", "3 or 5, 200 rows, 60 labelled", "odd or even, 400 rows"):
        assert (PLAIN, task) in means
        for method in autoencoder_mnist.METHODS:
            # More budget, more accuracy; at a tenth the noise drowns 200 rows.
            assert means[method, f"{task}, epsilon 8"] > 0.7
            assert means[method, f"{task}, epsilon 0.1"] < means[method, f"{task}, epsilon 8"] + 0.05
    assert len(rows) == 3 * (1 + 2 * len(autoencoder_mnist.METHODS)) + 2
    # The printed algorithm is run where all rows are labelled; its noise drowns 200 rows.
    printed = [row.setting for row in rows if row.method == PRINTED]
    assert printed == ["3 or 5, 200 rows, epsilon 8", "3 or 5, 200 rows, epsilon 50"]
    assert means[PRINTED, "3 or 5, 200 rows, epsilon 8"] < 0.75


def test_a_model_that_reads_labels_only_sees_the_labelled_rows(images: ImageSet, shrink: Callable[..., None]) -> None:
    shrink(autoencoder_mnist, METHODS={}, SEEDS=1)
    measured = {row.setting: row.mean for row in autoencoder_mnist.rows() if row.method == PLAIN}
    few = autoencoder_mnist.tasks()[1]
    X, y = few.sample(0)
    oracle = LogisticRegression(max_iter=500).fit(X[:60], y[:60])
    assert measured[few.name] == pytest.approx(oracle.score(few.X_test, few.y_test))
    assert X.shape[1] == averaged_pixels(images.X_test).shape[1] == 49
