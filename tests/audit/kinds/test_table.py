"""The table of audits: one line a kind, and each family holds sound cases and a control."""

from pathlib import Path

import pytest

from tacit.audit import desk, joint, kinds, ledger, mechanisms, persons, private_adoption, relations, second_round
from tacit.audit.kinds.table import CASES
from tacit.audit.self_audit import FAMILIES, cases

FOLDER = Path(kinds.__file__).parent


def test_every_module_of_audits_is_one_line_of_the_table() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "table"}
    assert set(CASES) == modules
    for name, list_cases in CASES.items():
        assert list_cases.__module__ == f"{kinds.__name__}.{name}"


@pytest.mark.parametrize("list_cases", FAMILIES, ids=lambda f: f.__module__)
def test_every_family_has_sound_cases_and_a_control(list_cases: object) -> None:
    listed = list_cases(0)  # type: ignore[operator]
    assert [case for case in listed if case.control]
    assert [case for case in listed if not case.control]


def test_every_kind_is_replayed() -> None:
    for name, list_cases in CASES.items():
        assert [case for case in list_cases(0) if "replay" in case.name], name


def test_the_self_audit_runs_every_family_once() -> None:
    others = (
        relations.cases,
        persons.cases,
        private_adoption.cases,
        second_round.cases,
        desk.cases,
        ledger.cases,
        joint.cases,
    )
    assert (mechanisms.cases, *CASES.values(), *others) == FAMILIES
    names = [case.name for case in cases(0)]
    assert len(names) == len(set(names))
