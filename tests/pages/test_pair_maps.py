"""Heat maps of pairs: which are shown, how cells are named and coloured, and the page of a release with pairs."""

import re

import numpy as np
from tests.models.additive.test_learning import crossed, learned

from tacit.models.additive.levels import ColumnLevels, number_levels
from tacit.models.additive.model import AdditiveCurves
from tacit.models.additive.pairs import LevelPair, PairCurve
from tacit.pages.additive import noise_share
from tacit.pages.pair_maps import MOST_MAPS, cell_names, pair_maps

AGE = number_levels("age", 0, 9, integer=True)
CITY = ColumnLevels("<city>", np.zeros(0), ("Rome", "Oslo", "Bonn"))
AGE_CELLS = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2])
CITY_CELLS = np.array([0, 1, 1])


def curves(values: np.ndarray, n_pairs: int = 1) -> AdditiveCurves:
    pair = LevelPair((0, 1), (AGE_CELLS, CITY_CELLS))
    size, n_scores = AGE.size + CITY.size, values.shape[1]
    tables = [
        PairCurve(pair, values * (1 + place), np.full_like(values, 0.1), np.full(6, 1 / 6)) for place in range(n_pairs)
    ]
    flat = np.zeros((size, n_scores))
    return AdditiveCurves((AGE, CITY), flat, flat, np.zeros(n_scores), np.full(size, 0.1), tuple(tables))


def test_cells_are_named_by_their_ends_categories_or_as_others() -> None:
    assert cell_names(AGE, AGE_CELLS) == ["≤ 3.5", "> 3.5", "missing"]
    assert cell_names(CITY, CITY_CELLS) == ["Rome", "others"]


def test_a_map_colours_cells_by_sign_and_greys_what_noise_explains() -> None:
    page = pair_maps(curves(np.array([[1.0], [-0.5], [0.1], [0.0], [0.3], [-0.3]])), ["for ill"])
    cells = re.findall(r'<td class="([^"]*)" style="--strength: (\d+)%" title="([^"]*)">([^<]*)</td>', page)
    assert cells[0] == ("together", "70", "± 0.20 of noise", "+1.00")
    assert cells[1] == ("apart", "35", "± 0.20 of noise", "−.50")
    assert cells[2][0] == "together unclear"
    assert "&lt;city&gt;" in page
    assert "<city>" not in page


def test_of_several_classes_the_most_moved_is_shown() -> None:
    values = np.zeros((6, 3))
    values[:, 2] = [1, -1, 1, -1, 1, -1]
    page = pair_maps(curves(values), ["for a", "for b", "for c"])
    assert "for c" in page
    assert "for a" not in page


def test_the_strongest_pairs_come_first_and_few_are_shown() -> None:
    page = pair_maps(curves(np.full((6, 1), 0.5), MOST_MAPS + 3), ["s"])
    firsts = [float(row) for row in re.findall(r"<tr><th[^>]*>≤ 3.5</th><td[^>]*>\+([\d.]+)", page)]
    assert len(firsts) == MOST_MAPS
    assert firsts == sorted(firsts, reverse=True)
    assert firsts[0] == 0.5 * (MOST_MAPS + 3)


def test_a_learned_pair_is_drawn_and_its_noise_is_small() -> None:
    model = learned(*crossed(8000, 1))
    assert pair_maps(model.curves, ["for 1"]).count("<table") == min(len(model.curves.pairs), MOST_MAPS)
    spread, noise = noise_share(model.curves)
    assert 0 < noise < 0.5 * spread
