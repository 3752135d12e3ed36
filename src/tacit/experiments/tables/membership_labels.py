"""USPS to MNIST: digits of 16 x 16 pixels released at entry level, adopted for 28 x 28 with 100 to 500 labels."""

from collections.abc import Callable, Iterator
from typing import Any

from sklearn.utils import check_random_state

from tacit.data.public.datasets import ImageSet, load_mnist, load_usps
from tacit.data.public.splits import few_labels
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.printed_transfer import PRINTED, measure_printed, owner_rows
from tacit.experiments.results import ResultRow, mean_rows
from tacit.experiments.transfer_runs import LabelledMatrix, measure, release_images

SEEDS = 5
EPSILON, DELTA = 0.1, 1e-5
# The receiver's rows, drawn from the 60000; all 10000 test digits are used.
RECEIVED = 9000
# Labels a class, and the accuracy that [membership] Table 3 prints for ten times as many.
PUBLISHED = {10: 0.9229, 20: 0.9586, 30: 0.9731, 40: 0.9763, 50: 0.9799}
# Draws and rows of the printed way: all 60000, as in the paper.
PRINTED_SEEDS, PRINTED_RECEIVED = 1, 60_000
QUICK: dict[str, Any] = {"SEEDS": 1, "RECEIVED": 1500, "PRINTED_RECEIVED": 1500, "PUBLISHED": {10: 0.9229}}

# The owner's pictures and the receiver's.
Domains = tuple[ImageSet, ImageSet]
MeasureDraw = Callable[[Domains, LabelledMatrix, int], dict[str, float]]


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on the 10000 test digits, by the number of labels."""
    source, target = load_usps(), load_mnist()
    for per_class, published in PUBLISHED.items():
        runs = [_kept(_run, (source, target), RECEIVED, per_class, seed) for seed in range(SEEDS)]
        setting = f"entry epsilon {EPSILON:g}, {10 * per_class} labels"
        yield from mean_rows(f"{setting}, {RECEIVED} rows", runs)
        as_printed = [
            _kept(_printed, (source, target), PRINTED_RECEIVED, per_class, seed) for seed in range(PRINTED_SEEDS)
        ]
        yield from mean_rows(f"{setting}, {PRINTED_RECEIVED} rows", as_printed, paper={PRINTED: published})


def _kept(measure_draw: MeasureDraw, domains: Domains, count: int, per_class: int, seed: int) -> dict[str, float]:
    """Return the figures of a draw, which an interrupted run of the table need not measure again."""
    question = [__name__, measure_draw.__name__, EPSILON, count, per_class, seed]
    figures: dict[str, float] = kept_figures(
        question, lambda: measure_draw(domains, _received(domains[1], count, per_class, seed), seed)
    )
    return figures


def _run(domains: Domains, received: LabelledMatrix, seed: int) -> dict[str, float]:
    source, target = domains
    release = release_images(source, unit="entry", epsilon=EPSILON, delta=DELTA, seed=seed)
    return measure(release, target.schema, received, (target.X_test, target.y_test), seed=seed)


def _printed(domains: Domains, received: LabelledMatrix, seed: int) -> dict[str, float]:
    source, target = domains
    noisy = owner_rows(source, epsilon=EPSILON, delta=DELTA, seed=seed)
    return measure_printed(noisy, target.schema, received, (target.X_test, target.y_test), seed=seed)


def _received(target: ImageSet, count: int, per_class: int, seed: int) -> LabelledMatrix:
    received = check_random_state(seed).permutation(len(target.y_train))[:count]
    y = few_labels(target.y_train[received], per_class=per_class, random_state=seed)
    return target.X_train[received], y
