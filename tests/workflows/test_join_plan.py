"""Planning a joint release: defaults, refusals before anyone signs, and what a party is told."""

from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tacit.data.schemas.columns import Categorical, Label, Numeric, Person
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.releases.signature import LockedKey, generate_key, save_key
from tacit.situations.joint.plan import SignedPlan
from tacit.workflows.join_plan import ROWS, plan_facts, plan_join, sign_join

COLUMNS = (Numeric("age", (0, 110)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes")))
SCHEMA = Schema(COLUMNS)
PERSONS = Schema((*COLUMNS, Person("name", rows=3)))


@pytest.fixture
def keys() -> dict[str, Ed25519PrivateKey]:
    return {name: generate_key() for name in ("a", "b", "c")}


def planned(keys: dict[str, Ed25519PrivateKey], schema: Schema = SCHEMA, **options: Any) -> SignedPlan:
    public = {name: key.public_key() for name, key in keys.items()}
    return plan_join(schema, public, **{"epsilon": 1.0, **options})


def test_a_plan_takes_what_the_schema_and_the_parties_say(keys: dict[str, Ed25519PrivateKey]) -> None:
    plan = planned(keys).plan
    assert (plan.method, plan.unit, plan.rows_per_person) == ("additive", "record", None)
    assert (plan.colluding, plan.minimum, plan.rows, plan.delta) == (1, 3, ROWS, 1e-6)
    assert [party.name for party in plan.parties] == ["a", "b", "c"]
    assert plan.rules == SCHEMA


def test_a_schema_with_persons_protects_them(keys: dict[str, Ed25519PrivateKey]) -> None:
    plan = planned(keys, PERSONS, method="moments").plan
    assert (plan.unit, plan.rows_per_person) == ("person", 3)
    assert all(step.rows == 3 for step in plan.release_plan.steps)
    assert planned(keys, PERSONS, method="moments", rows_per_person=2).plan.rows_per_person == 2
    assert planned(keys, PERSONS, method="moments", unit="record").plan.unit == "record"
    # Noise for three rows of a person is three times that for one.
    alone = planned(keys, SCHEMA, method="moments").plan.release_plan.steps[0].mechanism
    assert plan.release_plan.steps[0].mechanism.sigma == pytest.approx(3 * alone.sigma, rel=1e-4)  # type: ignore[attr-defined]


def test_methods_that_are_no_sums_and_drafts_are_refused(keys: dict[str, Ed25519PrivateKey], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sums over rows: .*additive"):
        planned(keys, method="linear")
    with pytest.raises(InputError, match="delta must be above 0"):
        planned(keys, delta=0.0)
    draft = Schema(COLUMNS, bounds_from_data=True)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        planned(keys, draft, output=tmp_path / "joint.json")
    assert not (tmp_path / "joint.json").exists()


def test_a_plan_is_written_signed_and_read(keys: dict[str, Ed25519PrivateKey], tmp_path: Path) -> None:
    path = tmp_path / "joint.json"
    planned(keys, output=path)
    with pytest.raises(InputError, match="exists"):
        planned(keys, output=path)
    first = planned(keys, output=path, force=True)
    assert sign_join(path, keys["b"]).missing == ["a", "c"]
    save_key(keys["a"], tmp_path / "a.key", passphrase="long enough")
    sign_join(path, LockedKey(tmp_path / "a.key", "long enough"))
    done = sign_join(path, keys["c"])
    assert done.missing == []
    assert SignedPlan.read(path).require_signed().plan.digest == first.plan.digest


def test_signing_twice_changes_nothing(keys: dict[str, Ed25519PrivateKey], tmp_path: Path) -> None:
    path = tmp_path / "joint.json"
    planned(keys, output=path)
    sign_join(path, keys["a"])
    before = path.read_bytes()
    sign_join(path, keys["a"])
    assert path.read_bytes() == before


def test_a_party_is_told_what_it_signs(keys: dict[str, Ed25519PrivateKey]) -> None:
    facts = plan_facts(planned(keys, colluding=2).signed(keys["b"]))
    assert facts["columns"] == ["age", "sex", "ill"]
    assert [party["signed"] for party in facts["parties"]] == [False, True, False]
    assert facts["colluding"] == 2
    # One honest party of three: everyone else sees three times its variance.
    assert facts["outside_epsilon"] < 0.6 < facts["epsilon"] == 1.0


@pytest.mark.parametrize(("colluding", "minimum"), [(1, 2), (1, 3), (2, 3)])
def test_fewer_honest_parties_cost_more_noise(keys: dict[str, Ed25519PrivateKey], colluding: int, minimum: int) -> None:
    plan = planned(keys, method="moments", colluding=colluding, minimum=minimum).plan
    least = planned(keys, method="moments").plan.release_plan.steps[0].mechanism
    own = plan.release_plan.steps[0].mechanism
    expected = (2 / (minimum - colluding)) ** 0.5
    assert own.sigma / least.sigma == pytest.approx(expected, rel=1e-6)  # type: ignore[attr-defined]
