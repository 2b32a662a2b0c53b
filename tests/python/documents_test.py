"""The Python of README and of the documents runs word for word, the blocks of a page in turn."""

import pathlib
import re
import runpy

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
    "README.md",
    "docs/python.md",
    "docs/python_reference.md",
    "docs/from_pinocchio.md",
    "docs/from_mujoco.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_python_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / "examples/from_pinocchio" if "from_pinocchio" in page else tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize(
    "name", ["gymnasium/follow_reference", "gymnasium/follow_references", "own_law/sliding_mode"]
)
def test_programs_that_the_pages_name_run(name, monkeypatch):
    file = ROOT / f"examples/{name}.py"
    monkeypatch.syspath_prepend(file.parent)
    runpy.run_path(str(file), run_name="__main__")


def test_the_heart_of_the_environment_is_the_programs():
    page = (ROOT / "docs/gymnasium.md").read_text(encoding="utf-8")
    heart = re.search(r"^(    def step.*?\n)        …$", page, re.M | re.S)
    assert heart[1] in (ROOT / "examples/gymnasium/follow_reference.py").read_text(encoding="utf-8")
