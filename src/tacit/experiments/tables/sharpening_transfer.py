"""MNIST to MNIST with a network for a receiver: 60000 private rows, 9000 of the receiver's, 20 or 100 of them labelled.

The receiver learns alone twice: a perceptron of the pixels as columns, and, in the public view that an image schema
brings, a convolutional network, which is also what a release guides.

All settings are the classifier's own. Voting beside the network and the number of steps were chosen on draw 0 with 100
labels, which is why the draws begin with 1.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from joblib import Parallel, delayed
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from tacit.adoption.pictures.network import SharpenedTransfer, default_learner
from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.data.public.splits import few_labels
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY, ResultRow, mean_rows
from tacit.experiments.transfer_runs import release_images

SEEDS = range(1, 4)
PER_CLASS = (10, 2)
EPSILONS = (0.5, 1.0)
DELTA = 1e-5
JOBS = -1
RECEIVED = 9000
# Bound here, for a quick run replaces the name.
_full_learner = default_learner
QUICK: dict[str, Any] = {
    "SEEDS": range(1, 2),
    "PER_CLASS": (2,),
    "EPSILONS": (1.0,),
    "RECEIVED": 1000,
    "JOBS": 1,
    "default_learner": lambda: _full_learner().set_params(n_steps=30),
}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on 1000 digits that nobody learned from."""
    settings = [(per_class, seed) for per_class in PER_CLASS for seed in SEEDS]
    accuracies: list[dict[str, dict[str, float]]] = Parallel(n_jobs=JOBS)(
        delayed(kept_figures)([__name__, RECEIVED, EPSILONS, per_class, seed], partial(run, per_class, seed))
        for per_class, seed in settings
    )
    for per_class in PER_CLASS:
        runs = [result for result, (labels, _) in zip(accuracies, settings, strict=True) if labels == per_class]
        for setting in runs[0]:
            yield from mean_rows(f"{10 * per_class} labels, {setting}", [result[setting] for result in runs])


def run(per_class: int, seed: int) -> dict[str, dict[str, float]]:
    """Return test accuracies by setting and method, on one thread."""
    import torch  # noqa: PLC0415 - an extra, needed only here

    torch.set_num_threads(1)
    images = _digits()
    order = check_random_state(seed).permutation(len(images.y_test))
    received, held_out = order[:RECEIVED], order[RECEIVED:]
    X, y = images.X_test[received], few_labels(images.y_test[received], per_class=per_class, random_state=seed)
    test = images.X_test[held_out], images.y_test[held_out]
    with threadpool_limits(1):
        alone = {
            method: float(default_learner().set_params(schema=schema, random_state=seed).fit(X, y).score(*test))
            for method, schema in ((TARGET_ONLY, None), (PUBLIC_VIEW, images.schema))
        }
        accuracies = {}
        for epsilon in EPSILONS:
            release = release_images(images, unit="record", epsilon=epsilon, delta=DELTA, seed=seed)
            model = SharpenedTransfer(
                [release], schema=images.schema, learner=default_learner(), compare=False, random_state=seed
            ).fit(X, y)
            of_release = float((model.sources_[0](test[0]).argmax(axis=1) == test[1]).mean())
            with_release = {RELEASE_ALONE: of_release, ADOPTED: float(model.score(*test))}
            accuracies[f"record epsilon {epsilon:g}"] = alone | with_release
    return accuracies


@cache
def _digits() -> ImageSet:
    return load_mnist()
