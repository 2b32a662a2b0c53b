"""Sphinx's settings for scripts/docs."""

import re
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The package of the build, and what it imports, after the packages of Sphinx's own environment.
sys.path.insert(0, str(ROOT / "build/release/python"))
sys.path += map(str, (ROOT / ".cache/python/lib").glob("python3*/site-packages"))

project = "civita"
copyright = "the authors of civita, BSD 3-Clause"
version = re.search(r"project\(civita VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
release = version

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
breathe_projects = {"civita": str(ROOT / "build/docs/xml")}
breathe_default_project = "civita"
autodoc_member_order = "bysource"
highlight_language = "none"
# JSON with … in the place of numbers is not JSON.
suppress_warnings = ["misc.highlighting_failure", "myst.header", "myst.xref_ambiguous"]

html_theme = "furo"
html_title = f"civita {version}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["civita.css"]


def setup(app):
    of_properties = {}  # napoleon takes what is before a colon there for a type
    app.connect("autodoc-process-docstring", partial(write_plainly, of_properties), priority=100)
    app.connect("autodoc-process-docstring", partial(keep_properties, of_properties), priority=900)


def keep_properties(of_properties, app, what, name, thing, options, lines):
    if what == "property":
        lines[:] = of_properties.pop(name)


def write_plainly(of_properties, app, what, name, thing, options, lines):
    """Docstrings are plain text with `code`: no other character means anything in them."""
    if re.fullmatch(r"\(self\) -> .*", "\n".join(lines).strip()):
        lines[:] = []  # a signature that stands above, and no docstring
    parts = re.split(r"`([^`]+)`", "\n".join(lines))
    words = [re.sub(r"([*|]|_\b)", r"\\\1", part) for part in parts[::2]]
    code = [f"``{' '.join(part.split())}``" for part in parts[1::2]]
    text = "".join(word + span for word, span in zip(words, [*code, ""], strict=True))
    lines[:] = re.sub(r"``(?=\w)(?<=\w``)", r"``\\ ", text).split("\n")  # letters behind code
    if what == "property":
        of_properties[name] = list(lines)
