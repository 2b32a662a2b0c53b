"""The tutorial's notebooks run. As a script it executes them in their place, to store new outputs."""

import itertools
import os
import pathlib
import sys

import nbclient
import nbformat
import pytest

TUTORIAL = pathlib.Path(__file__).parents[2] / "docs" / "tutorial"
NOTEBOOKS = sorted(TUTORIAL.glob("*.ipynb"))


def execute(path):
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3")
    client.execute(env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"})
    return notebook


def test_there_are_six():
    assert len(NOTEBOOKS) == 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_as_it_is_stored(path):
    stored = nbformat.read(path, as_version=4)
    done = execute(path)
    for before, after in zip(stored.cells, done.cells, strict=True):
        if before.cell_type != "code":
            continue
        assert before.execution_count is not None, "stored without outputs"
        assert kinds_of(before) == kinds_of(after), before.source


def kinds_of(cell):
    """Of its outputs; texts one after the other count as one, as the machine's load parts them."""
    return [kind for kind, _ in itertools.groupby(output.output_type for output in shown(cell))]


def shown(cell):
    """Without the line of how far a call is, which a slow machine shows, and which is empty in the end."""
    return [output for output in cell.outputs if output.get("data") != {"text/plain": ""}]


if __name__ == "__main__":
    for path in map(pathlib.Path, sys.argv[1:] or NOTEBOOKS):
        notebook = execute(path)
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
            if cell.cell_type == "code":
                cell.outputs = shown(cell)
        nbformat.write(notebook, path)
        print(path)
