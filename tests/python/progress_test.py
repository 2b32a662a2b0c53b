"""`progress=` of the calls that take long."""

import math
import os
import pty
import subprocess
import sys

import pytest

import civita
from civita import _progress


class Calls(list):
    def __call__(self, share, text):
        self.append((share, text))


CALLS = {
    "run": lambda told: civita.run("planar_2r", 20, signals=[], progress=told),
    "compare": lambda told: civita.compare(
        "planar_2r", {"factorization": ["christoffel", "t:1"]}, duration=5, progress=told),
    "survive": lambda told: civita.survive("quadruped", push=0.5, trials=2, progress=told),
    "advise": lambda told: civita.advise(
        "planar_2r", factorization="t:1", set={"duration_s": 2}, remedies=False, measure_limit=True,
        progress=told),
    "formulas": lambda told: civita.formulas(civita.Model.from_file("arm7"), "all", progress=told),
}  # fmt: skip
EACH = pytest.mark.parametrize("name", CALLS)


@EACH
def test_a_callable_is_told_how_far_it_is(name):
    told = Calls()
    CALLS[name](told)
    assert told and all(isinstance(text, str) and text for _, text in told)
    shares = [share for share, _ in told if not math.isnan(share)]
    assert shares == sorted(shares) and all(0 <= share <= 1 for share in shares)


@EACH
def test_what_it_raises_ends_the_work(name):
    def refuse(share, text):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        CALLS[name](refuse)


@EACH
@pytest.mark.parametrize("progress", [3, "yes", [True]])
def test_what_cannot_be_called_is_refused(name, progress):
    with pytest.raises(TypeError, match="progress: True, False, or what is called"):
        CALLS[name](progress)


def test_a_run_that_is_ended_is_kept():
    def stop(share, text):
        if share > 0.01:
            raise StopIteration

    with pytest.raises(StopIteration) as ended:
        civita.run("planar_2r", 600, progress=stop)
    run = ended.value.run
    assert run.status == "interrupted" and 6 < run.t[-1] < 600


LINE = """
import time
from civita import _progress
line = _progress.Line({shown})
line._next = 0
line.show(0.25, "one")
line._next = 0
line.show(0.5, "two")
line.erase()
"""


def on_terminal(shown):
    main, other = pty.openpty()
    code = LINE.format(shown=shown)
    environment = {key: value for key, value in os.environ.items() if key != "CIVITA_PROGRESS"}
    subprocess.run([sys.executable, "-c", code], stderr=other, env=environment, check=True)
    os.write(other, b"|")
    text = os.read(main, 1000).decode()
    os.close(main)
    os.close(other)
    return text.rstrip("|")


def test_on_a_terminal_it_is_a_line_in_place():
    assert on_terminal(True) == "\r\033[K  one\r\033[K  two\r\033[K"
    assert on_terminal(False) == on_terminal(None) == ""


@pytest.mark.parametrize(("asked", "said"), [("1", "progress 0.2500 one\nprogress 0.5000 two\n"), (None, "")])
def test_without_one_it_is_lines_for_who_asks(asked, said):
    environment = {key: value for key, value in os.environ.items() if key != "CIVITA_PROGRESS"}
    if asked:
        environment["CIVITA_PROGRESS"] = asked
    done = subprocess.run([sys.executable, "-c", LINE.format(shown=True)], capture_output=True, text=True,
                          env=environment, check=True)  # fmt: skip
    assert done.stderr == said


def test_of_long_work_it_is_a_bar_or_a_line_a_minute():
    assert on_terminal("True, is_long=True").startswith("\r\033[K  [#####               ] one\r")
    environment = {key: value for key, value in os.environ.items() if key != "CIVITA_PROGRESS"}
    code = LINE.format(shown="True, is_long=True") + "assert line._pause == 60"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment,
                          check=True)  # fmt: skip
    assert done.stderr == "civita: one\ncivita: two\n"


def test_in_a_notebook_it_is_displayed_and_removed():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    for end, said in [("", "two"), ("line.erase()", "")]:
        code = LINE.format(shown=True).replace("line.erase()", end)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
        (output,) = notebook.cells[0].outputs
        assert output.output_type == "display_data" and output.data == {"text/plain": said}


def test_it_is_not_called_too_often():
    told = Calls()
    line = _progress.Line(told)
    for share in range(100):
        line.show(share / 100, "working")
    assert told == [(0.0, "working")]
