"""What an entry-level promise means for a whole record."""

from collections.abc import Iterator
from typing import Any

from tacit.experiments.results import ResultRow
from tacit.privacy import accounting
from tacit.privacy.events import LaplaceEvent

DELTA = 1e-5
FEATURES = (1, 10, 100, 784)
EPSILONS = (0.1, 1.0)
QUICK: dict[str, Any] = {}


def rows() -> Iterator[ResultRow]:
    """Yield the record-level epsilon of Laplace noise on each entry, by privacy-loss distributions and by adding up."""
    for epsilon in EPSILONS:
        for n_features in FEATURES:
            whole = accounting.at_record(LaplaceEvent(1 / epsilon, 1.0), n_features)
            setting = f"entry epsilon {epsilon:g}, {n_features} features"
            metric = f"record epsilon at delta {DELTA:g}"
            yield ResultRow("privacy-loss distribution", setting, metric, accounting.epsilon(whole, delta=DELTA))
            yield ResultRow("adding up", setting, "record epsilon at delta 0", accounting.epsilon(whole, delta=0))
