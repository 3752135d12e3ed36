"""What the documents say about the package is so: names, paths, links, command lines, and the Python they show."""

import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from tacit import Budget, Ledger, Schema, make_release, write_release
from tacit.data.columns import Label, Numeric
from tacit.data.schema_file import format_schema
from tacit.interfaces.cli.main import app

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "examples/federated/README.md",
]
ARCHITECTURE = ROOT / "docs" / "architecture.md"


def identity(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(path: Path, language: str = r"\w*") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def without_blocks(path: Path) -> str:
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def command_lines(path: Path) -> Iterator[str]:
    for block in blocks(path):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            if line.startswith("tacit "):
                yield line


def exists(dotted: str) -> bool:
    """Return whether a dotted name is a module, or a name within one."""
    words = dotted.split(".")
    for end in range(len(words), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(words[:end]))
        except ModuleNotFoundError:
            continue
        for word in words[end:]:
            found = getattr(found, word, None)
        return found is not None
    return False


@pytest.mark.parametrize("document", DOCUMENTS, ids=identity)
def test_every_module_and_file_that_a_document_names_exists(document: Path) -> None:
    text = without_blocks(document)
    for dotted in re.findall(r"`(tacit(?:\.\w+)+)", text):
        assert exists(dotted), dotted
    for path in re.findall(r"`((?:tests|bench|docs|examples|src|tacit)/[\w./-]+)", text):
        assert (ROOT / path).exists() or (ROOT / "src" / path).exists(), path


def test_a_name_that_does_not_exist_is_noticed() -> None:
    assert exists("tacit.privacy.budget.Budget")
    assert not exists("tacit.privacy.teleport")
    assert not exists("tacit.privacy.budget.Teleport")


@pytest.mark.parametrize("document", DOCUMENTS, ids=identity)
def test_every_link_of_a_document_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", without_blocks(document)):
        assert "://" in target or (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=identity)
def test_every_command_line_of_a_document_would_be_accepted(document: Path) -> None:
    """Commands and options exist and nothing required is left out; that they do their work, other tests show."""
    group: Any = typer.main.get_command(app)
    for line in command_lines(document):
        name, command, arguments = "tacit", group, shlex.split(line, comments=True)[1:]
        with group.make_context(name, [], resilient_parsing=True) as context:
            while hasattr(command, "resolve_command"):
                name, command, arguments = command.resolve_command(context, arguments)
            command.make_context(name, arguments, parent=context)


def test_the_drawing_of_the_house_shows_every_room_in_its_order() -> None:
    drawing = blocks(ARCHITECTURE)[0]
    rows = [line for line in drawing.splitlines() if not line.startswith(" ")]
    drawn = [set(re.findall(r"\w+", re.split(r"\s{4,}", line.replace("   |   ", ","))[0])) for line in rows]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [set(re.findall(r"tacit\.(\w+)", layer)) for layer in contracts[0]["layers"]]
    modules = {"checks", "arrays", "errors", "version", "public_names"}
    assert [room - modules for room in drawn if room - modules] == [layer for layer in layers if not layer & modules]
    folders = {path.name for path in (ROOT / "src" / "tacit").iterdir() if (path / "__init__.py").exists()}
    assert folders == set().union(*layers) - modules


@pytest.mark.parametrize("package", ["kinds", "models"])
def test_the_drawing_of_the_house_names_every_kind_and_model_family(package: str) -> None:
    drawing = blocks(ARCHITECTURE)[0]
    for path in (ROOT / "src" / "tacit" / package).iterdir():
        assert not (path / "__init__.py").exists() or re.search(rf"\b{path.name}\b", drawing), path.name


# Documents whose rows X, the reader's own, are encoded: in [0, 1].
ENCODED = {"README.md", "federation.md", "linear-transfer.md"}
# Blocks that take more than a few seconds: networks.
SLOW = {"sharpening.md"}


def labelled_rows() -> tuple[Any, Any]:
    """Return rows [178, 13] with entries from 0 to 8, and their labels."""
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X, (0, 8)), y


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Schema:
    """Work in a folder with the files that the documents' Python reads; return the schema of its tables."""
    monkeypatch.chdir(tmp_path)
    X, y = labelled_rows()
    columns = tuple(Numeric(f"c{column}", (0, 8)) for column in range(X.shape[1]))
    schema = Schema((*columns, Label("wine", ("0", "1", "2"))))
    for name in ("patients.toml", "ours.toml", "theirs.toml"):
        Path(name).write_text(format_schema(schema))
    header = ",".join([*(column.name for column in columns), "wine"])
    lines = [",".join([*map(str, row), str(label)]) for row, label in zip(X, y, strict=True)]
    for name in ("patients.csv", "ours.csv"):
        Path(name).write_text("\n".join([header, *lines, ""]))
    Path("new.csv").write_text("\n".join([header.rpartition(",")[0], *(line.rpartition(",")[0] for line in lines), ""]))
    units = {"patients": "record", "a": "record", "ours": "record", "scans": "record", "clinic-a": "entry"}
    for name, unit in units.items():
        # The documents' linear classifiers publish the number of rows: theirs are ledgers of exchanged records.
        relation = "replace" if name in {"a", "ours"} else None
        Ledger.create(f"{name}.ledger", Budget(10, 1e-3, unit=unit, relation=relation))
    for name, method, unit in (("theirs", "moments", "record"), ("metric", "pairs", "pair")):
        made = make_release(X / 8, y, schema, unit=unit, epsilon=1.0, delta=1e-6, method=method, random_state=0)
        write_release(made, f"{name}.tacit")
    return schema


def rows_of_the_reader(document: Path, schema: Schema) -> dict[str, Any]:
    X, y = labelled_rows()
    parts = {"X_few": X[:10], "X_a": X / 8, "y_a": y, "X_here": X[::2], "y_here": y[::2], "X_there": X[1::2]}
    public = {"y_there": y[1::2], "variances": X.var(axis=0), "schema": schema, "codes": y, "new_rows": X[:5] / 8}
    other = make_release(X / 8, y, schema, unit="entry", epsilon=1.0, delta=1e-9, method="rows", random_state=0)
    scale = 8 if document.name in ENCODED else 1
    return {"X": X / scale, "y": y, "other": other, **parts, **public}


def python_blocks() -> Iterator[Any]:
    for document in DOCUMENTS:
        for number, code in enumerate(blocks(document, "python"), 1):
            marks = [pytest.mark.slow] if document.name in SLOW else []
            yield pytest.param(document, code, id=f"{identity(document)} {number}", marks=marks)


@pytest.mark.parametrize(("document", "code"), list(python_blocks()))
def test_the_python_of_a_document_runs(document: Path, code: str, folder: Schema) -> None:
    if "Sharpened" in code:
        pytest.importorskip("torch", reason="needs torch")
    exec(compile(code, document.name, "exec"), rows_of_the_reader(document, folder))
