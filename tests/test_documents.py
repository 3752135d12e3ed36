"""What the documents say about the package is so: names, paths, links, command lines, and the Python they show."""

import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import typer
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from tacit import Budget, Ledger, Schema
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.interfaces.cli.main import app

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "examples/federated/README.md",
    ROOT / "examples/joint/README.md",
]
# Documents of which links and anchors are followed.
LINKED = [*DOCUMENTS, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs" / "papers").glob("*.md"))]
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
        assert dotted == "tacit.toml" or exists(dotted), dotted
    for path in re.findall(r"`((?:tests|bench|docs|examples|src|tacit)/[\w./-]+)", text):
        assert (ROOT / path).exists() or (ROOT / "src" / path).exists(), path


def test_a_name_that_does_not_exist_is_noticed() -> None:
    assert exists("tacit.privacy.budget.Budget")
    assert not exists("tacit.privacy.teleport")
    assert not exists("tacit.privacy.budget.Teleport")


@pytest.mark.parametrize("document", LINKED, ids=identity)
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
    modules = {"checks", "arrays", "records", "errors", "version", "public_names"}
    assert [room - modules for room in drawn if room - modules] == [layer for layer in layers if not layer & modules]
    folders = {path.name for path in (ROOT / "src" / "tacit").iterdir() if (path / "__init__.py").exists()}
    assert folders == set().union(*layers) - modules


@pytest.mark.parametrize("package", ["kinds", "models"])
def test_the_drawing_of_the_house_names_every_kind_and_model_family(package: str) -> None:
    drawing = blocks(ARCHITECTURE)[0]
    for path in (ROOT / "src" / "tacit" / package).iterdir():
        assert not (path / "__init__.py").exists() or re.search(rf"\b{path.name}\b", drawing), path.name


# Blocks that take more than a few seconds: networks.
SLOW = {"sharpening.md"}


def write_clinic(n_rows: int, name: str, *, labels: str, seed: int) -> None:
    """Write a table of patients; ``labels`` says which are there: "all", "few" or "none"."""
    rng = np.random.default_rng(seed)
    age, pressure = rng.integers(20, 90, n_rows), rng.normal(130, 20, n_rows).round()
    ill = age / 90 + pressure / 200 + 0.2 * rng.normal(size=n_rows) > 1.3
    columns: dict[str, Any] = {"age": age, "pressure": pressure, "sex": rng.choice(["female", "male"], n_rows)}
    if labels != "none":
        known = ill if labels == "all" else [each if place < 30 else None for place, each in enumerate(ill)]
        columns["ill"] = [None if each is None else ("no", "yes")[int(each)] for each in known]
    pl.DataFrame(columns).write_csv(name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the files that the documents read: tables, schemas, ledgers."""
    monkeypatch.chdir(tmp_path)
    X, y = load_wine(return_X_y=True)
    X = minmax_scale(X, (0, 8))
    columns = tuple(Numeric(f"c{column}", (0, 8)) for column in range(X.shape[1]))
    schema = Schema((*columns, Label("wine", ("0", "1", "2"))))
    for name in ("patients.toml", "ours.toml", "theirs.toml"):
        Path(name).write_text(format_schema(schema))
    table = pl.DataFrame({column.name: X[:, place] for place, column in enumerate(columns)})
    for name in ("patients.csv", "ours.csv"):
        table.with_columns(wine=pl.Series(y)).write_csv(name)
    table.write_csv("new.csv")
    Ledger.create("patients.ledger", Budget(10, 1e-3, unit="record"))
    write_clinic(2000, "clinic.csv", labels="all", seed=0)
    write_clinic(500, "practice.csv", labels="few", seed=1)
    write_clinic(300, "new-patients.csv", labels="none", seed=2)
    return tmp_path


def python_blocks() -> Iterator[Any]:
    for document in DOCUMENTS:
        for number, code in enumerate(blocks(document, "python"), 1):
            marks = [pytest.mark.slow] if document.name in SLOW else []
            yield pytest.param(document, code, id=f"{identity(document)} {number}", marks=marks)


@pytest.mark.parametrize(("document", "code"), list(python_blocks()))
def test_the_python_of_a_document_runs_by_itself(document: Path, code: str, folder: Path) -> None:
    if "Sharpened" in code:
        pytest.importorskip("torch", reason="needs torch")
    exec(compile(code, document.name, "exec"), {})


def test_the_script_for_users_of_pandas_is_short_and_predicts_names(folder: Path) -> None:
    (code,) = (each for each in blocks(ROOT / "README.md", "python") if "import pandas" in each)
    assert len([line for line in code.splitlines() if line and not line.startswith("#")]) <= 15
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    new = names["new"]
    truth = new["age"] / 90 + new["pressure"] / 200 > 1.3
    assert set(new["ill"]) == {"no", "yes"}
    assert ((new["ill"] == "yes") == truth).mean() > 0.8


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as the site and the forges make them."""
    headings = re.findall(r"^#+ (.*)$", without_blocks(path), flags=re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("document", LINKED, ids=identity)
def test_every_anchor_of_a_link_is_a_heading(document: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", without_blocks(document)):
        page = document.parent / target if target else document
        assert anchor in anchors(page), f"{target}#{anchor}"


def composed(service: str) -> list[str]:
    """Return the words of a service's command in the compose file, with the usual values of its variables."""
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    (folded,) = re.findall(rf"^  {service}:\n(?: {{4}}.*\n)*? {{4}}command: >-\n((?: {{6}}.*\n)+)", text, re.MULTILINE)
    return re.sub(r"\$\{\w+:-(\w+)\}", r"\1", folded).split()


def test_the_studio_of_the_compose_file_would_be_accepted() -> None:
    group: Any = typer.main.get_command(app)
    with group.make_context("tacit", [], resilient_parsing=True) as context:
        name, studio, arguments = group.resolve_command(context, composed("studio"))
        settings = studio.make_context(name, arguments, parent=context).params
    # Others reach it: it has TLS of its own, and a password that the file insists on.
    assert (settings["host"], settings["port"], settings["name"]) == ("0.0.0.0", 443, ("localhost",))
    assert (str(settings["certificate"]), str(settings["certificate_key"])) == ("studio.pem", "studio.key")
    assert "TACIT_STUDIO_PASSWORD: ${TACIT_STUDIO_PASSWORD:?" in (ROOT / "compose.yaml").read_text(encoding="utf-8")


def test_the_desk_of_the_compose_file_would_be_accepted() -> None:
    group: Any = typer.main.get_command(app)
    with group.make_context("tacit", [], resilient_parsing=True) as context:
        _, desk, arguments = group.resolve_command(context, composed("desk"))
        with desk.make_context("desk", [], resilient_parsing=True, parent=context) as inner:
            name, serve, arguments = desk.resolve_command(inner, arguments)
            settings = serve.make_context(name, arguments, parent=inner).params
    assert (settings["host"], str(settings["ledger"])) == ("0.0.0.0", "patients.ledger")
