"""The documentation site builds without a warning, shows every public name, runs the gallery and loads nothing."""

import fcntl
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.public_names import PUBLIC_NAMES

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the folder of the site, which is built once for all processes that run tests."""
    pytest.importorskip("sphinx_gallery", reason="needs the extra docs")
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            command = [
                sys.executable,
                "-m",
                "sphinx",
                "--fail-on-warning",
                "--quiet",
                "-b",
                "html",
                "docs",
                str(folder),
            ]
            built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert built.returncode == 0, built.stderr
    return folder


def test_every_public_name_has_a_page(site: Path) -> None:
    for name in PUBLIC_NAMES:
        page = (site / "generated" / "api" / f"{name}.html").read_text(encoding="utf-8")
        assert f"tacit.{name}" in page, name


def test_every_example_of_the_gallery_was_run_and_drew_something(site: Path) -> None:
    examples = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
    assert len(examples) >= 10
    for example in examples:
        assert list((site / "_images").glob(f"sphx_glr_{example.stem}_*.png")), example.name


NOTEBOOKS = sorted(path.stem for path in (ROOT / "examples" / "notebooks").glob("*.py"))


def test_there_is_a_notebook_for_each_part() -> None:
    assert NOTEBOOKS == ["owner", "receiver", "reviewer"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_of_the_site_runs_from_top_to_bottom(site: Path, name: str, tmp_path: Path) -> None:
    """The file that the page offers, in a Jupyter kernel: every cell runs, and some draw and show tables."""
    nbclient = pytest.importorskip("nbclient", reason="needs the extra dev")
    (file,) = site.glob(f"_downloads/*/{name}.ipynb")
    notebook = pytest.importorskip("nbformat").read(file, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    shown = {kind for cell in cells for output in cell.outputs for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= shown
    assert list(tmp_path.iterdir()) == []
    assert any(
        "<table" in output["data"].get("text/html", "") for cell in cells for output in cell.outputs if "data" in output
    )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_page_of_a_notebook_shows_what_it_printed_and_drew(site: Path, name: str) -> None:
    page = (site / "generated" / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
    assert "sphx-glr-script-out" in page
    assert list((site / "_images").glob(f"sphx_glr_{name}_*.png"))


def test_every_page_of_the_documentation_is_on_the_site(site: Path) -> None:
    for document in (ROOT / "docs").glob("*.md"):
        assert (site / f"{document.stem}.html").exists(), document.name


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    loaded = re.compile(
        r"<(?:script|img|iframe)[^>]+src=\"https?://|<link[^>]+rel=\"(?:stylesheet|preload)\"[^>]+https?://"
    )
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page.name


def test_links_within_the_site_lead_somewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        for target in re.findall(r"<a [^>]*href=\"([^\"#?]+)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
