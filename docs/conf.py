"""Settings of the documentation site: `make docs` builds it into `site/`, one static folder."""

import os
from pathlib import Path

from sphinx.application import Sphinx

from tacit import __version__
from tacit.public_names import PUBLIC_NAMES, load

project = "tacit"
author = "The tacit developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["gallery", "generated/*/*.md5", "generated/*/searchindex*", "sg_execution_times.rst"]
# A name in single backticks is code, as everywhere in the docstrings.
default_role = "code"
numpydoc_show_class_members = False
autodoc_typehints = "none"  # numpydoc's sections say the types, in words
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
nitpicky = False

html_theme = "pydata_sphinx_theme"
html_title = "tacit"
html_show_sourcelink = False
html_static_path = ["style"]
html_css_files = ["site.css"]
# Pages without pages below them have no navigation of their own.
html_sidebars = {"main-job": [], "guarantees": []}
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
project_copyright = "The tacit developers, Apache-2.0"

EXAMPLES = Path(__file__).parent.parent / "examples"
sphinx_gallery_conf = {
    "examples_dirs": [str(EXAMPLES / "gallery"), str(EXAMPLES / "notebooks")],
    "gallery_dirs": ["generated/gallery", "generated/notebooks"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "remove_config_comments": True,
}

# The reference in the order in which a reader meets the names.
GROUPS = {
    "The whole job": ("release", "adopt", "predict", "fabricate", "report", "read_model", "write_model", "encode"),
    "Promises": ("Budget", "Unit", "Relation", "Ledger", "Card", "Release", "read_release", "write_release"),
    "Tables": ("Schema", "read_schema"),
}


def group_of(name: str) -> str:
    """Return the section of the reference in which a public name stands."""
    for heading, names in GROUPS.items():
        if name in names:
            return heading
    if name.endswith("Settings"):
        return "Settings"
    if name.startswith("Private") or name in {"HypothesisTransfer", "FeatureSplitClassifier", "PairMetric"}:
        return "Estimators that protect their rows"
    return "Learners and searches" if name[0].isupper() else "Further functions"


def write_reference(app: Sphinx) -> None:
    """Write one page for each public name, and the list of all of them."""
    folder = Path(app.srcdir) / "generated" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    sections: dict[str, list[str]] = {}
    for name in sorted(PUBLIC_NAMES, key=str.lower):
        sections.setdefault(group_of(name), []).append(name)
        kind = "autoclass" if isinstance(load(name), type) else "autofunction"
        members = "\n   :members:\n   :inherited-members:" if kind == "autoclass" else ""
        title = name
        text = f"{title}\n{'=' * len(title)}\n\n.. currentmodule:: tacit\n\n.. {kind}:: {name}{members}\n"
        write_if_new(folder / f"{name}.rst", text)
    title = "Reference"
    lines = [title, "=" * len(title), "", "Every public name: ``import tacit`` offers it.", ""]
    headings = [*GROUPS, "Estimators that protect their rows", "Learners and searches", "Settings", "Further functions"]
    for heading in headings:
        lines += [heading, "-" * len(heading), "", ".. list-table::", "   :widths: 30 70", ""]
        for name in sections[heading]:
            first = (load(name).__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
            lines += [f"   * - :doc:`{name} <{name}>`", f"     - {' '.join(first.split())}"]
        lines.append("")
    lines += [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in sorted(PUBLIC_NAMES, key=str.lower)), ""]
    write_if_new(folder / "index.rst", "\n".join(lines))


def write_if_new(path: Path, text: str) -> None:
    """Write the file unless it holds ``text``: Sphinx reads anew whatever has changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# Documents that stand elsewhere, as pages of the site.
ROOT = Path(__file__).parent.parent
OTHERS = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "examples/federated/README.md": "federated-example.md",
    "examples/joint/README.md": "joint-example.md",
}


def write_others(app: Sphinx) -> None:
    """Write the documents that stand outside this folder as pages, with links that lead to pages."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    for source, page in OTHERS.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](../")
        for other, target in OTHERS.items():
            text = text.replace(f"]({os.path.relpath(other, Path(source).parent)})", f"]({target})")
        write_if_new(folder / page, text)


def redirect_links(app: Sphinx, name: str, content: list[str]) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Let links to documents outside this folder lead to their pages."""
    if not name.startswith("generated/"):
        for source, page in OTHERS.items():
            content[0] = content[0].replace(f"](../{source})", f"](generated/{page})")


def skip_foreign(app: Sphinx, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:  # noqa: ARG001, PLR0917 - as Sphinx calls it
    """Leave out what estimators inherit from other packages, which document it themselves."""
    module = getattr(getattr(member, "fget", member), "__module__", None) or ""
    return None if str(module).startswith("tacit") or what != "class" else True


def setup(app: Sphinx) -> None:
    """Write the generated pages before any page is read."""
    app.connect("builder-inited", write_reference)
    app.connect("builder-inited", write_others)
    app.connect("source-read", redirect_links)
    app.connect("autodoc-skip-member", skip_foreign)


os.environ.setdefault("OMP_NUM_THREADS", "1")
