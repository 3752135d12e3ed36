"""A tour of bad input: each is refused in one line that says why, nothing is charged and nothing is written."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit import Budget, Ledger, make_release, read_schema, write_release
from tacit.errors import TacitError
from tacit.interfaces.cli.main import app
from tacit.releases.signature import generate_key, save_key, save_public_key
from tacit.workflows.join_plan import plan_join

SCHEMA = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 110]
[columns.sex]
kind = "categorical"
categories = ["f", "m"]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
HEAD = "age,sex,ill\n"
ROWS = "".join(f"{20 + place},{'fm'[place % 2]},{('no', 'yes')[place > 30]}\n" for place in range(60))
SECRET = "XSECRETX"
FILES = {
    "p.csv": HEAD + ROWS,
    "p.toml": SCHEMA,
    "empty.csv": "",
    "header.csv": HEAD,
    "blank.csv": "age,sex,ill\n,,\n",
    "text.csv": f"{HEAD}{SECRET},f,no\n30,m,yes\n",
    "category.csv": f"{HEAD}30,{SECRET},no\n30,m,yes\n",
    "class.csv": f"{HEAD}30,f,{SECRET}\n30,m,yes\n",
    "missing.csv": f"{HEAD},f,no\n30,m,yes\n",
    "lacking.csv": "age,ill\n30,no\n40,yes\n",
    "extra.csv": "age,sex,ill,ward\n30,f,no,1\n40,m,yes,2\n",
    "twice.csv": "age,age,sex,ill\n30,30,f,no\n",
    "ragged.csv": f"{HEAD}30,f,no,7,8\n30,m,yes\n",
    "infinite.csv": f"{HEAD}inf,f,no\n30,m,yes\n",
    "not.parquet": "no parquet",
    "not.npz": "no npz",
    "table.xlsx": "no table",
    "not.tacit": "no release",
    "draft.toml": SCHEMA.replace("version = 1", "version = 1\nbounds_from_data = true"),
    "version.toml": SCHEMA.replace("version = 1", "version = 9"),
    "broken.toml": "version = ",
    "bounds.toml": SCHEMA.replace("[0, 110]", "[110, 0]"),
    "same.toml": SCHEMA.replace("[0, 110]", "[5, 5]"),
    "kind.toml": SCHEMA.replace('"numeric"', '"nummeric"'),
    "rule.toml": SCHEMA.replace("bounds = [0, 110]", "bounds = [0, 110]\nmissing = 'zero'"),
    "setting.toml": "colour = 1\n" + SCHEMA,
    "oneclass.toml": SCHEMA.replace('["no", "yes"]', '["no"]'),
    "classes.toml": SCHEMA.replace('["no", "yes"]', '["no", "no"]'),
    "nolabel.toml": SCHEMA.partition("[columns.ill]")[0],
    "other.toml": SCHEMA.replace("columns.age", "columns.height"),
    "empty.toml": "",
    "not.ledger": "no ledger",
    "not.pub": "no key",
    "not.key": "no key",
}
RELEASE = "release p.csv -s p.toml --epsilon 1 --ledger p.ledger -o new.tacit"
FABRICATE = "fabricate p.csv -s p.toml --epsilon 1 --ledger p.ledger -o new.csv"
ADOPT = "adopt a.tacit p.csv --schema p.toml -o new.tacit"
ANSWER = "answer a.tacit p.csv -s p.toml --epsilon 1 --ledger p.ledger -o new.tacit"


def release(table: str = "p.csv", schema: str = "p.toml", **options: str) -> str:
    settings = {"epsilon": "1", "ledger": "p.ledger", "output": "new.tacit", **options}
    named = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in settings.items() if value)
    return f"release {table} --schema {schema} {named}"


def plan(party: str = "b=b.pub", **options: str) -> str:
    settings = {"schema": "p.toml", "epsilon": "1", "output": "new.json", **options}
    named = " ".join(f"--{name} {value}" for name, value in settings.items())
    return f"join plan {named} --party a=a.pub{f' --party {party}' if party else ''}"


# What is typed, and what the one line that refuses it says.
CASES = [
    *((release(table), words) for table, words in {
        "absent.csv": "absent.csv", "empty.csv": "empty", "text.csv": "no finite number",
        "category.csv": "outside the closed list", "class.csv": "no class of the schema", "missing.csv": "is missing",
        "lacking.csv": "lacks 'sex'", "extra.csv": "does not list", "twice.csv": "age", "ragged.csv": "line",
        "infinite.csv": "no finite number", "not.parquet": "parquet", "not.npz": "npz", "table.xlsx": "must end in",
    }.items()),
    *((release(schema=schema), words) for schema, words in {
        "absent.toml": "absent.toml", "draft.toml": "bounds_from_data", "version.toml": "version must be 1",
        "broken.toml": "broken.toml", "bounds.toml": "bounds", "same.toml": "bounds", "kind.toml": "kind",
        "rule.toml": "missing", "setting.toml": "unknown setting 'colour'", "oneclass.toml": "2 or more different",
        "classes.toml": "2 or more different", "other.toml": "lacks 'height'", "empty.toml": "no columns",
    }.items()),
    *((release(epsilon=value), words) for value, words in {
        "0": "epsilon must be", "-1": "epsilon must be", "nan": "epsilon must be", "inf": "epsilon must be",
        "9": "does not fit the budget",
    }.items()),
    *((release(**{name: value}), words) for name, value, words in [
        ("delta", "-1", "delta"), ("delta", "1", "delta"), ("delta", "2", "delta"), ("unit", "household", "unit"),
        ("unit", "entry", "record"), ("unit", "pair", "pair"), ("method", "magic", "method"),
        ("ledger", "absent.ledger", "absent.ledger"), ("ledger", "not.ledger", "not.ledger"), ("ledger", ".", "ledger"),
        ("sign", "absent.key", "absent.key"), ("sign", "not.key", "not.key"),
        ("person", "name", "rows_per_person must be given"),
        ("person", "age", "person"), ("rows_per_person", "0", "rows"), ("rows_per_person", "2", "person"),
        ("bad_records", "magic", "bad_records"), ("allow", "magic", "allow"), ("output", "", "output must be given"),
        ("output", "absent/new.tacit", "absent"), ("output", "a.tacit", "exists"), ("output", "p.csv", "p.csv"),
        ("seed", "1", "seed"),
    ]),
    (release(schema="nolabel.toml"), "label"),
    (FABRICATE.replace("p.csv -s", "text.csv -s"), "no finite number"),
    (FABRICATE.replace("p.toml", "draft.toml"), "bounds_from_data"),
    (FABRICATE.replace("--epsilon 1", "--epsilon 0"), "epsilon must be"),
    (FABRICATE.replace("--epsilon 1", "--epsilon 9"), "does not fit the budget"),
    (FABRICATE.replace("new.csv", "p.csv"), "p.csv"),
    (FABRICATE.replace("new.csv", "new.xlsx"), "must end in"),
    (FABRICATE + " --rows 0", "rows"),
    (ADOPT.replace("a.tacit", "absent.tacit"), "absent.tacit"),
    (ADOPT.replace("a.tacit", "not.tacit"), "not.tacit"),
    (ADOPT.replace("a.tacit", "p.toml"), "must be a release"),
    (ADOPT.replace(" p.csv", " a.tacit"), "must be your own table"),
    (ADOPT.replace("a.tacit ", ""), "at least one release"),
    (ADOPT.replace("p.csv", "text.csv"), "no finite number"),
    (ADOPT.replace("p.csv", "header.csv"), "header.csv"),
    (ADOPT.replace("p.toml", "broken.toml"), "broken.toml"),
    (ADOPT + " --combine magic", "combine"),
    (ADOPT + " --learner magic", "learner"),
    (ADOPT + " --shares yes=much", "--shares must be like"),
    (ADOPT + " --shares yes=-1,no=2", "shares"),
    (ADOPT + " --ledger p.ledger", "--ledger is for private adoption"),
    (ADOPT + " --epsilon 1", "linear"),
    (ADOPT + " --key not.pub", "not.pub"),
    (ADOPT.replace("new.tacit", "a.tacit"), "a.tacit"),
    ("predict a.tacit p.csv -o new.csv", "model"),
    ("predict not.tacit p.csv -o new.csv", "not.tacit"),
    ("report a.tacit -o a.tacit", "a.tacit"),
    ("report not.tacit -o new.html", "not.tacit"),
    ("card not.tacit", "not.tacit"),
    ("card absent.tacit", "absent.tacit"),
    ("card a.tacit --key absent.pub", "absent.pub"),
    ("audit", "give either a release FILE or --self"),
    ("audit a.tacit --self", "give either a release FILE or --self"),
    ("audit a.tacit --members p.csv", "--non-members"),
    ("audit not.tacit", "not.tacit"),
    ("infer p.csv -s p.toml -c age --learner logistic -o new.csv", "only a column with a closed list"),
    ("infer p.csv -s p.toml -c ward --learner logistic -o new.csv", "must be a column of the schema"),
    ("infer p.csv -s p.toml -c ill --learner magic -o new.csv", "--learner must be"),
    ("infer p.csv -s p.toml -c ill --learner logistic --abstain-below 2", "--abstain-below"),
    ("ledger init p.ledger --epsilon 1 --unit record", "p.ledger"),
    ("ledger init new.ledger --epsilon 0 --unit record", "epsilon must be"),
    ("ledger init new.ledger --epsilon 1 --unit household", "unit"),
    ("ledger init new.ledger --epsilon 1 --unit record --relation sideways", "relation"),
    ("ledger show absent.ledger", "absent.ledger"),
    ("ledger show not.ledger", "not.ledger"),
    ("ledger verify p.ledger --receipt 7", "receipt"),
    ("ledger verify p.ledger --receipt 1:00", "receipt"),
    ("schema draft p.csv --label ward", "'ward' is no column"),
    ("schema draft p.csv -o p.toml", "p.toml exists"),
    ("schema check p.csv -s other.toml", "lacks 'height'"),
    ("schema check table.xlsx -s p.toml", "must end in"),
    ("key show not.pub", "not.pub"),
    ("desk show absent.desk", "absent.desk"),
    ("ask a.tacit age", "of a release of tables"),
    ("compare p.csv p.csv -s broken.toml", "broken.toml"),
    ("what-if p.csv -s p.toml --epsilon much", "separated by commas"),
    ("what-if p.csv -s p.toml --epsilon 0", "epsilon must be"),
    ("what-if p.csv -s p.toml --method magic", "method must be"),
    ("what-if p.csv -s nolabel.toml --fabricated", "label"),
    ("what-if absent.csv -s p.toml", "absent.csv"),
    *((plan(**change), words) for change, words in [
        ({"schema": "draft.toml"}, "bounds_from_data"), ({"schema": "absent.toml"}, "absent.toml"),
        ({"epsilon": "0"}, "epsilon must be"), ({"party": ""}, "parties must be from 2"),
        ({"party": "a=b.pub"}, "once for each name"), ({"party": "b=a.pub"}, "a key of its own"),
        ({"party": "b=absent.pub"}, "absent.pub"), ({"party": "b=not.pub"}, "not a public key"),
        ({"party": "b"}, "NAME=KEY"), ({"colluding": "2"}, "colluding must be below minimum"),
        ({"minimum": "5"}, "minimum must be"), ({"method": "magic"}, "method must be"),
        ({"unit": "household"}, "unit must be"), ({"rows": "0"}, "rows must be"),
        ({"output": "joint.json"}, "exists already"), ({"output": "absent/new.json"}, "cannot be written"),
    ]),
    ("join sign absent.json --key a.key", "absent.json"),
    ("join sign p.toml --key a.key", "not valid JSON"),
    ("join sign joint.json --key absent.key", "absent.key"),
    ("join sign joint.json --key not.key", "not a private key"),
    ("join sign joint.json --key stranger.key", "of no party"),
    ("join run joint.json -o new.tacit", "must be signed by every party"),
    ("join run joint.json absent.party -o new.tacit", "absent.party cannot be read: there is no such"),
    ("join run p.csv -o new.tacit", "not valid JSON"),
    ("join status absent.json", "absent.json"),
    ("join status p.toml", "not valid JSON"),
    ("request a.tacit p.csv -o new.tacit", "a model is wanted here"),
    ("request absent.tacit p.csv -o new.tacit", "absent.tacit"),
    ("request not.tacit p.csv -o new.tacit", "not a tacit file"),
    (ANSWER.replace("a.tacit", "absent.tacit"), "absent.tacit"),
    (ANSWER.replace("a.tacit", "not.tacit"), "not a tacit file"),
    (ANSWER, "a request is wanted"),
    (ANSWER.replace("p.ledger", "absent.ledger"), "there is no ledger"),
    ("studio absent", "must be a folder"),
    ("studio p.csv", "must be a folder"),
    ("studio . --no-open --host 0.0.0.0", "needs a password"),
    ("studio . --no-open --port 99999", "--port"),
    ("studio . --no-open --certificate not.pub", "belong together"),
    ("studio . --no-open --upload-limit 0", "--upload-limit"),
    ("studio . --no-open --idle-minutes 0", "--idle-minutes"),
]  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tour")
    for name, content in FILES.items():
        (folder / name).write_text(content)
    Ledger.create(folder / "p.ledger", Budget(3, 1e-5, unit="record"))
    schema = read_schema(folder / "p.toml")
    X = np.random.default_rng(0).random((40, 3))
    made = make_release(
        X, np.arange(40) % 2, schema, unit="record", epsilon=1, delta=1e-6, method="moments", random_state=0
    )
    write_release(made, folder / "a.tacit")
    for name in ("a", "b", "stranger"):
        key = generate_key()
        save_key(key, folder / f"{name}.key")
        save_public_key(key.public_key(), folder / f"{name}.pub")
    parties = {name: folder / f"{name}.pub" for name in ("a", "b")}
    plan_join(schema, parties, epsilon=1, output=folder / "joint.json")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix != ".ledger"}


def refusal(done: Any) -> str:
    """Return the words that refuse: of an error raised on purpose, or of a wrong option."""
    assert done.exit_code != 0, done.output
    if isinstance(done.exception, TacitError):
        return str(done.exception)
    assert isinstance(done.exception, SystemExit), done.exception
    return str(done.output)


@pytest.mark.parametrize(("command", "words"), CASES, ids=[command for command, _ in CASES])
def test_bad_input_is_refused_and_costs_nothing(
    command: str, words: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    before = contents(folder)
    message = refusal(CliRunner().invoke(app, command.split()))
    assert words in message
    assert SECRET not in message
    assert "\n" not in message.strip() or "Usage" in message
    assert contents(folder) == before
    assert not Ledger("p.ledger").lines()
    assert not Path("new.ledger").exists()


def test_the_tour_has_at_least_eighty_stops() -> None:
    assert len({command for command, _ in CASES}) >= 80
