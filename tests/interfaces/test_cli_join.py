"""`tacit join`: plan, sign, run and status; bad input charges nothing and writes nothing."""

import json
from pathlib import Path

import pytest
from tests.interfaces.joint_folders import charges, plan_and_sign, said, tacit, write_parties

from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release


@pytest.fixture
def homes(tmp_path: Path) -> list[Path]:
    return write_parties(tmp_path)


def test_three_parties_make_one_release_that_other_commands_take(tmp_path: Path, homes: list[Path]) -> None:
    plan = plan_and_sign(tmp_path, homes, "--method", "moments")
    done = tacit("join", "run", plan, *homes, "-o", tmp_path / "joint.tacit")
    assert done.exit_code == 0, said(done)
    assert "by 3 parties" in done.output
    assert charges(homes) == [1, 1, 1]
    shown = tacit("join", "status", plan, homes[0])
    assert "here: clinic-0: charged on line 1; 1 query answered, release finished." in shown.output
    release = read_release(tmp_path / "joint.tacit")
    assert release.card.joint is not None
    assert [party.name for party in release.card.joint.parties] == ["clinic-0", "clinic-1", "clinic-2"]
    assert "clinic-1" in tacit("card", tmp_path / "joint.tacit").output
    assert tacit("audit", tmp_path / "joint.tacit").exit_code == 0
    assert tacit("ledger", "verify", homes[1] / "party.ledger", "--against", tmp_path / "joint.tacit").exit_code == 0
    model = tmp_path / "model.tacit"
    ours = homes[0] / "table.csv"
    adopted = tacit("adopt", tmp_path / "joint.tacit", ours, "--schema", tmp_path / "schema.toml", "-o", model)
    assert adopted.exit_code == 0, said(adopted)
    for file in (tmp_path / "joint.tacit", model):
        assert tacit("report", file, "-o", tmp_path / "page.html", "--force").exit_code == 0
        page = (tmp_path / "page.html").read_text()
        assert "holds against the aggregator together with 1 party" in page
        assert all(f"{party.name}, key {party.key[:16]}" in page for party in release.card.joint.parties)


