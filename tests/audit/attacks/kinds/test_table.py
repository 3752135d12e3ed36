"""Which attack suits which kind of file."""

from pathlib import Path

import numpy as np
import pytest

from tacit.audit.attacks import kinds
from tacit.audit.attacks.kinds.table import TARGETS, target_of
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.kinds.fabricated_rows.rows import sidecar_release
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.releases.file import Release

SCHEMA = Schema((Numeric("x", (0, 1)), Numeric("z", (0, 1)), Label("ill", ("no", "yes"))))
RNG = np.random.default_rng(0)
X, Y = RNG.random((30, 2)), np.arange(30) % 2


def released(kind: str) -> tuple[Release, Encoded | None]:
    if kind == "class_means":
        model = PrivateNearestMean(5.0, bounds=(0, 1), classes=["no", "yes"], random_state=0)
        return model.fit(X, np.array(["no", "yes"])[Y]).release(), None
    if kind == "fabricated":
        fabricated = fabricate(X, Y, SCHEMA, unit="record", epsilon=5.0, delta=1e-6, random_state=0)
        rows = Encoded(fabricated.X, fabricated.y, SCHEMA.encoded_names, SCHEMA.classes)
        return sidecar_release(fabricated, np.bincount(fabricated.y), "0"), rows
    return CLASS_MOMENTS.release(X, Y, SCHEMA, unit=kind, epsilon=5.0, delta=1e-6, random_state=0), None


@pytest.mark.parametrize("kind", ["class_means", "record", "entry", "fabricated"])
def test_every_kind_has_a_view_and_a_simulation_in_the_same_space(kind: str) -> None:
    release, rows = released(kind)
    assert release.kind in TARGETS
    target = target_of(release, SCHEMA, rows)
    again, other = (target.simulate(X, Y, seed) for seed in (0, 1))
    assert target.view.rows.shape[1] == again.rows.shape[1] == target.view.embed(X).shape[1]
    assert target.view.rows.shape == again.rows.shape
    # The same rows and seed give the release itself again; another seed draws other noise.
    np.testing.assert_allclose(again.rows, target.view.rows)
    assert not np.allclose(other.rows, target.view.rows)


def test_every_module_serves_a_kind_of_file() -> None:
    modules = {path.stem for path in Path(kinds.__file__).parent.glob("*.py")} - {"__init__", "table"}
    assert {make_target.__module__.rsplit(".", 1)[1] for make_target in TARGETS.values()} == modules


def test_a_kind_that_no_attack_suits_is_refused_with_those_that_have_one() -> None:
    release, _ = released("record")
    strange = Release("strange", release.arrays, {}, release.card)
    with pytest.raises(InputError, match=r"no attack is known on releases of kind 'strange'; on these: .*class_means"):
        target_of(strange, SCHEMA)
