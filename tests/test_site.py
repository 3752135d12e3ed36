"""The documentation site builds without a warning, shows every public name, runs the gallery and loads nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.public_names import PUBLIC_NAMES

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx_gallery", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "--builder", "html", "docs", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_public_name_has_a_page(site: Path) -> None:
    for name in PUBLIC_NAMES:
        page = (site / "generated" / "api" / f"{name}.html").read_text(encoding="utf-8")
        assert f"tacit.{name}" in page, name


def test_every_example_of_the_gallery_was_run_and_drew_something(site: Path) -> None:
    examples = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
    assert examples
    for example in examples:
        assert list((site / "_images").glob(f"sphx_glr_{example.stem}_*.png")), example.name


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
