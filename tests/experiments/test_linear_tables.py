import numpy as np
import pytest

from tacit.experiments.linear_runs import DIRECT, SIMPLE, SOURCE, Task, measure, ranks
from tacit.experiments.peers import ask_peer
from tacit.models.linear.feature_split import FeatureSplit


def test_ranks_are_averaged_and_ties_shared() -> None:
    runs = [{"a": 0.9, "b": 0.8, "c": 0.8}, {"a": 0.1, "b": 0.2, "c": 0.3}]
    assert dict(ranks(runs)) == {"a": (1 + 3) / 2, "b": (2.5 + 2) / 2, "c": (2.5 + 1) / 2}


def test_every_method_is_measured() -> None:
    rng = np.random.default_rng(0)

    def table(n: int) -> tuple[np.ndarray, np.ndarray]:
        y = np.arange(n) % 2
        return rng.normal(0, 1, (n, 6)) + np.where(y, 1, -1)[:, None], y

    found = measure(Task(table(400), table(200), table(200)), 8.0, {"FS": FeatureSplit.random(6, 2)}, seed=0)
    assert list(found) == [DIRECT, SOURCE, SIMPLE, "FS, stack", "FS, average"]
    assert min(found.values()) > 0.9


def test_a_peer_that_is_not_there_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_PEERS", "/nowhere/python")
    assert ask_peer("peer_diffprivlib.py", "auc", "x") is None
