"""MNIST to MNIST: 60000 private rows, 9000 of the receiver's with 10 labels a class, 1000 for evaluation."""

from collections.abc import Iterator

from sklearn.utils import check_random_state

from tacit.data.datasets import ImageSet, load_mnist
from tacit.data.splits import few_labels
from tacit.experiments.registry import Row
from tacit.experiments.transfer_runs import gathered, measure_each
from tacit.kinds.class_moments.make import make_release

SEEDS = 5
# (unit, epsilon, delta, published accuracy of [membership] Table 1)
SETTINGS = (
    ("entry", 0.1, 1e-9, 0.951),
    ("entry", 1.0, 1e-9, None),
    ("record", 0.1, 1e-5, None),
    ("record", 0.5, 1e-5, None),
    ("record", 1.0, 1e-5, None),
    ("record", 1e-3, 1e-9, None),
)


def rows() -> Iterator[Row]:
    """Yield accuracies at entry and record level; the last setting is noise in all but name."""
    images = load_mnist()
    runs = [_run(images, seed) for seed in range(SEEDS)]
    for unit, epsilon, _, paper in SETTINGS:
        name = f"{unit} epsilon {epsilon:g}"
        yield from gathered(name, [run[name] for run in runs], paper=paper)


def _run(images: ImageSet, seed: int) -> dict[str, dict[str, float]]:
    releases = {
        f"{unit} epsilon {epsilon:g}": make_release(
            images.X_train, images.y_train, images.schema, unit=unit, epsilon=epsilon, delta=delta, random_state=seed
        )
        for unit, epsilon, delta, _ in SETTINGS
    }
    order = check_random_state(seed).permutation(len(images.y_test))
    mine, held_out = order[:9000], order[9000:]
    y = few_labels(images.y_test[mine], per_class=10, random_state=seed)
    test = images.X_test[held_out], images.y_test[held_out]
    return measure_each(releases, images.schema, (images.X_test[mine], y), test, seed=seed)
