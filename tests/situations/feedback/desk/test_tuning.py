"""A provider's run: names, bodies, and going on where it ended."""

from pathlib import Path

import numpy as np
import pytest

from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.parameters import decode_parameters
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.tuning import METHODS, Tuning, new_search, read_tuning, write_tuning

ARCHITECTURE = Architecture("mlp", 2, 1, hidden=3)
X = np.random.default_rng(0).random((50, 2))
Y = (X[:, 0] > 0.5).astype(np.int64)


def begun(method: str = "pps", queries: int = 60) -> Tuning:
    start = np.random.default_rng(1).normal(size=ARCHITECTURE.n_parameters)
    search = new_search(method, start, ARCHITECTURE, queries=queries, sigma=0.3, batch=4, seed=2)
    return Tuning.start(ARCHITECTURE, search)


@pytest.mark.parametrize("method", METHODS)
def test_a_stored_run_goes_on_bit_for_bit_under_the_same_names(method: str, tmp_path: Path) -> None:
    run, asked = begun(method), []
    score = Scorer(X, Y, ARCHITECTURE, metric="accuracy")
    while not run.search.done:
        write_tuning(run, tmp_path / "x.run")
        again = read_tuning(tmp_path / "x.run")
        assert again.batch() == run.batch()
        asked += [name for name, _ in run.batch()]
        run = again.tell(score(run.search.ask()))
    assert asked == [f"{run.run}-{i}" for i in range(run.search.used)]
    assert 50 <= run.search.used <= 60


def test_bodies_are_the_candidates() -> None:
    run = begun()
    bodies = [decode_parameters(body, ARCHITECTURE) for _, body in run.batch()]
    np.testing.assert_array_equal(np.stack(bodies), run.search.ask())
