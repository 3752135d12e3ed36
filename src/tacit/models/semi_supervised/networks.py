"""The default networks of a classifier, small enough for one processor core, and a check of networks of one's own."""

import math

import torch
from torch import Tensor, nn

# Channels of the convolutions, each of which halves height and width, and units before the logits.
CHANNELS = (16, 32)
PICTURE_UNITS = 64
TABLE_UNITS = (64, 64)
# Shares of the columns and units of a table that are dropped in training, from so many columns on.
DROPPED_COLUMNS, DROPPED_UNITS, MANY_COLUMNS = 0.2, 0.5, 16
LEAST_SIDE = 4


def default_network(shape: tuple[int, ...], n_classes: int) -> nn.Module:
    """Return a network for rows of that shape: (channels, height, width) of a picture, or (columns,) of a table."""
    return picture_network(shape, n_classes) if len(shape) == 3 else table_network(shape[0], n_classes)


def picture_network(shape: tuple[int, ...], n_classes: int) -> nn.Module:
    """Return convolutions that halve the picture while it is larger than 4 × 4, then a layer of units and logits."""
    channels, *sides = shape
    layers: list[nn.Module] = []
    for size in CHANNELS:
        if min(sides) < LEAST_SIDE:
            break
        kernel = 5 if not layers else 3
        layers += [nn.Conv2d(channels, size, kernel, stride=2, padding=kernel // 2, bias=False)]
        layers += [nn.BatchNorm2d(size), nn.ReLU()]
        channels, sides = size, [(side + 1) // 2 for side in sides]
    layers += [nn.Flatten(), nn.Linear(channels * math.prod(sides), PICTURE_UNITS, bias=False)]
    layers += [nn.BatchNorm1d(PICTURE_UNITS), nn.ReLU(), nn.Linear(PICTURE_UNITS, n_classes)]
    return nn.Sequential(*layers)


def table_network(n_columns: int, n_classes: int) -> nn.Module:
    """Return a perceptron with two layers of units, normalised within each row, so that any batch size will do.

    With many columns, some of them and half of the units are dropped at random in training [dropout]: few labels would
    be learned by heart otherwise.
    """
    many = n_columns >= MANY_COLUMNS
    layers: list[nn.Module] = [nn.Dropout(DROPPED_COLUMNS)] if many else []
    width = n_columns
    for size in TABLE_UNITS:
        layers += [
            nn.Linear(width, size),
            nn.LayerNorm(size),
            nn.ReLU(),
            *([nn.Dropout(DROPPED_UNITS)] if many else []),
        ]
        width = size
    return nn.Sequential(*layers, nn.Linear(width, n_classes))


def in_fast_layout(network: nn.Module) -> nn.Module:
    """Return the network in single precision, its convolutions with channels last in memory, which is quicker here."""
    return network.float().to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]  # untyped


def network_problem(network: nn.Module, row: Tensor, n_classes: int) -> str:
    """Return what is wrong with a network given for rows like ``row`` [1, ...]; empty if nothing is."""
    training = network.training
    try:
        logits = network.eval()(row)
    except (RuntimeError, ValueError, TypeError) as problem:
        return f"it does not accept a batch of shape {tuple(row.shape)} ({problem})"
    finally:
        network.train(training)
    if not isinstance(logits, Tensor) or tuple(logits.shape) != (len(row), n_classes):
        output = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        shape = (len(row), n_classes)
        return f"for a batch of shape {tuple(row.shape)} it must return logits of shape {shape}, not {output}"
    return ""
