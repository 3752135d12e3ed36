"""MNIST to USPS: digits of 28 x 28 pixels released at entry level, adopted for digits of 16 x 16 with 100 labels."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tacit.data.public.datasets import ImageSet, load_mnist, load_usps
from tacit.data.public.splits import few_labels
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.experiments.printed_transfer import PRINTED, measure_printed, owner_rows, setting_of
from tacit.experiments.results import ResultRow, mean_rows
from tacit.experiments.transfer_runs import measure_releases, release_images

SEEDS = 10
OWNED, RECEIVED, PER_CLASS = 60_000, 7291, 10
DELTA = 1e-5
EPSILONS = (0.1, 1.0)
# [membership] Table 2, by epsilon of one entry; None without noise.
PUBLISHED = {0.1: 0.9223, 1.0: 0.9228, None: 0.9237}
PRINTED_SEEDS = 1
QUICK: dict[str, Any] = {"SEEDS": 1, "OWNED": 10_000, "RECEIVED": 1500, "EPSILONS": (0.1,), "PUBLISHED": {}}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on the 2007 test digits, with image shapes declared and with nothing declared."""
    source, target = load_mnist(), load_usps()
    source = replace(source, X_train=source.X_train[:OWNED], y_train=source.y_train[:OWNED])
    target = replace(target, X_train=target.X_train[:RECEIVED], y_train=target.y_train[:RECEIVED])
    undeclared = Schema((*(Numeric(f"x{k}", (0, 1)) for k in range(256)), Label("digit", target.classes)))
    for words, schema in (("image shapes declared", target.schema), ("nothing declared", undeclared)):
        runs = [_run(source, target, schema, seed) for seed in range(SEEDS)]
        for setting in runs[0]:
            yield from mean_rows(f"{setting}, {words}", [run[setting] for run in runs])
    for entry_epsilon, published in PUBLISHED.items():
        as_printed = [_printed(source, target, entry_epsilon, seed) for seed in range(PRINTED_SEEDS)]
        setting = f"{setting_of(entry_epsilon)}, nothing declared"
        yield from mean_rows(setting, as_printed, paper={PRINTED: published})


def _run(source: ImageSet, target: ImageSet, schema: Schema, seed: int) -> dict[str, dict[str, float]]:
    releases = {
        setting_of(epsilon): release_images(source, unit="entry", epsilon=epsilon, delta=DELTA, seed=seed)
        for epsilon in EPSILONS
    }
    y = few_labels(target.y_train, per_class=PER_CLASS, random_state=seed)
    return measure_releases(releases, schema, (target.X_train, y), (target.X_test, target.y_test), seed=seed)


def _printed(source: ImageSet, target: ImageSet, epsilon: float | None, seed: int) -> dict[str, float]:
    noisy = owner_rows(source, epsilon=epsilon, delta=DELTA, seed=seed)
    y = few_labels(target.y_train, per_class=PER_CLASS, random_state=seed)
    return measure_printed(noisy, target.schema, (target.X_train, y), (target.X_test, target.y_test), seed=seed)
