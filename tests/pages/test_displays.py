from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tacit import Budget, Ledger, PrivateNearestMean, Schema, attack_release, make_release
from tacit.adoption.evidence.figures import Figure
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.errors import InputError, TacitError
from tacit.pages import displays
from tacit.pages.displays import LedgerDisplay, PrivacyAccuracyDisplay, ReleaseGainDisplay, RocDisplay

pytest.importorskip("matplotlib").use("agg")
SCHEMA = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("ill", ("no", "yes"))))


def people(n_rows: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 2))
    return X, (X[:, 0] + 0.1 * rng.normal(size=n_rows) > 0.6).astype(int)


def release(epsilon: float, rows: tuple[Any, Any]) -> Any:
    settings: dict[str, Any] = {"unit": "record", "delta": 1e-6, "method": "moments", "random_state": 0}
    return make_release(*rows, SCHEMA, epsilon=epsilon, **settings)


def lines_of(display: Any) -> list[Any]:
    return [line.get_xydata() for line in display.ax_.get_lines()]


def test_accuracy_over_epsilon_is_measured_on_labels_that_were_not_used() -> None:
    X, y = people(400, 1)
    releases = [release(epsilon, people(3000, 0)) for epsilon in (3.0, 0.3)]
    display = PrivacyAccuracyDisplay.from_releases(releases, X, y)
    assert display.epsilons.tolist() == [3.0, 0.3]
    assert (display.accuracies > 0.85).all()
    assert display.majority == max(y.mean(), 1 - y.mean())
    names = np.array(SCHEMA.classes)[y]
    assert PrivacyAccuracyDisplay.from_releases(releases, X, names).accuracies.tolist() == display.accuracies.tolist()
    drawn = display.plot()
    assert lines_of(drawn)[0][:, 0].tolist() == [0.3, 3.0]
    assert drawn.figure_ is drawn.ax_.figure


def test_a_release_at_chance_is_refused_and_has_no_point() -> None:
    X, y = people(200, 1)
    noise = np.random.default_rng(0).integers(0, 2, 500)
    display = PrivacyAccuracyDisplay.from_releases([release(0.01, (people(500, 0)[0], noise))], X, y)
    assert np.isnan(display.accuracies).all()


def test_the_ledger_is_drawn_as_it_adds_up(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(5, 1e-5, unit="record"))
    for _ in range(3):
        PrivateNearestMean(1.0, bounds=(0, 1), ledger=ledger).fit(*people(50, 0))
    display = LedgerDisplay.from_ledger(ledger.path)
    assert display.spent[-1] == pytest.approx(ledger.spent())
    assert (np.diff(display.spent) > 0).all()
    stairs = lines_of(display.plot())[0]
    assert stairs[-2:].tolist() == [[3, display.spent[-1]], [3.5, display.spent[-1]]]
    with pytest.raises(InputError, match="must be a Ledger"):
        LedgerDisplay.from_ledger(None)


def test_gains_are_drawn_with_their_intervals_and_gaps_where_labels_cannot_tell() -> None:
    figures = [SimpleNamespace(name="a", gain=Figure(0.1, 0.05, 0.2)), SimpleNamespace(name="b", gain=None)]
    display = ReleaseGainDisplay.from_model(SimpleNamespace(evidence_=SimpleNamespace(releases=figures)))
    assert display.gains[0].tolist() == [0.1, 0.05, 0.2]
    assert np.isnan(display.gains[1]).all()
    drawn = display.plot()
    assert [tick.get_text() for tick in drawn.ax_.get_yticklabels()] == ["a", "b"]


def test_curves_of_attacks_go_from_nobody_to_everybody() -> None:
    members, others = (Encoded(*people(300, seed), SCHEMA.encoded_names, SCHEMA.classes) for seed in (0, 5))
    attack = attack_release(release(1.0, people(300, 0)), members, others, SCHEMA, appearances=0, seed=0)
    display = RocDisplay.from_attack(attack).plot()
    curve = lines_of(display)[0]
    assert curve[0].tolist() == [0, 0]
    assert curve[-1].tolist() == [1, 1]


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(TacitError, match=r"tacit-knowledge\[plots\]"):
        displays.axes_for(None)
