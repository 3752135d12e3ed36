import pytest

from tacit.audit.self_audit import cases, self_audit


@pytest.mark.slow
def test_every_mechanism_passes_and_every_broken_control_is_caught() -> None:
    verdicts = list(self_audit(seed=20))
    assert [verdict.result.what for verdict in verdicts if not verdict.as_expected] == []
    assert sum(verdict.control for verdict in verdicts) >= 3
    tight = {verdict.result.what: verdict.result.lower_bound for verdict in verdicts}
    # A game that found nothing anywhere would pass too: it must come close to the claim where the claim is tight.
    assert tight["laplace"] > 0.8
    assert tight["randomized response"] > 0.8
    assert tight["duchi"] > 0.8


def test_replays_stand_without_a_seed_as_users_run_them() -> None:
    # Public choices that were drawn afresh for each neighbour would look like a leak.
    replays = [case for case in cases(None) if "replay" in case.name]
    assert len(replays) > 15
    assert [case.name for case in replays if case.run().passed == case.control] == []
