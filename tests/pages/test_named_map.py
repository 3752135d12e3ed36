"""The coloured table of a matrix: every name and value can be read, however many columns there are."""

import re

import numpy as np

from tacit.pages.named_map import DARKEST, MANY, NAME_LENGTH, named_map

NAMES = ("age", "a_name_that_is_far_too_long", "dose")
VALUES = np.array([[1.0, -0.5, 0.0], [-0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])


def drawn(values: np.ndarray = VALUES, names: tuple[str, ...] = NAMES, reach: float = 1.0) -> str:
    return str(named_map(values, names, lambda value: f"{value:+.2f}", reach=reach, label="a map"))


def test_every_row_has_its_name_and_every_column_its_number() -> None:
    text = drawn()
    assert re.findall(r'scope="col">(\d+)<', text) == ["1", "2", "3"]
    rows = re.findall(r'scope="row" title="(\w+)">([^<]+)<', text)
    assert [name for name, _ in rows] == list(NAMES)
    assert all(len(shown) <= NAME_LENGTH + 2 for _, shown in rows)


def test_cells_say_their_value_and_their_pair() -> None:
    text = drawn()
    assert 'title="age and dose: +0.00"' in text
    assert text.count(">-0.50</td>") == 2
    assert text.count('class="apart"') == 2
    assert text.count('class="together"') == 7


def test_the_darkest_cell_has_the_reach_and_none_is_darker() -> None:
    strengths = [int(each) for each in re.findall(r"--strength: (\d+)%", drawn(reach=0.5))]
    assert max(strengths) == DARKEST
    assert strengths[1] == DARKEST
    assert strengths[2] == 0


def test_of_many_columns_the_numbers_stand_in_the_titles_alone() -> None:
    names = tuple(f"c{place}" for place in range(MANY))
    text = drawn(np.eye(MANY), names)
    assert 'class="pair-map many"' in text
    assert 'title="c0 and c0: +1.00"' in text
    assert ">+1.00<" not in text
    few = drawn(np.eye(MANY - 1), names[:-1])
    assert ">+1.00<" in few


def test_names_are_shown_and_never_run() -> None:
    text = drawn(np.eye(1), ("<script>",))
    assert "<script" not in text
    assert "&lt;script&gt;" in text
