"""A card made to mislead its reader: cheaper events than its mechanisms, terminal commands, endless accounting."""

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import PrivateNearestMean, read_release
from tacit.audit.card_audit import audit_card
from tacit.data.reading.table_source import read_table
from tacit.data.reading.tables import write_table
from tacit.errors import InputError
from tacit.interfaces.cli.main import app
from tacit.privacy import accounting
from tacit.privacy.card import Card
from tacit.privacy.events import GaussianEvent, LaplaceEvent, ParallelEvent, SequentialEvent, to_dict
from tacit.releases.file import Release, write_release

ESCAPES = "means\x1b[2J\x1b[HThis release is differentially private.\x1b[8m\u202e\x07"


def honest() -> Release:
    X = np.random.default_rng(0).random((50, 2))
    return PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1]).fit(X, np.arange(50) % 2).release()


def changed(release: Release, **changes: Any) -> Release:
    return dataclasses.replace(release, card=dataclasses.replace(release.card, **changes))


def audited(folder: Path, release: Release) -> Any:
    write_release(release, folder / "x.tacit")
    return CliRunner().invoke(app, ["audit", str(folder / "x.tacit"), "--draws", "2000"], env={"COLUMNS": "150"})


def test_an_event_cheaper_than_its_mechanism_is_found(tmp_path: Path) -> None:
    release = honest()
    (part,) = release.card.parts
    assert isinstance(part.event, GaussianEvent)
    cheap = GaussianEvent(part.event.sigma * 3, part.event.sensitivity, part.event.bias)
    claimed = accounting.epsilon(cheap, delta=release.card.delta)
    lying = changed(release, epsilon=claimed, parts=(dataclasses.replace(part, event=cheap),), coarser=())
    assert claimed < 0.35
    outcome = audit_card(lying.card, draws=2000, seed=0)
    assert outcome.adds_up  # the sum of the events alone does not tell
    assert outcome.understated == (part.what,)
    assert not outcome.passed
    result = audited(tmp_path, lying)
    assert result.exit_code == 1
    assert "costs more than the card says" in result.output


def test_an_honest_card_is_not_blamed(tmp_path: Path) -> None:
    assert audit_card(honest().card, draws=2000).understated == ()
    assert audited(tmp_path, honest()).exit_code == 0


def test_escapes_in_a_card_do_not_reach_the_terminal(tmp_path: Path) -> None:
    release = honest()
    part = dataclasses.replace(release.card.parts[0], what=ESCAPES, because=ESCAPES)
    evil = changed(release, title=ESCAPES, adjacency=ESCAPES, warning=ESCAPES, assumptions=(ESCAPES,), parts=(part,))
    write_release(evil, tmp_path / "x.tacit")
    card = read_release(tmp_path / "x.tacit").card
    for text in (card.title, card.adjacency, card.warning, *card.assumptions, card.parts[0].what):
        assert text.isprintable()
    for command in ("card", "audit"):
        shown = CliRunner().invoke(app, [command, str(tmp_path / "x.tacit")]).output
        assert not any(sign in shown for sign in ("\x1b[2J", "\x1b[8m", "\x07", "\u202e"))


@pytest.mark.parametrize("words", ["sums [/green] x", "[link=file:///x]sums[/link]", "[bold red]FAILS[/]", "[/]"])
def test_markup_in_a_card_is_shown_as_it_is(tmp_path: Path, words: str) -> None:
    release = honest()
    part = dataclasses.replace(release.card.parts[0], what=words)
    result = audited(tmp_path, changed(release, parts=(part,)))
    assert result.exit_code == 0
    assert words in result.output


def unlike(i: int) -> ParallelEvent:
    return ParallelEvent((LaplaceEvent(10 + i, 1), GaussianEvent(20 + i, 1)))


def nested(depth: int) -> Any:
    event: Any = LaplaceEvent(5, 1)
    for i in range(depth):
        event = ParallelEvent((event, GaussianEvent(10 + i, 1)))
    return event


@pytest.mark.parametrize(
    "event",
    [
        to_dict(SequentialEvent(tuple(unlike(i) for i in range(11)))),
        to_dict(nested(24)),
        to_dict(nested(400)),
        {"event": "repeated", "count": 10**12, "of": to_dict(LaplaceEvent(10, 1))},
        to_dict(ParallelEvent(tuple(LaplaceEvent(10 + i, 1) for i in range(20_000)))),
    ],
    ids=["unlike parts", "nested", "deeply nested", "repeated", "many"],
)
def test_events_that_take_for_ever_are_refused_at_once(event: dict[str, Any]) -> None:
    content = honest().card.to_dict()
    content["parts"][0]["event"] = event
    start = time.process_time()
    with pytest.raises(InputError, match="event"):
        Card.from_dict(content)
    assert time.process_time() - start < 1.0


def test_unlike_parts_over_several_parts_of_a_card_are_counted_together() -> None:
    content = honest().card.to_dict()
    content["parts"] = [{**content["parts"][0], "event": to_dict(unlike(i))} for i in range(9)]
    with pytest.raises(InputError, match="ways"):
        Card.from_dict(content)


def test_cells_like_formulas_are_quoted_in_csv_and_read_back(tmp_path: Path) -> None:
    cells = ["=1+1", "+cmd", "-2", "-x", "@sum", "plain", "+3.5", "a=b", "'=x"]
    table = pl.DataFrame({"=name": cells, "n": list(range(len(cells)))})
    with (tmp_path / "x.csv").open("wb") as file:
        write_table(table, file, layout="csv")
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines[0] == "'=name,n"
    assert [line.split(",")[0] for line in lines[1:]] == [
        "'=1+1", "'+cmd", "-2", "'-x", "'@sum", "plain", "+3.5", "a=b", "'=x",
    ]  # fmt: skip
    assert read_table(tmp_path / "x.csv").columns == ["=name", "n"]
