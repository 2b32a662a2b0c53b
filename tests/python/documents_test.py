"""The Python of README and of the documents runs word for word, the blocks of a page in turn."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/python.md", "docs/python_reference.md",
         "docs/gymnasium.md", "docs/from_pinocchio.md", "docs/from_mujoco.md"]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_python_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
