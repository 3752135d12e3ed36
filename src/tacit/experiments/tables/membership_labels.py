"""USPS to MNIST: digits of 16 x 16 pixels released at entry level, adopted for 28 x 28 with 100 to 500 labels."""

from collections.abc import Iterator

from sklearn.utils import check_random_state

from tacit.data.datasets import load_mnist, load_usps
from tacit.data.splits import few_labels
from tacit.experiments.registry import Row
from tacit.experiments.transfer_runs import gathered, measure
from tacit.kinds.class_moments.make import make_release

SEEDS = 5
EPSILON, DELTA = 0.1, 1e-9
# The receiver's rows, drawn from the 60000; all 10000 test digits are used.
RECEIVED = 9000
# Labels a class, and the accuracy that [membership] Table 3 prints for ten times as many.
PUBLISHED = {10: 0.9229, 20: 0.9586, 30: 0.9731, 40: 0.9763, 50: 0.9799}


def rows() -> Iterator[Row]:
    """Yield accuracies on the 10000 test digits, by the number of labels."""
    source, target = load_usps(), load_mnist()
    for per_class, published in PUBLISHED.items():
        runs = []
        for seed in range(SEEDS):
            release = make_release(
                source.X_train,
                source.y_train,
                source.schema,
                unit="entry",
                epsilon=EPSILON,
                delta=DELTA,
                random_state=seed,
            )
            mine = check_random_state(seed).permutation(len(target.y_train))[:RECEIVED]
            y = few_labels(target.y_train[mine], per_class=per_class, random_state=seed)
            test = target.X_test, target.y_test
            runs.append(measure(release, target.schema, (target.X_train[mine], y), test, seed=seed))
        yield from gathered(f"entry epsilon {EPSILON:g}, {10 * per_class} labels", runs, paper=published)
