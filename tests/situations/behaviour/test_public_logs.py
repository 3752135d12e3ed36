"""The public logs of behaviour."""

import os

import numpy as np
import pytest

from tacit.situations.behaviour.public_logs import fitbit_log, glasgow_log
from tacit.situations.behaviour.tuples import make_tuples

needs_data = pytest.mark.skipif("TACIT_DATA" not in os.environ, reason="TACIT_DATA is not set: no study is at hand")


@needs_data
def test_the_studies_give_tuples() -> None:
    glasgow, fitbit = make_tuples(glasgow_log(), past=1), make_tuples(fitbit_log(), past=3)
    assert (len(glasgow.y), len(np.unique(glasgow.person))) == (137, 137)
    assert (len(fitbit.y), len(np.unique(fitbit.person))) == (1201, 35)
    for tuples in (glasgow, fitbit):
        assert tuples.X.min() >= 0
        assert tuples.X.max() <= 1
        assert 0.4 < tuples.y.mean() < 0.6
