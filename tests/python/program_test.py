"""The program in the package."""

import signal
import subprocess
import sys
import time

import civita


def program(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "civita", *words], capture_output=True, text=True, **options
    )


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
    assert process.wait(timeout=20) == 130
    assert any((tmp_path / "run").iterdir())


def test_program_runs_in_process_twice(capfd):
    from civita import _civita

    for _ in range(2):
        assert _civita.run_program(["civita", "scenes"]) == 0
    assert capfd.readouterr().out.count("arm7 ") >= 2
