"""The networks that a classifier trains when it is given none."""

import pytest
import torch

from tacit.models.semi_supervised.networks import MANY_COLUMNS, default_network


@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 5, 7), (1, 2, 2), (3,), (200,)])
def test_there_is_a_network_for_rows_of_any_shape(shape: tuple[int, ...]) -> None:
    network = default_network(shape, 4).eval()
    assert network(torch.rand(6, *shape)).shape == (6, 4)


def test_only_tables_of_many_columns_have_some_to_drop() -> None:
    for n_columns, same in ((MANY_COLUMNS - 1, True), (MANY_COLUMNS, False)):
        network, rows = default_network((n_columns,), 2).train(), torch.rand(4, n_columns)
        assert torch.equal(network(rows), network(rows)) is same
        assert torch.equal(network.eval()(rows), network(rows))
