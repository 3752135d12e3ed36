"""What a party draws once, and what it may be taken for."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError, InputError, ReleaseError
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import PrivateRows, gathered, private_rows
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release, read_release, write_release

SCHEMA = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("class", ("x", "y", "z"))))
MIXED = Schema((Numeric("a", (0, 1)), Categorical("b", ("u", "v")), Label("class", ("x", "y"))))


def drawn(X: np.ndarray, codes: np.ndarray, schema: Schema = SCHEMA, *, epsilon: float = 2.0, seed: int = 0) -> Release:
    return NOISY_ROWS.release(X, codes, schema, epsilon=epsilon, delta=1e-9, random_state=seed)


def test_the_noise_has_the_law_that_the_release_states() -> None:
    X = np.full((4000, 2), 0.5)
    private = private_rows(drawn(X, np.zeros(4000, int)))
    assert private.scale == pytest.approx([0.5, 0.5], rel=1e-3)  # a little more, for the grid
    noise = private.rows - 0.5
    # The mean absolute value of Laplace noise is its scale, with a standard deviation of scale / sqrt(N).
    assert np.abs(noise).mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(8000))
    assert abs(noise.mean()) < 4 * 0.5 * np.sqrt(2 / 8000)


def test_a_number_beside_a_category_has_half_the_noise_of_a_category() -> None:
    private = private_rows(drawn(np.array([[0.5, 0, 1], [0.2, 1, 0]]), np.array([0, 1]), MIXED))
    assert private.scale[1] == private.scale[2] == pytest.approx(2 * private.scale[0])


def test_one_drawing_is_one_line_of_the_ledger_and_a_second_is_refused(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger", Budget(1, 1e-9, unit="entry"))
    X, codes = np.full((3, 2), 0.5), np.array([0, 1, 1])
    NOISY_ROWS.release(X, codes, SCHEMA, epsilon=1.0, delta=1e-9, ledger=ledger)
    assert len(ledger.lines()) == 1
    with pytest.raises(BudgetExceededError):
        NOISY_ROWS.release(X, codes, SCHEMA, epsilon=1.0, delta=1e-9, ledger=ledger)
    assert len(ledger.lines()) == 1


@pytest.mark.parametrize(
    ("X", "codes"),
    [
        ([[0.5, np.nan]], [0]),
        ([[0.5, 1.5]], [0]),
        ([[0.5]], [0]),
        (np.zeros((0, 2)), []),
        ([[0.5, 0.5]], [-1]),
        ([[0.5, 0.5]], [3]),
        ([[0.5, 0.5]], [0, 1]),
    ],
    ids=["nan", "outside", "columns", "empty", "unlabelled", "foreign", "lengths"],
)
def test_bad_rows_are_refused_before_anything_is_charged(tmp_path: Path, X: ArrayLike, codes: list[int]) -> None:
    ledger = Ledger.create(tmp_path / "ledger", Budget(1, 1e-9, unit="entry"))
    with pytest.raises(InputError):
        NOISY_ROWS.release(np.array(X), np.array(codes), SCHEMA, epsilon=1.0, delta=1e-9, ledger=ledger)
    assert ledger.lines() == ()


def test_a_release_survives_its_file(tmp_path: Path) -> None:
    release = drawn(np.full((3, 2), 0.5), np.array([0, 2, 2]))
    write_release(release, tmp_path / "rows.tacit")
    again = private_rows(read_release(tmp_path / "rows.tacit"))
    assert np.array_equal(again.rows, private_rows(release).rows)
    assert again.codes.tolist() == [0, 2, 2]
    assert again.n_classes == 3
    assert any("labels" in each for each in release.card.not_protected)


def test_releases_of_another_kind_or_with_arrays_that_do_not_fit_are_refused() -> None:
    good = drawn(np.full((3, 2), 0.5), np.array([0, 2, 2]))
    for kind, change in (("other", {}), (good.kind, {"codes": np.array([0, 1])}), (good.kind, {"scale": np.ones(3)})):
        arrays = {**good.arrays, **change}
        with pytest.raises(ReleaseError):
            private_rows(Release(kind, arrays, good.settings, good.card, good.schema))
    with pytest.raises(ReleaseError, match="incomplete"):
        private_rows(Release(good.kind, {"rows": good.arrays["rows"]}, good.settings, good.card, good.schema))


def test_gathered_rows_are_all_rows_by_their_noise() -> None:
    first = private_rows(drawn(np.full((3, 2), 0.5), np.array([0, 2, 2])))
    second = private_rows(drawn(np.full((2, 2), 0.5), np.array([1, 1]), seed=1))
    noisier = private_rows(drawn(np.full((4, 2), 0.5), np.array([0, 1, 2, 2]), epsilon=0.5))
    both, other = gathered([first, noisier, second])
    assert both.rows.shape == (5, 2)
    assert both.codes.tolist() == [0, 2, 2, 1, 1]
    assert np.array_equal(other.rows, noisier.rows)
    assert (other.scale > both.scale).all()


def test_parties_with_other_classes_or_none_at_all_are_not_gathered() -> None:
    first = private_rows(drawn(np.full((3, 2), 0.5), np.array([0, 2, 2])))
    with pytest.raises(InputError, match="agree"):
        gathered([first, PrivateRows(first.rows, first.codes, first.scale, 4)])
    with pytest.raises(InputError, match="at least one"):
        gathered([])
