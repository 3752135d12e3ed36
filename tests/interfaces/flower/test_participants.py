"""The record of which nodes took part in a run."""

import pytest

pytest.importorskip("flwr", reason="needs flwr: pip install 'tacit-knowledge[federated]'")

from tacit.interfaces.flower.participants import Participants


def test_a_node_that_is_excluded_is_active_no_longer_and_keeps_its_reason() -> None:
    participants = Participants([7, 8])
    participants.exclude(8, "no answer\n within 5 seconds")
    assert participants.active == [7]
    entries = participants.to_list()
    assert [entry["status"] for entry in entries] == ["answered", "left out"]
    assert entries[1]["why"] == "no answer within 5 seconds"


def test_a_nodes_report_is_kept_where_a_later_one_is_silent_about_it() -> None:
    participants = Participants([7])
    participants.record(7, {"name": "clinic", "spent": 1})
    participants.record(7, {})
    entry = participants.to_list()[0]
    assert (entry["name"], entry["epsilon_spent"]) == ("clinic", 1.0)


def test_a_nodes_report_cannot_bring_anything_but_a_short_name_and_a_number() -> None:
    participants = Participants([2**63])
    participants.record(2**63, {"name": "x" * 500, "spent": "much"})
    entry = participants.to_list()[0]
    assert entry["node"] == str(2**63)
    assert len(entry["name"]) == 100
    assert entry["epsilon_spent"] is None
