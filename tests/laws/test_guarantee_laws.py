"""Every kind of release and every private estimator stands in docs/guarantees.md, as the code has it."""

import inspect
import re
from pathlib import Path

import pytest

import tacit
from tacit.audit.persons import ESTIMATORS
from tacit.audit.relations import claim_of
from tacit.audit.self_audit import cases
from tacit.kinds.registry import all_kinds
from tacit.models.per_person import PersonMixin
from tacit.models.private_estimator import PrivateEstimator
from tacit.privacy.budget import Unit
from tacit.privacy.conversions import Exact
from tacit.public_names import PUBLIC_NAMES
from tacit.releases.kind import ReleaseKind

PAGE = (Path(tacit.__file__).parents[2] / "docs" / "guarantees.md").read_text(encoding="utf-8")
# What is private and neither a kind of release nor an estimator.
OTHERS = {"A ledger", "A desk", "An answer to a request"}
FACTS = [
    "unit",
    "relation",
    "inequality",
    "mechanism",
    "exact",
    "conversions",
    "proof",
    "audit",
    "broken twin",
]
BLOCK = re.compile(r"^### (.+)\n\| \| \|\n\| --- \| --- \|\n((?:\| .*\n?)+)", re.MULTILINE)


def facts_of(rows: str) -> dict[str, str]:
    """Return the table's second column by its first."""
    cells = [[cell.strip() for cell in line.strip("|").split("|", 1)] for line in rows.splitlines()]
    return {cells_of_row[0]: cells_of_row[1] for cells_of_row in cells}


BLOCKS = {heading.split("`")[1] if "`" in heading else heading: facts_of(rows) for heading, rows in BLOCK.findall(PAGE)}
CASES = {case.name: case for case in cases(0)}


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def estimators() -> list[str]:
    """Return the public estimators and functions that spend a privacy loss by themselves."""
    found = []
    for name in PUBLIC_NAMES:
        public = getattr(tacit, name)
        if isinstance(public, type) and issubclass(public, PrivateEstimator):
            found.append(name)
        workflow = name in {"release", "fabricate", "make_release"}  # these release a kind
        if inspect.isfunction(public) and "epsilon" in inspect.signature(public).parameters and not workflow:
            found.append(name)
    return found


def names(kind: ReleaseKind) -> str:
    return kind.name


@pytest.mark.parametrize("name", [kind.method for kind in all_kinds()] + estimators() + sorted(OTHERS))
def test_each_stands_in_the_page_with_every_fact(name: str) -> None:
    assert list(BLOCKS[name]) == FACTS
    assert all(BLOCKS[name].values())


def test_nothing_else_stands_in_the_page() -> None:
    assert set(BLOCKS) == {kind.method for kind in all_kinds()} | set(estimators()) | OTHERS


@pytest.mark.parametrize("name", BLOCKS)
def test_its_audits_are_run_and_its_twins_are_controls(name: str) -> None:
    audits, twins = quoted(BLOCKS[name]["audit"]), quoted(BLOCKS[name]["broken twin"])
    assert audits
    assert twins
    assert [each for each in audits if each not in CASES or CASES[each].control] == []
    assert [each for each in twins if each not in CASES or not CASES[each].control] == []


@pytest.mark.parametrize("kind", all_kinds(), ids=names)
def test_units_and_relations_are_those_of_the_code(kind: ReleaseKind) -> None:
    block = BLOCKS[kind.method]
    assert set(quoted(block["unit"])) == {str(unit) for unit in kind.protects}
    forms = kind.relations or (None,)
    proved = {str(each) for unit in kind.units for form in forms for each in claim_of(kind, unit, form).relations}
    assert set(quoted(block["relation"])) - {str(unit) for unit in Unit} == proved


@pytest.mark.parametrize("kind", all_kinds(), ids=names)
def test_what_leaves_exactly_is_said(kind: ReleaseKind) -> None:
    words = {Exact.ROW_COUNT: "number of rows", Exact.LABELS: "labels", Exact.CLASS_COUNTS: "class counts"}
    stated = BLOCKS[kind.method]["exact"]
    for unit in kind.units:
        exact = claim_of(kind, unit).exact
        assert [each for each in exact or () if words[each] not in stated] == []
        if exact == ():
            assert "nothing" in stated


def test_no_block_stands_twice() -> None:
    headings = [heading for heading, _ in BLOCK.findall(PAGE)]
    assert len(headings) == len(set(headings))


def test_estimators_that_protect_persons_say_so_and_are_audited_for_it() -> None:
    persons = {name for name in estimators() if issubclass_of(name, PersonMixin)}
    assert persons == set(ESTIMATORS)
    for name in persons:
        assert quoted(BLOCKS[name]["unit"]) == ["record", "person"]
        assert f"{name} per person with 10 rows, replay" in quoted(BLOCKS[name]["audit"])


def issubclass_of(name: str, base: type) -> bool:
    public = getattr(tacit, name)
    return isinstance(public, type) and issubclass(public, base)


def test_a_twin_that_is_no_control_would_be_noticed() -> None:
    """The law can fail: an audit quoted as its own twin is none."""
    name = quoted(BLOCKS["moments"]["audit"])[0]
    assert not CASES[name].control
