"""The default networks, and the check of networks of one's own."""

import pytest
import torch
from torch import nn

from tacit.models.semi_supervised.networks import MANY_COLUMNS, default_network, in_fast_layout, network_problem


@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 32, 32), (1, 8, 8), (1, 2, 2), (1, 1, 9), (1,), (105,)])
def test_the_default_network_fits_rows_of_any_shape(shape: tuple[int, ...]) -> None:
    network = default_network(shape, 7)
    assert network(torch.rand(3, *shape)).shape == (3, 7)
    assert sum(parameter.numel() for parameter in network.parameters()) < 200_000


def test_a_network_that_does_not_fit_says_why_and_stays_as_it_was() -> None:
    network = nn.Sequential(nn.Dropout(), nn.Linear(4, 3))
    assert not network_problem(network, torch.rand(1, 4), 3)
    assert network.training
    assert "logits of shape (1, 5), not (1, 3)" in network_problem(network, torch.rand(1, 4), 5)
    assert "does not accept a batch of shape (1, 9)" in network_problem(network, torch.rand(1, 9), 3)
    assert "not tuple" in network_problem(nn.LSTM(4, 3), torch.rand(1, 4), 3)


def test_only_tables_of_many_columns_have_some_to_drop() -> None:
    for n_columns, same in ((MANY_COLUMNS - 1, True), (MANY_COLUMNS, False)):
        network, rows = default_network((n_columns,), 2).train(), torch.rand(4, n_columns)
        assert torch.equal(network(rows), network(rows)) is same
        assert torch.equal(network.eval()(rows), network(rows))


def test_pictures_are_halved_until_they_are_small() -> None:
    def convolutions(side: int) -> int:
        return sum(isinstance(layer, nn.Conv2d) for layer in default_network((1, side, side), 2).modules())

    assert [convolutions(side) for side in (3, 4, 7, 8, 28)] == [0, 1, 2, 2, 2]


def test_the_fast_layout_changes_no_output() -> None:
    network, rows = default_network((1, 8, 8), 3).double().eval(), torch.rand(5, 1, 8, 8)
    before = network(rows.double())
    fast = in_fast_layout(network)
    assert {parameter.dtype for parameter in fast.parameters()} == {torch.float32}
    assert torch.allclose(fast(rows).double(), before, atol=1e-5)
