"""What holds for the package as a whole."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tacit
from tacit.public_names import PUBLIC_NAMES, stub

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "tacit").rglob("*.py"))
# Words in square brackets that are no reference keys: rich markup in help texts, and shapes.
MARKUP = {"bold", "red", "green", "low", "high", "rows"}


def docstrings_and_comments(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    found = [line.split("#", 1)[1] for line in text.splitlines() if "#" in line]
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, documented))
    return "\n".join([*found, *(ast.get_docstring(node) or "" for node in nodes)])


def test_the_public_names_are_sorted_and_real() -> None:
    assert tacit.__all__ == list(PUBLIC_NAMES) == sorted(PUBLIC_NAMES)
    for name in tacit.__all__:
        assert getattr(tacit, name).__name__ == name
    assert set(tacit.__all__) <= set(dir(tacit))


def test_the_stub_is_made_from_the_table_of_public_names() -> None:
    """Type checkers and documentation tools read the stub alone."""
    assert (ROOT / "src" / "tacit" / "__init__.pyi").read_text() == stub(), "run `make format`"


def test_a_public_name_is_loaded_alone_and_all_of_them_when_all_are_asked_for() -> None:
    code = (
        "import tacit; from tacit.public_names import PUBLIC_NAMES; "
        "loaded = lambda: set(PUBLIC_NAMES) & set(vars(tacit));"
        "dir(tacit); assert loaded() == set(); tacit.Budget; assert loaded() == {'Budget'};"
        "tacit.__all__; assert loaded() == set(PUBLIC_NAMES)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_public_name_is_hidden_by_a_module_of_the_same_name() -> None:
    """Importing ``tacit.x`` anywhere would put the module in the place of the name ``x``."""
    modules = {path.stem for path in (ROOT / "src" / "tacit").iterdir()}
    assert modules & set(PUBLIC_NAMES) == set()


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="teleport"):
        getattr(tacit, "teleport")  # noqa: B009 - the access is what is tested, which type checkers refuse


def test_every_cited_reference_exists() -> None:
    listed = set(re.findall(r"^- \*\*\[([a-z-]+)\]\*\*", (ROOT / "docs/references.md").read_text(), re.MULTILINE))
    cited: dict[str, str] = {}
    for path in SOURCES:
        for key in re.findall(r"(?<![\w\])`.])\[([a-z][a-z-]{2,})\]", docstrings_and_comments(path)):
            cited[key] = path.name
    missing = {key: where for key, where in cited.items() if key not in listed | MARKUP}
    assert missing == {}
    assert listed & set(cited), "no reference was found at all: the search is broken"


def test_importing_is_quick_and_light() -> None:
    code = (
        "import sys, time; start = time.perf_counter(); import tacit; took = time.perf_counter() - start;"
        "heavy = {'torch', 'flwr', 'fastapi', 'sklearn', 'scipy', 'polars', 'dp_accounting'} & set(sys.modules);"
        "assert not heavy, heavy; assert took < 1, took"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_command_line_starts_without_heavy_modules() -> None:
    code = (
        "import sys; import tacit.interfaces.cli.main;"
        "heavy = {'torch', 'flwr', 'fastapi', 'sklearn', 'scipy', 'polars', 'dp_accounting'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_version_numbers_agree() -> None:
    assert f'version = "{tacit.__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"## {tacit.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_no_file_speaks_of_a_machine() -> None:
    for path in [*SOURCES, *(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "Makefile"]:
        assert not re.search(r"/(work|root|home)/", path.read_text(encoding="utf-8")), path


TEXTS = {".py", ".pyi", ".md", ".toml", ".txt", ".html", ".css", ".sh", ""}
# `tacit` of the package index is somebody else's. The extras of a name are matched without a command before it, too.
STRANGER = re.compile(r"(install|add)(\s+-\S+)*\s+[\"']?tacit(?![\w-])|\btacit\\?\[[a-z]")


def written_for_people() -> list[Path]:
    """Return every text of the repository that someone may follow: sources, tests, documents, examples."""
    folders = ("src", "tests", "docs", "examples", "bench", ".ci")
    inside = [path for folder in folders for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    texts = [path for path in [*inside, *ROOT.iterdir()] if path.is_file() and path.suffix in TEXTS]
    assert ROOT / "README.md" in texts
    return texts


def test_nobody_is_told_to_install_a_stranger() -> None:
    for path in written_for_people():
        advice = [match[0] for match in STRANGER.finditer(path.read_text(encoding="utf-8"))]
        assert advice == [], f"{path.name}: the distribution is called tacit-knowledge"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    example = tomllib.loads((ROOT / "examples/federated/pyproject.toml").read_text())["project"]
    assert project["name"] == "tacit-knowledge"
    assert "tacit-knowledge" in example["dependencies"]


@pytest.mark.parametrize(
    "advice", ["pip install {}", "pip install -U '{}'", "uv add {}", "needs {}[deep]", r"{}\[deep\]"]
)
def test_advice_to_install_a_stranger_is_recognised(advice: str) -> None:
    assert STRANGER.search(advice.format("tacit"))
    assert not STRANGER.search(advice.format("tacit-knowledge"))


# What an import is called where the package that brings it is called otherwise.
IMPORTED_AS = {"scikit-learn": "sklearn", "dp-accounting": "dp_accounting", "pycryptodome": "Crypto"}


def test_nothing_is_imported_that_is_not_declared() -> None:
    """A package that comes along with another one today may not come tomorrow."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [each for name, more in project["optional-dependencies"].items() if name != "dev" for each in more]
    names = [re.split(r"[^A-Za-z0-9_-]", each)[0] for each in [*project["dependencies"], *extras]]
    declared = {IMPORTED_AS.get(name, name) for name in names} | {"tacit", *sys.stdlib_module_names}
    undeclared = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                undeclared |= {(path.name, each.name.split(".")[0]) for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                undeclared.add((path.name, node.module.split(".")[0]))
    assert {(file, name) for file, name in undeclared if name not in declared} == set()


def names_of_types(text: str) -> list[str]:
    """Return the classes and type aliases that a module defines at its top."""
    names = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names.append(node.targets[0].id)
    return [name for name in names if re.match(r"[A-Z]+[a-z]", name)]


def names_defined_twice(modules: dict[str, str]) -> dict[str, list[str]]:
    """Return each class or alias that several modules define, with the modules."""
    places: dict[str, list[str]] = {}
    for module, text in modules.items():
        for name in names_of_types(text):
            places.setdefault(name, []).append(module)
    return {name: where for name, where in places.items() if len(where) > 1}


def test_a_class_or_type_name_means_one_thing_in_the_whole_package() -> None:
    modules = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in SOURCES}
    assert names_defined_twice(modules) == {}


def test_a_name_defined_twice_would_be_noticed() -> None:
    modules = {
        "a": "class Case:\n    class Inner: ...\n",
        "b": "Case = tuple[int, int]\nLIMIT = 1\n",
        "c": "LIMIT = 2\nInner = int\n",
    }
    assert names_defined_twice(modules) == {"Case": ["a", "b"]}
