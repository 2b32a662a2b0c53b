"""gather.py FOLDER: the sources of the site: README as its first page, docs, the examples' pages, notebooks
of the tutorial as Markdown with their figures, and what they link to, all at their places in the tree."""

import base64
import json
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
CONTENTS = {
    "Begin": ["install", "questions", "terms", "gallery", "limits", "tutorial/README"],
    "Program": [
        "guide",
        "window",
        "configuration",
        "laws",
        "robots",
        "legs",
        "survival",
        "compare",
        "advise",
        "identify",
        "sweep",
        "eval",
        "formulas",
        "geometry",
        "poe",
        "signals",
    ],
    "Libraries": [
        "python",
        "python_reference",
        "gymnasium",
        "library",
        "from_pinocchio",
        "from_mujoco",
        "benchmarks",
        "/python_docstrings",
        "/cpp/index",
    ],
    "Behind it": ["study", "reliability", "architecture", "/examples/README", "/CHANGELOG"],
}


def text_of(notebook, folder):
    """A notebook as Markdown; its pictures go into the folder."""
    parts = []
    for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for k, output in enumerate(cell.get("outputs", [])):
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{notebook.stem}_{number}_{k}.png"
                (folder / name).write_bytes(base64.b64decode("".join(data["image/png"])))
                parts.append(f"![Figure]({name})")
            elif "text/plain" in data or "text" in output:
                parts.append(
                    "```none\n" + "".join(data.get("text/plain") or output["text"]).rstrip() + "\n```"
                )
    return "\n\n".join(parts) + "\n"


class Site:
    def __init__(self, folder):
        self._folder = folder
        self._pages = sorted({ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "THIRD_PARTY.md",
                              *ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/**/*.ipynb"),
                              *ROOT.glob("examples/**/*.md"), *ROOT.glob("scenes/*/README.md")})  # fmt: skip

    def write(self):
        for page in self._pages:
            target = self._place(page)
            target.parent.mkdir(parents=True, exist_ok=True)
            if page.suffix == ".ipynb":
                text = text_of(page, target.parent)
            else:
                text = page.read_text(encoding="utf-8")
            target.write_text(self._linked(page, text), encoding="utf-8")
        self._write_contents()

    def _place(self, page):
        name = page.relative_to(ROOT)
        if name == Path("README.md"):
            name = Path("index.md")
        return self._folder / name.with_suffix(".md" if name.suffix == ".ipynb" else name.suffix)

    def _linked(self, page, text):
        """The text with links to where the site has what they lead to; folders are no pages."""

        def link(match):
            image, words, target = match.groups()
            words = LINK.sub(link, words)  # a picture that is a link
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target) or not path:
                return f"{image}[{words}]({target})"
            file = (page.parent / path).resolve()
            if file.is_dir():
                file = file / "README.md"
            if file in self._pages:
                place = os.path.relpath(self._place(file), self._place(page).parent)
                return f"{image}[{words}]({place}{'#' + anchor if anchor else ''})"
            if not file.is_file():
                return words
            copy = self._folder / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            return f"{image}[{words}]({os.path.relpath(copy, self._place(page).parent)})"

        return LINK.sub(link, text)

    def _write_contents(self):
        """The tree of pages below the first page; what is in none of its lists is reached by links alone."""
        lines, listed = ["\n"], set()
        for title, names in CONTENTS.items():
            names = [name[1:] if name[0] == "/" else f"docs/{name}" for name in names]
            made = ("python_docstrings", "cpp/index")
            names = [name for name in names if name in made or (self._folder / f"{name}.md").exists()]
            listed.update(names)
            lines += ["```{toctree}", ":hidden:", ":maxdepth: 1", f":caption: {title}", "", *names, "```", ""]
        with open(self._folder / "index.md", "a", encoding="utf-8") as index:
            index.write("\n".join(lines))
        for page in self._pages:
            place = self._place(page)
            if place.relative_to(self._folder).with_suffix("").as_posix() not in listed | {"index"}:
                place.write_text(
                    "---\norphan: true\n---\n\n" + place.read_text(encoding="utf-8"), encoding="utf-8"
                )


def write_python_reference(folder):
    modules = ["civita", "civita.mujoco", "civita.pinocchio", "civita.poe"]
    lines = [
        "# Python: docstrings\n",
        "The docstrings of the package; the page to begin with is [Python](docs/python.md).\n",
    ]
    for module in modules:
        lines += [f"## {module}\n", "```{eval-rst}", f".. automodule:: {module}", "   :members:", "```", ""]
    (folder / "python_docstrings.md").write_text("\n".join(lines), encoding="utf-8")


def main():
    folder = Path(sys.argv[1]).resolve()
    Site(folder).write()
    write_python_reference(folder)


main()
