"""MNIST to USPS: digits of 28 x 28 pixels released at entry level, adopted for digits of 16 x 16 with 100 labels."""

from collections.abc import Iterator

from tacit.data.columns import Label, Numeric
from tacit.data.datasets import load_mnist, load_usps
from tacit.data.schema import Schema
from tacit.data.splits import few_labels
from tacit.experiments.registry import Row
from tacit.experiments.transfer_runs import gathered, measure
from tacit.kinds.class_moments.make import make_release

SEEDS = 10
EPSILON, DELTA = 0.1, 1e-9
PUBLISHED = 0.9223  # [membership] Table 2


def rows() -> Iterator[Row]:
    """Yield accuracies on the 2007 test digits, with image shapes declared and with nothing declared."""
    source, target = load_mnist(), load_usps()
    nameless = Schema((*(Numeric(f"x{k}", (0, 1)) for k in range(256)), Label("digit", target.classes)))
    for setting, schema in (("image shapes declared", target.schema), ("nothing declared", nameless)):
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
            y = few_labels(target.y_train, per_class=10, random_state=seed)
            runs.append(measure(release, schema, (target.X_train, y), (target.X_test, target.y_test), seed=seed))
        yield from gathered(f"entry epsilon {EPSILON:g}, {setting}", runs, paper=PUBLISHED)
