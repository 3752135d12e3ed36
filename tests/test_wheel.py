"""The wheel holds the whole package, and works where only its core dependencies are."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Runs code where nothing but two folders can be imported: the wheel, and its core dependencies.
ISOLATED = "import sys; sys.path += {folders!r}\n{code}"
COMMAND = "sys.argv[0] = 'tacit'\nfrom tacit.interfaces.cli import main\nmain.run()"

pytestmark = pytest.mark.slow


def core_distributions() -> set[str]:
    """Return the names of the core dependencies, and of what these need."""
    names: set[str] = set()
    open_names = [Requirement(each).name for each in PROJECT["dependencies"]]
    while open_names:
        name = canonicalize_name(open_names.pop())
        if name not in names:
            names.add(name)
            needed = [Requirement(each) for each in metadata.requires(name) or []]
            open_names += [each.name for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
    return names


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from a copy of the tree without asking a package index."""
    tree, folder = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("dist")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run(
        [*command, "--wheel-dir", str(folder), str(tree)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def folders(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return a folder with the wheel's contents, and one with its core dependencies alone."""
    package, core = tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("core")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(package)
    for name in core_distributions():
        for file in metadata.files(name) or []:
            top = core / file.parts[0]
            if file.parts[0] not in {"..", "__pycache__"} and not top.exists():
                top.symlink_to(Path(str(file.locate())).parents[len(file.parts) - 1] / file.parts[0])
    return [str(package), str(core)]


def isolated(folders: list[str], code: str, *arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    script = ISOLATED.format(folders=folders, code=code)
    command = [sys.executable, "-I", "-S", "-c", script, *arguments]  # without site: no installed package
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_every_file_of_the_package_is_in_the_wheel_and_nothing_else(wheel: Path) -> None:
    package = ROOT / "src" / "tacit"
    tracked = subprocess.run(["git", "ls-files", str(package)], cwd=ROOT, capture_output=True, text=True, check=False)
    expected = {line.removeprefix("src/") for line in tracked.stdout.splitlines()}
    if not expected:
        pytest.skip("needs a git checkout")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert expected - held == set()
    assert {name.split("/")[0] for name in held} == {"tacit"}


def test_the_environment_has_core_dependencies_and_nothing_of_the_extras(folders: list[str], tmp_path: Path) -> None:
    assert {"numpy", "scikit-learn", "polars", "typer"} <= core_distributions()
    code = "import importlib.util as u; print([name for name in sys.argv[1:] if u.find_spec(name)])"
    done = isolated(folders, code, "numpy", "torch", "flwr", "fastapi", "matplotlib", "pandas", "tests", cwd=tmp_path)
    assert done.stdout.strip() == "['numpy']", done.stderr
    origin = isolated(folders, "import tacit; print(tacit.__file__)", cwd=tmp_path).stdout
    assert origin.startswith(folders[0])


def test_with_core_dependencies_only_the_main_job_runs(folders: list[str], tmp_path: Path) -> None:
    done = isolated(folders, COMMAND, "doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tacit-knowledge[deep]" in done.stdout
    done = isolated(folders, COMMAND, "demo", "--output", "demo-output", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "demo-output" / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("desk serve a.csv --schema a.toml --model linear", "serve"),
        ("infer a.csv -s a.toml -c ill --learner sharpened", "deep"),
        ("what-if a.csv -s a.toml --picture p.png --draws 1", "plots"),
    ],
)
def test_a_missing_part_is_one_line_that_says_what_to_install(
    folders: list[str], tmp_path: Path, command: str, extra: str
) -> None:
    rows = "\n".join(f"{place / 60},{'yes' if place > 30 else 'no'}" for place in range(60))
    (tmp_path / "a.csv").write_text(f"x,ill\n{rows}\n")
    columns = '[columns.x]\nkind = "numeric"\nbounds = [0, 1]\n[columns.ill]\nkind = "label"\nclasses = ["no", "yes"]\n'
    (tmp_path / "a.toml").write_text(f"version = 1\n{columns}")
    done = isolated(folders, COMMAND, *command.split(), cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert f"pip install 'tacit-knowledge[{extra}]'" in last
    assert "Traceback" not in done.stderr


def test_the_flower_app_without_flower_says_what_to_install(folders: list[str], tmp_path: Path) -> None:
    done = isolated(folders, "import tacit.interfaces.flower", cwd=tmp_path)
    assert done.returncode == 1
    assert "pip install 'tacit-knowledge[federated]'" in done.stderr.strip().splitlines()[-1]
