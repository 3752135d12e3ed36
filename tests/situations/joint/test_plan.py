"""The joint plan: who, what, against whom; signed by all or not run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.situations.joint.joint_parties import SCHEMA, Parties, parties

from tacit.errors import InputError, ReleaseError, TacitError
from tacit.privacy import accounting
from tacit.privacy.account import plan_event
from tacit.releases.signature import generate_key, key_text
from tacit.situations.joint.plan import JointPlan, PlanMember, SignedPlan


@pytest.fixture
def made(tmp_path: Path) -> Parties:
    return parties(tmp_path)


def test_a_plan_is_read_as_it_was_written(made: Parties, tmp_path: Path) -> None:
    made.signed.write(tmp_path / "plan.json")
    read = SignedPlan.read(tmp_path / "plan.json")
    assert read.plan == made.plan
    assert read.plan.digest == made.plan.digest
    assert read.missing == []
    assert read.plan.rules == SCHEMA


def test_equal_terms_make_another_plan_each_time(tmp_path: Path) -> None:
    first, second = parties(tmp_path).plan, parties(tmp_path).plan
    assert first.digest != replace(first, nonce=second.nonce).digest


def test_only_a_party_can_sign(made: Parties) -> None:
    unsigned = SignedPlan(made.plan)
    assert unsigned.missing == ["clinic 0", "clinic 1", "clinic 2"]
    assert unsigned.signed(made.keys[1]).missing == ["clinic 0", "clinic 2"]
    with pytest.raises(InputError, match="of no party"):
        unsigned.signed(generate_key())
    with pytest.raises(InputError, match="missing: clinic 0, clinic 2"):
        unsigned.signed(made.keys[1]).require_signed()


@pytest.mark.parametrize(("name", "value"), [("epsilon", 9.0), ("colluding", 2), ("minimum", 2), ("rows", 99999)])
def test_a_plan_changed_after_a_signature_is_refused(made: Parties, tmp_path: Path, name: str, value: float) -> None:
    made.signed.write(tmp_path / "plan.json")
    content = json.loads((tmp_path / "plan.json").read_text())
    content["plan"][name] = value
    (tmp_path / "plan.json").write_text(json.dumps(content))
    with pytest.raises(TacitError, match=r"does not match|colluding must be below"):
        SignedPlan.read(tmp_path / "plan.json")


def test_a_signature_of_a_stranger_or_of_another_party_is_refused(made: Parties, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    made.signed.write(path)
    content = json.loads(path.read_text())
    content["signatures"]["clinic 1"] = content["signatures"]["clinic 0"]
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="signature of 'clinic 1' does not match"):
        SignedPlan.read(path)
    content["signatures"] = {"nobody": "00"}
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="no party"):
        SignedPlan.read(path)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"plan": {}, "signatures": {}}', '{"plan": 3, "signatures": {}}'])
def test_a_file_that_is_no_plan_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises((InputError, ReleaseError), match="plan"):
        SignedPlan.read(tmp_path / "plan.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"unit": "entry"}, "unit"),
        ({"minimum": 1}, "minimum must be from 2 to 3"),
        ({"minimum": 4}, "minimum must be from 2 to 3"),
        ({"colluding": 0}, "colluding"),
        ({"colluding": 3}, "colluding must be below minimum"),
        ({"rows": 0}, "rows"),
        ({"method": "linear"}, "sums over rows"),
        ({"method": "magic"}, "method"),
        ({"parties": ()}, "parties must be from 2"),
    ],
)
def test_terms_that_no_plan_can_have_are_refused(made: Parties, change: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(made.plan, **change)  # type: ignore[arg-type]


def test_names_and_keys_are_each_ones_own(made: Parties) -> None:
    first, second, _ = made.plan.parties
    for twice in (replace(second, name=first.name), replace(second, key=first.key)):
        with pytest.raises(InputError, match="of its own"):
            replace(made.plan, parties=(first, twice))
    for name, key in (
        ("", first.key),
        ("a", "zz"),
        ("a\nb", first.key),
        ("a", key_text(made.keys[0].public_key())[:10]),
    ):
        with pytest.raises(InputError):
            PlanMember(name, key)


def test_the_promise_is_kept_against_the_coalition_however_many_drop_out(tmp_path: Path) -> None:
    plan: JointPlan = parties(tmp_path, 6, minimum=4, colluding=2).plan
    assert (plan.honest, plan.threshold) == (2, 3)
    steps = plan.release_plan.steps
    assert accounting.epsilon(plan_event(steps, plan.release_plan.budget), delta=plan.delta) <= 1 + 1e-9
