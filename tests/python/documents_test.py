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
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("name", ["follow_reference", "follow_references"])
def test_environments_of_gymnasium_are_what_the_page_says(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples/gymnasium")
    runpy.run_path(str(ROOT / f"examples/gymnasium/{name}.py"), run_name="__main__")
    page = (ROOT / "docs/gymnasium.md").read_text(encoding="utf-8")
    heart = re.search(r"^(    def step.*?\n)        …$", page, re.M | re.S)
    assert heart[1] in (ROOT / "examples/gymnasium/follow_reference.py").read_text(encoding="utf-8")