def test_a_second_run_of_a_plan_is_the_same_release_and_no_second_charge(tmp_path: Path, homes: list[Path]) -> None:
    plan = plan_and_sign(tmp_path, homes, "--method", "moments")
    for name in ("first.tacit", "second.tacit"):
        assert tacit("join", "run", plan, *homes, "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / "first.tacit").read_bytes() == (tmp_path / "second.tacit").read_bytes()
    assert charges(homes) == [1, 1, 1]


def test_status_says_who_signed_and_where_a_party_stands(tmp_path: Path, homes: list[Path]) -> None:
    plan = tmp_path / "joint.json"
    members = [each for home in homes for each in ("--party", f"{home.name}={home / 'party.pub'}")]
    tacit("join", "plan", "-s", tmp_path / "schema.toml", *members, "--epsilon", "1", "-o", plan)
    tacit("join", "sign", plan, "--key", homes[1] / "party.key")
    facts = json.loads(tacit("join", "status", plan, homes[0], "--json").output)
    assert [party["signed"] for party in facts["parties"]] == [False, True, False]
    assert facts["outside_epsilon"] < facts["epsilon"] == 1
    assert facts["here"][0]["name"] == "clinic-0"
    assert facts["here"][0]["fits"]
    assert facts["here"][0]["charged_line"] is None
    shown = tacit("join", "status", plan, homes[0])
    assert "not signed  clinic-0" in shown.output
    assert "3 columns (age, sex, ill)" in shown.output
    assert "not charged, fits" in shown.output


def test_one_who_is_absent_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    homes = write_parties(tmp_path, 4)
    plan = plan_and_sign(tmp_path, homes, "--method", "moments", "--minimum", "3")
    done = tacit("join", "run", plan, *homes[:3], "-o", tmp_path / "joint.tacit")
    assert done.exit_code == 0, said(done)
    assert "left out: clinic-3: no answer" in done.output
    assert charges(homes) == [1, 1, 1, 0]
    # For programs, and again: what was charged and drawn is not charged or drawn twice.
    again = tacit("join", "run", plan, *homes[:3], "-o", tmp_path / "again.tacit", "--json")
    facts = json.loads(again.stdout)
    assert facts["parties"] == ["clinic-0", "clinic-1", "clinic-2"]
    assert facts["left_out"] == {"clinic-3": "no answer."}
    assert (facts["unit"], facts["file"]) == ("record", str(tmp_path / "again.tacit"))
    assert charges(homes) == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("join plan -s schema.toml --epsilon 0 {members} -o new.json", "epsilon must be"),
        ("join plan -s absent.toml --epsilon 1 {members} -o new.json", "absent.toml"),
        ("join plan -s schema.toml --epsilon 1 --party a=clinic-0/party.pub -o new.json", "from 2 to"),
        ("join plan -s schema.toml --epsilon 1 --party nobody -o new.json", "NAME=KEY"),
        ("join plan -s schema.toml --epsilon 1 {members} --party clinic-0=clinic-0/party.pub -o new.json", "twice"),
        ("join plan -s schema.toml --epsilon 1 {members} --party b=clinic-0/table.csv -o new.json", "public key"),
        ("join plan -s schema.toml --epsilon 1 {members} --method linear -o new.json", "sums over rows"),
        ("join plan -s schema.toml --epsilon 1 {members} --colluding 3 -o new.json", "colluding"),
        ("join plan -s schema.toml --epsilon 1 {members} --minimum 9 -o new.json", "minimum"),
        ("join plan -s schema.toml --epsilon 1 {members} --rows 0 -o new.json", "rows"),
        ("join plan -s schema.toml --epsilon 1 {members} --unit entry -o new.json", "unit"),
        ("join plan -s schema.toml --epsilon 1 {members} -o absent/new.json", "absent"),
        ("join plan -s schema.toml --epsilon 1 {members} -o joint.json", "exists"),
        ("join sign absent.json --key clinic-0/party.key", "absent.json"),
        ("join sign schema.toml --key clinic-0/party.key", "schema.toml"),
        ("join sign joint.json --key absent.key", "absent.key"),
        ("join sign joint.json --key other.key", "of no party"),
        ("join run joint.json clinic-0 clinic-1 -o new.tacit", "at least 3"),
        ("join run joint.json clinic-0 clinic-1 clinic-1 -o new.tacit", "given twice"),
        ("join run joint.json clinic-0 clinic-1 absent -o new.tacit", "absent"),
        ("join run joint.json clinic-0 clinic-1 schema.toml -o new.tacit", "must give table, ledger and key"),
        ("join run joint.json {homes} -o clinic-0/table.csv", "table.csv"),
        ("join run joint.json {homes} -o joint.json", "joint.json"),
        ("join run unsigned.json {homes} -o new.tacit", "signed by every party"),
        ("join run large.json {homes} -o new.tacit", "does not fit"),
        ("join run few.json {homes} -o new.tacit", "more than 59 rows"),
        ("join status joint.json absent", "absent"),
        ("join status clinic-0/table.csv", "table.csv"),
    ],
)
def test_bad_input_charges_nothing_and_writes_nothing(
    shared: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, words: str
) -> None:
    monkeypatch.chdir(shared)
    before = {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()}
    homes = ["clinic-0", "clinic-1", "clinic-2"]
    members = " ".join(f"--party {home}={home}/party.pub" for home in homes)
    done = tacit(*arguments.format(members=members, homes=" ".join(homes)).split())
    assert done.exit_code != 0
    assert words in said(done)
    assert {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()} == before


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parties and plans that no test changes: a signed one, one without signatures, one too large for the ledgers."""
    folder = tmp_path_factory.mktemp("join")
    homes = write_parties(folder)
    tacit("key", "new", folder / "other")
    plan_and_sign(folder, homes, "--method", "moments", "--epsilon", "9").rename(folder / "large.json")
    plan_and_sign(folder, homes, "--method", "moments", "--rows", "59").rename(folder / "few.json")
    plan_and_sign(folder, homes, "--method", "moments")
    content = json.loads((folder / "joint.json").read_text())
    (folder / "unsigned.json").write_text(json.dumps({**content, "signatures": {}}))
    return folder


def test_a_table_that_does_not_follow_the_schema_stops_before_any_charge(tmp_path: Path, homes: list[Path]) -> None:
    plan = plan_and_sign(tmp_path, homes, "--method", "moments")
    (homes[2] / "table.csv").write_text("age,sex,ill\n30,x,no\n")
    done = tacit("join", "run", plan, *homes, "-o", tmp_path / "joint.tacit")
    assert done.exit_code != 0
    assert "clinic-2" in said(done)
    assert charges(homes) == [0, 0, 0]
    assert not (tmp_path / "joint.tacit").exists()


def test_a_ledger_whose_journal_was_deleted_gives_no_second_answer(tmp_path: Path, homes: list[Path]) -> None:
    plan = plan_and_sign(tmp_path, homes, "--method", "moments")
    assert tacit("join", "run", plan, *homes, "-o", tmp_path / "joint.tacit").exit_code == 0
    for path in (homes[0] / "join").rglob("*"):
        if path.is_file():
            path.unlink()
    done = tacit("join", "run", plan, *homes, "-o", tmp_path / "again.tacit")
    assert done.exit_code != 0
    assert "the record of that run is gone" in said(done)
    assert len(Ledger(homes[0] / "party.ledger").lines()) == 1
