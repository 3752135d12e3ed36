"""Linear transfer on the command line: the owner releases, the receiver adopts privately, anybody predicts."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import Result
from typer.testing import CliRunner

from tacit import Budget, Ledger, read_release
from tacit.errors import BudgetExceededError, InputError, ReleaseError, TacitError
from tacit.interfaces.cli.main import app
from tacit.workflows.models import open_predictor

SCHEMA = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.dose]
kind = "numeric"
bounds = [0, 10]
{more}
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
PULSE = '[columns.pulse]\nkind = "numeric"\nbounds = [0, 200]'


def people(n: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, 2, n)
    return pl.DataFrame(
        {
            "age": rng.normal(35 + 30 * ill, 8).clip(0, 100).round(1),
            "dose": rng.normal(3 + 4 * ill, 1).clip(0, 10).round(2),
            "pulse": rng.normal(80, 20, n).clip(0, 200).round(),
            "ill": np.where(ill, "yes", "no"),
        }
    )


def tacit(*arguments: str) -> Result:
    done = CliRunner().invoke(app, list(arguments))
    if isinstance(done.exception, TacitError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("owner.toml").write_text(SCHEMA.format(more=""))
    Path("ours.toml").write_text(SCHEMA.format(more=PULSE))
    people(800, 0).drop("pulse").write_csv("owner.csv")
    ours = people(80, 1)
    ours.with_columns(pl.when(pl.arange(0, 80) < 5).then(None).otherwise(pl.col("ill")).alias("ill")).write_csv("o.csv")
    people(400, 2).write_csv("new.csv")
    Ledger.create(tmp_path / "owner.ledger", Budget(3, 1e-6, unit="record", relation="replace"))
    Ledger.create(tmp_path / "ours.ledger", Budget(1, unit="record", relation="replace"))
    release = ("release", "owner.csv", "-s", "owner.toml", "--epsilon", "2", "--ledger", "owner.ledger")
    tacit(*release, "--method", "linear", "-o", "owner.tacit")
    return tmp_path


def adopt(*more: str) -> Result:
    return tacit("adopt", "owner.tacit", "o.csv", "-s", "ours.toml", "-o", "ours.tacit", *more)


def test_the_whole_way(folder: Path) -> None:
    done = adopt("--epsilon", "1", "--ledger", "ours.ledger")
    assert "may be handed out" in done.output
    assert "2 columns and 2 classes shared by name" in done.output
    assert "5 rows without a label left out" in done.output
    assert Ledger(folder / "owner.ledger").spent() == pytest.approx(2)
    assert Ledger(folder / "ours.ledger").spent() == pytest.approx(1)
    assert [line.purpose for line in Ledger(folder / "ours.ledger").lines()] == ["adopt into ours.tacit"]
    tacit("predict", "ours.tacit", "new.csv", "-o", "answers.csv", "--keep", "age")
    answers, truth = pl.read_csv("answers.csv"), pl.read_csv("new.csv")["ill"]
    assert np.mean(answers["prediction"].to_numpy() == truth.to_numpy()) > 0.85
    assert answers.columns == ["age", "prediction", "confidence"]
    assert "differentially private at the level of one record" in tacit("card", "ours.tacit").output
    tacit("report", "ours.tacit", "-o", "report.html")
    assert "logistic regression" in Path("report.html").read_text()
    assert "adds up" in tacit("audit", "ours.tacit", "--draws", "200").output


def test_a_release_predicts_by_itself_and_is_adopted_in_turn(folder: Path) -> None:
    tacit("predict", "owner.tacit", "owner.csv", "-o", "answers.csv")
    answers, truth = pl.read_csv("answers.csv")["prediction"], pl.read_csv("owner.csv")["ill"]
    assert np.mean(answers.to_numpy() == truth.to_numpy()) > 0.85
    adopt("--epsilon", "1")
    tacit("adopt", "ours.tacit", "owner.csv", "-s", "owner.toml", "-o", "again.tacit", "--epsilon", "0.5")
    again = read_release("again.tacit")
    assert again.card.epsilon == 0.5
    assert again.settings["adopted"] == [f"{read_release('ours.tacit').card.title}, epsilon 1"]


def test_half_a_wish_is_refused_and_nothing_is_written(folder: Path) -> None:
    with pytest.raises(InputError, match="give --epsilon with it"):
        adopt("--ledger", "ours.ledger")
    with pytest.raises(InputError, match="epsilon must be a finite number above 0"):
        adopt("--epsilon", "-1")
    with pytest.raises(BudgetExceededError):
        adopt("--epsilon", "2", "--ledger", "ours.ledger")
    assert not Path("ours.tacit").exists()
    assert not Ledger(folder / "ours.ledger").lines()


def test_private_adoption_takes_linear_releases_alone(folder: Path) -> None:
    tacit("release", "owner.csv", "-s", "owner.toml", "--epsilon", "0.5", "-o", "moments.tacit")
    with pytest.raises(InputError, match="--method linear"):
        tacit("adopt", "moments.tacit", "o.csv", "-s", "ours.toml", "-o", "x.tacit", "--epsilon", "1")
    with pytest.raises(InputError, match="--method linear"):
        tacit("adopt", "moments.tacit", "owner.tacit", "o.csv", "-s", "ours.toml", "-o", "x.tacit", "--epsilon", "1")
    with pytest.raises(ReleaseError, match="a model is wanted"):
        open_predictor("moments.tacit")


def test_a_seed_is_marked_and_a_dry_run_spends_nothing(folder: Path) -> None:
    done = adopt("--epsilon", "1", "--seed", "3")
    assert "NOT PRIVATE" in done.output
    assert not read_release("ours.tacit").card.secure
    dry = ("release", "owner.csv", "-s", "owner.toml", "--epsilon", "1", "--method", "linear", "--dry-run")
    assert "objective" in tacit(*dry, "--ledger", "owner.ledger").output
    assert Ledger(folder / "owner.ledger").spent() == pytest.approx(2)


def test_on_an_add_remove_ledger_the_number_of_rows_stays_hidden(folder: Path) -> None:
    for name in ("owner", "ours"):
        Ledger.create(folder / f"{name}-hidden.ledger", Budget(2, 1e-6, unit="record"))
    release = ("release", "owner.csv", "-s", "owner.toml", "--epsilon", "2", "--method", "linear", "--force")
    tacit(*release, "--ledger", "owner-hidden.ledger", "-o", "owner.tacit")
    card = read_release("owner.tacit").card
    assert (card.relation, card.published, card.facts.n_rows) == ("add-remove", (), None)
    assert "the number of rows" not in card.not_protected
    assert Ledger(folder / "owner-hidden.ledger").spent() == pytest.approx(2)
    done = adopt("--epsilon", "1", "--ledger", "ours-hidden.ledger")
    assert "The ledger has spent epsilon 1 of 2" in done.output
    adopted = read_release("ours.tacit").card
    assert (adopted.relation, adopted.published) == ("add-remove", ())


def test_the_relation_may_be_asked_for_without_a_ledger(folder: Path) -> None:
    release = ("release", "owner.csv", "-s", "owner.toml", "--epsilon", "1", "--force", "--no-audit", "-o", "x.tacit")
    tacit(*release, "--method", "linear", "--relation", "add-remove")
    assert read_release(folder / "x.tacit").card.relation == "add-remove"
    tacit(*release, "--method", "linear")
    assert read_release(folder / "x.tacit").card.relation == "replace"
    with pytest.raises(InputError, match="relation must be left out for method 'moments'"):
        tacit(*release, "--method", "moments", "--relation", "replace")
    with pytest.raises(InputError, match="relation must be one of"):
        tacit(*release, "--method", "linear", "--relation", "both")


def test_asked_for_replace_on_a_ledger_that_hides_the_rows_is_refused_as_before(folder: Path) -> None:
    Ledger.create(folder / "hidden.ledger", Budget(2, 1e-6, unit="record"))
    release = ("release", "owner.csv", "-s", "owner.toml", "--epsilon", "1", "--method", "linear", "-o", "y.tacit")
    with pytest.raises(InputError, match="publishes row count without noise"):
        tacit(*release, "--ledger", "hidden.ledger", "--relation", "replace")
    assert not (folder / "y.tacit").exists()


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_adopting_per_person_charges_a_ledger_per_person(folder: Path, relation: str) -> None:
    rows = people(80, 1)
    rows.with_columns(pl.Series("patient", [f"P{i // 4}" for i in range(80)])).write_csv("o.csv")
    Path("ours.toml").write_text(SCHEMA.format(more=PULSE + '\n[columns.patient]\nkind = "ignored"'))
    Ledger.create(folder / "persons.ledger", Budget(2, 1e-6, unit="person", relation=relation))
    spend = ("--epsilon", "1.5", "--ledger", "persons.ledger", "--person", "patient", "--rows-per-person", "2")
    done = adopt(*spend)
    assert "40 of 80 rows left out: at most 2 of each person are read." in done.output
    assert "private at epsilon 1.5 per person" in done.output
    card = read_release("ours.tacit").card
    assert (card.unit, card.rows_per_person, card.relation) == ("person", 2, relation)
    (line,) = Ledger(folder / "persons.ledger").lines()
    assert (line.unit, line.claim.rows_per_person) == ("person", 2)
    assert Ledger(folder / "persons.ledger").spent() == pytest.approx(1.5, rel=1e-4)


@pytest.mark.usefixtures("folder")
def test_persons_are_for_private_adoption() -> None:
    with pytest.raises(InputError, match="--person is for private adoption"):
        adopt("--person", "age")
    with pytest.raises(InputError, match="rows_per_person must be None with unit 'record'"):
        adopt("--epsilon", "1", "--rows-per-person", "2")


def test_adopting_per_record_says_what_a_repeating_person_loses(folder: Path) -> None:
    rows = people(80, 1).with_columns(pl.Series("patient", [f"P{i // 4}" for i in range(80)]))
    rows.write_csv("o.csv")
    Path("ours.toml").write_text(SCHEMA.format(more=PULSE + '\n[columns.patient]\nkind = "ignored"'))
    done = adopt("--epsilon", "1", "--ledger", "ours.ledger")
    assert "'patient' repeats like an identifier: 4 rows" in done.output
    assert "loses epsilon 4 " in done.output
    assert (folder / "ours.tacit").exists()
