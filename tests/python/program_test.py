"""The program in the package."""

import os
import signal
import subprocess
import sys
import time

import pytest

import civita


def program(*words, **options):
    return subprocess.run([sys.executable, "-m", "civita", *words], capture_output=True, text=True, **options)


def test_version_is_the_programs():
    assert civita.__version__ in program("--version").stdout


def test_scenes_are_the_programs():
    names = [scene["name"] for scene in civita.scenes()]
    listed = program("scenes").stdout
    assert "arm7" in names
    assert all(name in listed for name in names)


def test_runs_verbs():
    result = program("eval", "planar_2r", "--quantities", "H")
    assert result.returncode == 0
    assert '"H"' in result.stdout


def test_keys_of_a_law_and_of_a_type_of_reference():
    law, reference = (program("keys", name).stdout.splitlines() for name in ("adaptive", "quintic"))
    assert law[0].startswith("Adaptive") and "τ = " in law[0]
    assert {line.split(".")[0] for line in law[2:]} == {"controller", "gains"}
    assert any(line.startswith("gains.gamma") for line in law)
    assert "(" not in reference[1] and all(line.startswith("reference.") for line in reference[2:])


def test_help_lists_the_packages_verb():
    pytest.importorskip("dask")
    assert "\n  sweep " in program("--help").stdout
    assert "--scheduler" in program("sweep", "--help").stdout


def test_sweep_without_dask_says_what_it_needs(tmp_path):
    pytest.importorskip("dask")
    (tmp_path / "distributed.py").write_text("raise ModuleNotFoundError('x', name='distributed')")
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    told = program("sweep", "study.yaml", env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    assert told.returncode == 3
    assert told.stderr == "civita: sweep needs the package distributed: pip install 'civita[sweeps]'\n"


def test_bad_input_is_one_line_and_exit_code_2():
    result = program("run", "arm77", "--headless")
    assert result.returncode == 2
    assert result.stderr.startswith("civita: ")
    assert result.stderr.count("\n") == 1


def test_interrupt_keeps_files(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "civita", "run", "arm7", "--headless", "--duration", "1000"]
        + ["--out", str(tmp_path / "run")],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    for _ in range(200):
        if (tmp_path / "run").exists():
            break
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=600) == 130
    assert any((tmp_path / "run").iterdir())


def test_an_interrupt_before_a_sweep_runs_is_one_line(monkeypatch, capsys):
    import civita.__main__ as program_of_package

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["civita", "sweep", "study.yaml"])
    monkeypatch.setattr(program_of_package, "_sweep", interrupted)
    before = signal.getsignal(signal.SIGINT)
    try:
        assert program_of_package.main() == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "civita: interrupted; the same command goes on\n"


def test_program_runs_in_process_twice(capfd):
    from civita import _civita

    for _ in range(2):
        assert _civita.run_program(["civita", "scenes"]) == 0
    assert capfd.readouterr().out.count("arm7 ") >= 2


def test_formulas_are_written_without_computer_algebra():
    """GiNaC, whose licence is the GPL, is in the program alone."""
    words = ["formulas", "planar_2r", "--quantities", "H"]
    done = program(*words)
    assert done.returncode == 0 and "void civita_H" in done.stdout, done.stderr
    done = program(*words, "--expand")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1 and "libginac-dev" in done.stderr
