"""Random variants of rows that keep their class: weak ones, whose prediction is a target, and strong ones to learn it.

All of a batch is varied at once, each row in its own way. Randomness is torch's own generator.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample

from tacit.records import record

# A warp is drawn at so many points along each side, and interpolated between them.
KNOTS = 5


class Augmentation(Protocol):
    """How rows of one kind are varied."""

    def weak(self, rows: Tensor) -> Tensor:
        """Return rows changed so little that their prediction should be the same."""

    def strong(self, rows: Tensor) -> Tensor:
        """Return rows changed as much as their class allows."""


@dataclass(frozen=True)
class PictureAugmentation:
    """Pictures [N, C, H, W] in [0, 1]: shifted gently; strongly also turned, sized, slanted, warped, cut and noisy.

    Angles are in degrees, shifts and cut-outs in shares of the side, all of them the most that can occur.
    """

    gentle_shift: float = 0.07
    shift: float = 0.1
    turn: float = 25.0
    size: float = 0.2
    slant: float = 0.3
    warp: float = 0.05
    cut: float = 0.4
    noise: float = 0.1

    def weak(self, rows: Tensor) -> Tensor:
        """Return pictures shifted by a few pixels."""
        return moved(rows, shift=self.gentle_shift)

    def strong(self, rows: Tensor) -> Tensor:
        """Return pictures moved and warped, with a square cut out and noise added."""
        changed = moved(rows, shift=self.shift, turn=self.turn, size=self.size, slant=self.slant, warp=self.warp)
        return noisy(cut_out(changed, share=self.cut), spread=self.noise)


@record
class TableAugmentation:
    """Rows of a table [N, p]: some features take another row's value, numbers get noise within the bounds.

    ``features`` [p] says to which feature each column belongs: the columns of one category move together. ``spread``
    [p] is 0 where a column gets no noise. ``low`` and ``high`` [p] bound the result.
    """

    features: Tensor
    spread: Tensor
    low: Tensor
    high: Tensor
    gentle: float = 0.05
    share: float = 0.15
    gentle_noise: float = 0.05
    noise: float = 0.15

    def weak(self, rows: Tensor) -> Tensor:
        """Return rows with few features swapped and little noise."""
        return self._varied(rows, self.gentle, self.gentle_noise)

    def strong(self, rows: Tensor) -> Tensor:
        """Return rows with many features swapped and more noise."""
        return self._varied(rows, self.share, self.noise)

    def _varied(self, rows: Tensor, share: float, noise: float) -> Tensor:
        changed = swapped(rows, self.features, share=share)
        changed = changed + noise * self.spread * torch.randn_like(changed)
        return changed.clamp(self.low, self.high)


def moved(
    pictures: Tensor, *, shift: float, turn: float = 0.0, size: float = 0.0, slant: float = 0.0, warp: float = 0.0
) -> Tensor:
    """Return pictures [N, C, H, W] under random affine maps and, with ``warp``, smooth random displacements.

    What comes in at an edge repeats the edge. Bilinear sampling keeps values within those of the picture.
    """
    n = len(pictures)
    angles, slants = _between(n, math.radians(turn)), _between(n, slant)
    sizes = 1.0 + _between(n, size)
    cos, sin = sizes * angles.cos(), sizes * angles.sin()
    rows = [torch.stack([cos, slants - sin, 2 * _between(n, shift)], dim=1)]
    rows += [torch.stack([sin, cos, 2 * _between(n, shift)], dim=1)]
    grid = affine_grid(torch.stack(rows, dim=1), list(pictures.shape), align_corners=False)
    if warp:
        height, width = pictures.shape[2:]
        knots = warp * torch.randn(n, 2, KNOTS, KNOTS)
        smooth = torch.einsum("ncab,ha,wb->nhwc", knots, _tents(height), _tents(width))
        grid = grid + smooth
    return grid_sample(pictures, grid, mode="bilinear", padding_mode="border", align_corners=False)


def cut_out(pictures: Tensor, *, share: float) -> Tensor:
    """Return pictures with a square of up to ``share`` of the side set to the picture's least value."""
    n, _, height, width = pictures.shape
    half = 0.5 * share * torch.rand(n, 1)
    down, across = torch.rand(n, 1), torch.rand(n, 1)
    inside_rows = (_centres(height) - down).abs() < half
    inside_columns = (_centres(width) - across).abs() < half
    hole = (inside_rows[:, :, None] & inside_columns[:, None, :])[:, None]
    return torch.where(hole, pictures.amin(dim=(2, 3), keepdim=True), pictures)


def noisy(pictures: Tensor, *, spread: float) -> Tensor:
    """Return pictures with normal noise of a random spread up to ``spread``, kept within [0, 1]."""
    strength = spread * torch.rand(len(pictures), 1, 1, 1)
    return (pictures + strength * torch.randn_like(pictures)).clamp_(0.0, 1.0)


def swapped(rows: Tensor, features: Tensor, *, share: float) -> Tensor:
    """Return rows [N, p] in which each feature has, with chance ``share``, the value of another row of the batch."""
    n, n_features = len(rows), int(features.max()) + 1
    # A donor of its own for every feature would cost a sort each; one donor a row keeps what the swap breaks.
    donors = (torch.arange(n) + torch.randint(1, max(n, 2), (n,))) % n
    chosen = (torch.rand(n, n_features) < share)[:, features]
    return torch.where(chosen, rows[donors], rows)


def _between(n: int, most: float) -> Tensor:
    return most * (2.0 * torch.rand(n) - 1.0)


def _tents(side: int) -> Tensor:
    """Return the weights [side, KNOTS] by which each place takes part in the knots around it."""
    places = torch.linspace(0.0, KNOTS - 1.0, side)[:, None]
    return (1.0 - (places - torch.arange(KNOTS)).abs()).clamp_min(0.0)


def _centres(side: int) -> Tensor:
    return ((torch.arange(side) + 0.5) / side)[None]
