"""Joint runs from files: any unit and target, resumed after a crash, nothing half-done."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tacit.data.schemas.columns import Label, Numeric, Person, Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release
from tacit.releases.signature import generate_key, load_key, save_key
from tacit.situations.joint.aggregator import Aggregator
from tacit.situations.joint.plan import SignedPlan
from tacit.workflows.join_plan import plan_join, sign_join
from tacit.workflows.join_run import PartyFiles, open_session, party_facts, run_join

CLASSES = Schema((Numeric("age", (0, 110)), Label("ill", ("no", "yes"))))
PERSONS = Schema((*CLASSES.columns, Person("name", rows=2)))
NUMBERS = Schema((Numeric("age", (0, 110)), Target("cost", (0, 100))))


def table(seed: int, rows: int = 60) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    ill = random.integers(0, 2, rows)
    return pl.DataFrame(
        {
            "age": np.clip(40 + 30 * ill + random.normal(0, 8, rows), 0, 110).round(1),
            "ill": np.array(["no", "yes"])[ill],
            "cost": np.clip(20 + 50 * ill + random.normal(0, 5, rows), 0, 100).round(1),
            "name": [f"person {n // 3}" for n in range(rows)],
        }
    )


def homes_of(folder: Path, columns: list[str], unit: str = "record", count: int = 3) -> list[Path]:
    homes = []
    for number in range(count):
        home = folder / f"party-{number}"
        home.mkdir()
        table(number).select(columns).write_csv(home / "table.csv")
        Ledger.create(home / "party.ledger", Budget(2, 1e-5, unit=unit))
        save_key(generate_key(), home / "party.key")
        (home / "join.toml").write_text('table = "table.csv"\nledger = "party.ledger"\nkey = "party.key"\n')
        homes.append(home)
    return homes


def key_of(home: Path) -> Ed25519PrivateKey:
    return load_key(home / "party.key")


def signed_plan(folder: Path, homes: list[Path], schema: Schema, **options: Any) -> Path:
    path = folder / "joint.json"
    public = {home.name: key_of(home).public_key() for home in homes}
    plan_join(schema, public, epsilon=1.0, output=path, **options)
    for home in homes:
        sign_join(path, home / "party.key")
    return path


def lines(homes: list[Path]) -> list[int]:
    return [len(Ledger(home / "party.ledger").lines()) for home in homes]


def test_persons_are_bounded_at_each_party_and_stand_on_the_card(tmp_path: Path) -> None:
    homes = homes_of(tmp_path, ["age", "ill", "name"], unit="person")
    plan = signed_plan(tmp_path, homes, PERSONS, method="moments")
    with pytest.warns(UserWarning, match="at most 2 of each person"):
        made = run_join(plan, homes, output=tmp_path / "joint.tacit")
    card = made.release.card
    assert (str(card.unit), card.rows_per_person) == ("person", 2)
    assert card.parts[0].rows == 2
    assert lines(homes) == [1, 1, 1]


def test_a_numeric_target_is_learned_together(tmp_path: Path) -> None:
    homes = homes_of(tmp_path, ["age", "cost"])
    made = run_join(signed_plan(tmp_path, homes, NUMBERS), homes, output=tmp_path / "joint.tacit")
    assert made.release.kind == "additive"
    assert made.release.settings["target"]["bounds"] == [0, 100]
    assert read_release(tmp_path / "joint.tacit") == made.release


def test_a_run_that_was_broken_off_goes_on_where_it_stood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = homes_of(tmp_path, ["age", "ill"])
    plan = signed_plan(tmp_path, homes, CLASSES, method="fabricated")
    total = Aggregator._total

    def cut(self: Aggregator, query: int, *rest: Any) -> Any:
        if query == 1:
            raise KeyboardInterrupt
        return total(self, query, *rest)

    monkeypatch.setattr(Aggregator, "_total", cut)
    with pytest.raises(KeyboardInterrupt):
        run_join(plan, homes, output=tmp_path / "joint.tacit")
    assert not (tmp_path / "joint.tacit").exists()
    assert lines(homes) == [1, 1, 1]
    stands = party_facts(SignedPlan.read(plan), PartyFiles.read(homes[0]))
    assert (stands["queries_answered"], stands["finished"]) == (2, False)
    monkeypatch.setattr(Aggregator, "_total", total)
    stages: list[str] = []
    made = run_join(plan, homes, output=tmp_path / "joint.tacit", progress=stages.append)
    assert made.release.card.joint is not None
    assert any("query 2" in stage for stage in stages)
    assert lines(homes) == [1, 1, 1]


def test_a_partys_file_names_its_files(tmp_path: Path) -> None:
    (home,) = homes_of(tmp_path, ["age", "ill"], count=1)
    for path in (home, home / "join.toml"):
        assert PartyFiles.read(path).path("table") == home / "table.csv"
    for text in (
        "",
        'table = "t"',
        'table = 1\nledger = "l"\nkey = "k"',
        'table = "t"\nledger = "l"\nkey = "k"\nx = "y"',
    ):
        (home / "join.toml").write_text(text)
        with pytest.raises(InputError, match="must give table, ledger and key"):
            PartyFiles.read(home)
    (home / "join.toml").write_text("table = ")
    with pytest.raises(InputError, match="cannot be read"):
        PartyFiles.read(home)


def test_where_a_party_stands_is_told_before_and_after(tmp_path: Path) -> None:
    homes = homes_of(tmp_path, ["age", "ill"])
    plan = signed_plan(tmp_path, homes, CLASSES, method="moments")
    signed, files = SignedPlan.read(plan), PartyFiles.read(homes[1])
    before = party_facts(signed, files)
    assert before["name"] == "party-1"
    assert before["fits"]
    assert (before["charged_line"], before["opened"], before["queries_answered"]) == (None, False, 0)
    assert not before["finished"]
    run_join(plan, homes, output=tmp_path / "joint.tacit")
    after = party_facts(signed, files)
    # A release of class moments has one query; the finished release is none.
    assert (after["charged_line"], after["opened"], after["queries_answered"]) == (1, True, 1)
    assert after["finished"]
    assert after["epsilon_left"] < before["epsilon_left"]
    assert "fits" not in after


def test_a_ledger_of_another_unit_is_refused_before_any_charge(tmp_path: Path) -> None:
    homes = homes_of(tmp_path, ["age", "ill"], unit="person")
    plan = signed_plan(tmp_path, homes, CLASSES, method="moments")
    with pytest.raises(TacitError, match="party-0"):
        run_join(plan, homes, output=tmp_path / "joint.tacit")
    assert lines(homes) == [0, 0, 0]


def test_keys_may_be_given_instead_of_read_and_must_be_of_a_party(tmp_path: Path) -> None:
    homes = homes_of(tmp_path, ["age", "ill"])
    plan = signed_plan(tmp_path, homes, CLASSES, method="moments")
    signed, files = SignedPlan.read(plan), PartyFiles.read(homes[2])
    assert open_session(signed, files, key=key_of(homes[2])).number == 2
    with pytest.raises(InputError, match="of no party"):
        open_session(signed, files, key=generate_key())
    made = run_join(plan, homes, output=tmp_path / "joint.tacit", keys=[key_of(home) for home in homes])
    assert made.exclusions == {}
    assert made.traffic.rounds == 5


def test_cells_that_the_schema_mends_are_said_on_the_card(tmp_path: Path) -> None:
    homes = homes_of(tmp_path, ["age", "ill"])
    mended = CLASSES.with_bad_records("clip")
    made = run_join(signed_plan(tmp_path, homes, mended, method="moments"), homes, output=tmp_path / "joint.tacit")
    assert any("mended by its public rules" in each for each in made.release.card.assumptions)
