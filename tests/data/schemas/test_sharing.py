"""What two schemas have in common."""

import numpy as np
import polars as pl
import pytest

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Ignored, Numeric
from tacit.data.schemas.schema import Schema

OURS = Schema(
    (
        Numeric("age", (20, 90)),
        Categorical("smokes", ("no", "yes", "formerly"), missing="category"),
        Numeric("chol", (100, 600), missing="flag"),
        Numeric("height", (1, 2.2)),
        Numeric("site", (0, 9)),
    )
)
THEIRS = Schema(
    (
        Numeric("pulse", (30, 220)),
        Categorical("smokes", ("yes", "no"), missing="category"),
        Numeric("chol", (100, 600), missing="flag"),
        Numeric("age", (0, 110)),
        Categorical("site", ("0", "1")),
        Ignored("height"),
    )
)


def test_columns_match_by_name_and_kind() -> None:
    shared = OURS.shared_with(THEIRS)
    assert shared.names == ("age", "smokes", "chol")
    assert shared.only_ours == ("height",)
    assert shared.only_theirs == ("pulse",)


def test_encoded_columns_that_mean_the_same_are_paired() -> None:
    shared = OURS.shared_with(THEIRS)
    pairs = {OURS.encoded_names[p.ours]: THEIRS.encoded_names[p.theirs] for p in shared.pairings}
    assert pairs == {name: name for name in pairs}
    assert set(pairs) == {"age", "smokes = no", "smokes = yes", "smokes is missing", "chol", "chol is missing"}


def test_every_difference_is_said() -> None:
    words = "\n".join(OURS.shared_with(THEIRS).differences)
    assert "age: bounds differ, ours [20, 90], theirs [0, 110]" in words
    assert "smokes: categories differ, only ours ['formerly'], only theirs []" in words
    assert "site: ours is numeric, theirs is categorical; not matched" in words
    assert "chol" not in words


def test_a_flag_on_one_side_only_is_said() -> None:
    plain = Schema((Numeric("chol", (100, 600), missing="middle"),))
    assert OURS.shared_with(plain).differences == ("chol: only our encoding marks missing values",)
    assert plain.shared_with(OURS).differences == ("chol: only their encoding marks missing values",)
    assert len(plain.shared_with(OURS).pairings) == 1


def test_the_same_person_has_the_same_shared_columns_in_both_encodings() -> None:
    person = {"age": ["63", "44"], "smokes": ["yes", None], "chol": ["233", None], "site": ["1", "0"]}
    mine = pl.DataFrame(person | {"height": ["1.8", "1.7"]})
    yours = pl.DataFrame(person | {"pulse": ["60", "70"], "height": ["x", "y"]})
    shared = OURS.shared_with(THEIRS)
    X, X_theirs = encode(mine, OURS).X, encode(yours, THEIRS).X
    np.testing.assert_allclose(shared.to_ours(X_theirs.astype(float)), X[:, shared.ours], atol=1e-12)
    np.testing.assert_allclose(shared.to_theirs(X.astype(float)), X_theirs[:, shared.theirs], atol=1e-12)


@pytest.mark.parametrize(("first", "second"), [(OURS, THEIRS), (THEIRS, OURS)])
def test_sharing_is_the_same_from_both_sides(first: Schema, second: Schema) -> None:
    forth, back = first.shared_with(second), second.shared_with(first)
    assert set(forth.names) == set(back.names)
    assert {(p.ours, p.theirs) for p in forth.pairings} == {(p.theirs, p.ours) for p in back.pairings}


def test_nothing_in_common_is_an_empty_match() -> None:
    shared = OURS.shared_with(Schema((Numeric("other", (0, 1)),)))
    assert shared.names == ()
    assert shared.to_ours(np.zeros((3, 1))).shape == (3, 0)
