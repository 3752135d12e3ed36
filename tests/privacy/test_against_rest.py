"""Several problems on the same rows: each as objective perturbation alone solves it, and what they cost together."""

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.audit.kinds.linear import classes_game
from tacit.errors import InputError, SensitivityError
from tacit.numerics.logistic import minimise_together
from tacit.privacy import noise
from tacit.privacy.accounting import epsilon as cost
from tacit.privacy.mechanisms import AgainstRest, ObjectivePerturbation, against_rest
from tacit.privacy.stream import NoiseStream


def mechanism(problems: int = 3, neighbours: str = "replaced") -> AgainstRest:
    each = ObjectivePerturbation.for_epsilon(0.5, curvature=4.0, dimension=2, neighbours=neighbours)
    return AgainstRest(each, problems)


def table(n_rows: int, problems: int = 3) -> FloatArray:
    rng = np.random.default_rng(n_rows)
    Z = rng.standard_normal((n_rows, 2)) / 6
    return np.column_stack([Z, rng.integers(0, problems, n_rows), rng.standard_normal((n_rows, problems))])


@pytest.mark.parametrize("n_rows", [0, 1, 50])
def test_the_weights_are_those_of_each_problem_by_itself(n_rows: int) -> None:
    """The same noise, then every class against the rest with rows and margins turned over as labels say."""
    made, rows = mechanism(), table(n_rows)
    stream = NoiseStream(5)
    linear = noise.norm_gamma(stream, (3, 2), beta=made.each.beta)
    hiding = noise.norm_gamma(stream, (3, 2), beta=made.each.closing_rate)
    expected = []
    for code in range(3):
        signs = np.where(rows[:, 2] == code, 1.0, -1.0)
        Z, offsets = rows[:, :2] * signs[:, None], rows[:, 3 + code] * signs
        expected.append(
            minimise_together(Z, offsets[None], linear[[code]], curvature=made.each.curvature, tolerance=1e-9).point[0]
        )
    assert made.draw(rows, NoiseStream(5)) == pytest.approx(np.array(expected) + hiding, abs=1e-6)


def test_many_rows_are_solved_in_groups_and_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, drawn = table(40, 5), []
    monkeypatch.setattr(noise, "norm_gamma", lambda stream, shape, beta: np.ones(shape) / beta)
    for most in (200, 100, 1):
        monkeypatch.setattr(against_rest, "MOST_NUMBERS", most)
        drawn.append(mechanism(5).draw(rows, NoiseStream(0)))
    assert drawn[1] == pytest.approx(drawn[0], abs=1e-6)
    assert drawn[2] == pytest.approx(drawn[0], abs=1e-6)


def test_every_problem_is_paid_for() -> None:
    assert cost(mechanism(4).event, delta=0) == pytest.approx(2.0)
    assert cost(mechanism(4, "added").event, delta=0) == pytest.approx(2.0)


def test_tables_before_the_last_axes_are_drawn_one_by_one() -> None:
    rows = np.broadcast_to(table(6), (2, 5, 6, 6))
    drawn = mechanism().draw(rows, NoiseStream(1))
    assert drawn.shape == (2, 5, 3, 2)
    assert len(np.unique(drawn[..., 0, 0])) == 10


def test_a_row_of_zeros_is_none_where_rows_are_added() -> None:
    rows, made = table(4), mechanism(neighbours="added")
    assert made.hides_row_count
    assert made.distance(rows, np.vstack([rows, np.zeros((3, 6))])) == 0
    assert made.distance(rows, rows[:3]) == 1
    assert mechanism().distance(rows, rows[[0, 1, 2, 2]]) == 1
    relabelled = rows.copy()
    relabelled[0, 2] = (rows[0, 2] + 1) % 3
    assert mechanism().distance(rows, relabelled) == 1


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda rows: rows[:, :-1], InputError, "3 margins"),
        (lambda rows: rows + np.eye(6)[0], SensitivityError, "no longer than 1"),
        (lambda rows: rows + 0.5 * np.eye(6)[2], SensitivityError, "codes from 0 to 2"),
        (lambda rows: rows * np.where(np.arange(6) == 5, np.inf, 1.0), SensitivityError, "finite"),
    ],
)
def test_wrong_rows_are_refused(change: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        mechanism().draw(change(table(5)), NoiseStream(0))  # type: ignore[operator]


@pytest.mark.parametrize("neighbours", ["replaced", "added"])
def test_the_game_passes_it_and_catches_halved_noise(neighbours: str) -> None:
    assert classes_game(0, 1.0, neighbours).play(4000).passed
    assert not classes_game(0, 0.5, neighbours).play(4000).passed


def test_a_share_of_a_row_counts_as_much_in_every_problem() -> None:
    made, rows = mechanism(), table(12)
    there = np.arange(12) % 3 > 0
    weighted = made.draw(np.column_stack([rows, there]), NoiseStream(3))
    assert weighted == pytest.approx(made.draw(rows[there], NoiseStream(3)), abs=1e-6)
    halves = np.column_stack([rows.repeat(2, axis=0), np.full(24, 0.5)])
    assert made.draw(halves, NoiseStream(3)) == pytest.approx(made.draw(rows, NoiseStream(3)), abs=1e-6)
    with pytest.raises(SensitivityError, match="shares"):
        made.draw(np.column_stack([rows, np.full(12, 1.01)]), NoiseStream(3))
