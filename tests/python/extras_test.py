"""Packages of the extras are asked for before there is work that would be lost, in one sentence."""

import subprocess
import sys

import pytest

import civita


def test_without_pandas_nothing_is_compared(monkeypatch):
    pytest.importorskip("dask")  # for civita.sweep needs that first

    def work(*_):
        raise AssertionError("it runs")

    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setattr("civita._civita.compare", work)
    monkeypatch.setattr("civita._civita.survive", work)
    sentence = r"^civita\.{} needs the package pandas: pip install 'civita\[tables\]'$"
    with pytest.raises(ModuleNotFoundError, match=sentence.format("compare")):
        civita.compare("arm7", {"K_D": [5, 10]})
    with pytest.raises(ModuleNotFoundError, match=sentence.format("survive")):
        civita.survive("quadruped", 1.0, trials=1)
    with pytest.raises(ModuleNotFoundError, match=r"^civita\.sweep needs the package pandas: .*\[sweeps\]"):
        civita.sweep({"scene": "point_mass"})
    run = civita.run("planar_2r", 0.05)
    with pytest.raises(ModuleNotFoundError, match=r"^to_dataframe needs the package pandas: "):
        run.to_dataframe()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError, match=r"matplotlib: pip install 'civita\[plots\]'$"):
        run.plot()


@pytest.mark.parametrize("package", ["dask", "scipy", "pyarrow", "yaml", "distributed"])
def test_without_a_package_of_sweeps(package):
    pytest.importorskip(package)  # and so the others
    code = f"import sys; sys.modules[{package!r}] = None; import civita; civita.sweep"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    sentence = f"civita.sweep needs the package {package}: pip install 'civita[sweeps]'"
    assert done.stderr.splitlines()[-1] == f"ModuleNotFoundError: {sentence}"
