"""Variants of rows: within bounds, of the same shape, repeatable, and as strong as they say."""

import pytest
import torch
from torch import Tensor

from tacit.models.semi_supervised.augmentation import (
    Augmentation,
    PictureAugmentation,
    TableAugmentation,
    cut_out,
    moved,
    noisy,
    swapped,
)

# Two numbers, and a category of three columns.
TABLE = TableAugmentation(
    torch.tensor([0, 1, 2, 2, 2]),
    spread=torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0]),
    low=torch.tensor([0.0, -1.0, 0.0, 0.0, 0.0]),
    high=torch.tensor([1.0, 2.0, 1.0, 1.0, 1.0]),
)


def pictures(n: int = 40, channels: int = 3) -> Tensor:
    torch.manual_seed(1)
    return torch.rand(n, channels, 9, 7)


def table(n: int = 200) -> Tensor:
    torch.manual_seed(1)
    numbers = torch.rand(n, 2) * torch.tensor([1.0, 3.0]) - torch.tensor([0.0, 1.0])
    return torch.cat([numbers, torch.nn.functional.one_hot(torch.randint(3, (n,)), 3).float()], dim=1)


CASES = pytest.mark.parametrize(
    ("vary", "rows"), [(PictureAugmentation(), pictures()), (TABLE, table())], ids=["pictures", "table"]
)


@CASES
@pytest.mark.parametrize("strength", ["weak", "strong"])
def test_variants_keep_shape_and_type_and_a_seed_repeats_them(vary: Augmentation, rows: Tensor, strength: str) -> None:
    before = rows.clone()
    torch.manual_seed(0)
    first, second = getattr(vary, strength)(rows), getattr(vary, strength)(rows)
    torch.manual_seed(0)
    again = getattr(vary, strength)(rows)
    assert first.shape == rows.shape
    assert first.dtype == torch.float32
    assert torch.equal(rows, before)
    assert torch.equal(first, again)
    assert not torch.equal(first, second)


@CASES
def test_a_strong_variant_is_further_away_than_a_weak_one(vary: Augmentation, rows: Tensor) -> None:
    torch.manual_seed(0)
    assert (vary.strong(rows) - rows).square().mean() > 1.5 * (vary.weak(rows) - rows).square().mean() > 0


@CASES
def test_one_row_and_no_spread_are_varied_too(vary: Augmentation, rows: Tensor) -> None:
    assert vary.strong(rows[:1]).shape == rows[:1].shape
    assert vary.strong(torch.zeros_like(rows)).isfinite().all()


def test_pictures_stay_between_0_and_1() -> None:
    for channels in (1, 3):
        varied = PictureAugmentation(noise=2.0).strong(pictures(channels=channels))
        assert varied.min() >= 0
        assert varied.max() <= 1


def test_moving_by_nothing_changes_nothing() -> None:
    assert torch.allclose(moved(pictures(), shift=0.0), pictures(), atol=1e-5)


def test_a_shift_is_the_same_for_every_pixel() -> None:
    single = torch.zeros(200, 1, 21, 21)
    single[:, :, 10, 10] = 1.0
    torch.manual_seed(0)
    shifted = moved(single, shift=0.2)
    places = torch.arange(21.0)
    down = (shifted.sum(dim=(1, 3)) * places).sum(dim=1) - 10
    across = (shifted.sum(dim=(1, 2)) * places).sum(dim=1) - 10
    assert torch.allclose(shifted.sum(dim=(1, 2, 3)), torch.ones(200), atol=1e-4)
    for distance in (down, across):
        assert 3.5 < distance.abs().max() <= 0.2 * 21 + 1e-3
        assert abs(float(distance.mean())) < 0.6


def test_turning_by_a_right_angle_swaps_rows_and_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    square = pictures()[:, :, :7, :7]
    monkeypatch.setattr(torch, "rand", torch.ones)  # the most that can occur
    turned = moved(square, shift=0.0, turn=90.0)
    assert torch.allclose(turned, square.rot90(1, dims=(2, 3)), atol=1e-4)


def test_a_cut_out_takes_the_least_value_and_no_more_than_its_share() -> None:
    bright = 0.5 + 0.5 * torch.rand(300, 1, 20, 20)
    torch.manual_seed(0)
    cut = cut_out(bright, share=0.4)
    changed = cut != bright
    least = bright.amin(dim=(2, 3), keepdim=True).expand_as(bright)
    assert torch.equal(cut[changed], least[changed])
    assert 0 < changed.float().mean() < 0.16
    assert changed.sum(dim=(1, 2, 3)).max() <= 9**2


def test_noise_has_at_most_the_spread_asked_for() -> None:
    grey = torch.full((50, 1, 20, 20), 0.5)
    torch.manual_seed(0)
    spreads = (noisy(grey, spread=0.1) - grey).flatten(1).std(dim=1)
    assert spreads.max() < 0.12
    assert spreads.min() < 0.05


def test_the_columns_of_a_category_are_swapped_together_and_stay_one_hot() -> None:
    strong = TABLE.strong(table())
    assert torch.equal(strong[:, 2:].sum(dim=1), torch.ones(200))
    assert set(strong[:, 2:].flatten().tolist()) == {0.0, 1.0}


def test_numbers_stay_within_their_bounds() -> None:
    rows = table()
    wild = TableAugmentation(TABLE.features, TABLE.spread, TABLE.low, TABLE.high, noise=9.0).strong(rows)
    assert (wild >= TABLE.low).all()
    assert (wild <= TABLE.high).all()
    assert (wild[:, 0] == 1.0).any()


def test_swapped_values_are_those_of_the_same_column_in_other_rows() -> None:
    rows = torch.arange(12.0).view(4, 3)
    torch.manual_seed(0)
    mixed = torch.stack([swapped(rows, torch.arange(3), share=0.5) for _ in range(200)])
    assert (mixed % 3 == rows % 3).all()
    assert abs(float((mixed != rows).float().mean()) - 0.5) < 0.05
    assert torch.equal(swapped(rows, torch.arange(3), share=0.0), rows)
    assert (swapped(rows, torch.arange(3), share=1.0) != rows).all()
