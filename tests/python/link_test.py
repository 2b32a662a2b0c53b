"""civita.attach: beside a server that the test plays, and in a window."""

import json
import os
import socket
import subprocess
import sys
import threading

import numpy
import pytest

import civita


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def serve(path, *answers):
    """Answers lines by these texts; None: leaves. Returns the list of what was asked."""
    asked = []
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def work():
        with server, server.accept()[0] as client, client.makefile("r") as lines:
            for answer in answers:
                asked.append(lines.readline())
                if answer is None:
                    return
                client.sendall(answer if isinstance(answer, bytes) else answer.encode())
            lines.readline()

    threading.Thread(target=work, daemon=True).start()
    return asked


def test_nobody_serves(folder):
    with pytest.raises(ConnectionError, match="civita run SCENE --serve"):
        civita.attach()
    with pytest.raises(ConnectionError, match=r"no window serves .*civita-123\.sock"):
        civita.attach(123)


def test_sockets_of_killed_programs_are_passed_over(folder):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "civita-1.sock"))
    serve(folder / "civita-2.sock")
    assert civita.attach().pid == 2


def test_of_several_windows_one_is_chosen(folder):
    serve(folder / "civita-3.sock")
    serve(folder / "civita-4.sock")
    with pytest.raises(ConnectionError, match="choose one by its pid: 3, 4"):
        civita.attach()


def test_sockets_of_other_names_are_passed_over(folder):
    serve(folder / "civita-abc.sock")
    serve(folder / "civita-6.sock")
    serve(folder / "civita-7.sock.sock")
    assert civita.attach().pid == 6


NO_ANSWERS = [
    "[" * 100_000 + "\n",
    "7\n",
    '"ok"\n',
    "[1]\n",
    "true\n",
    '{"oh": 1}\n',
    '{"error": [2]}\n',
    "no JSON\n",
    '{"ok": ' + "9" * 6000 + "}\n",
    "\n",
]


@pytest.mark.parametrize("answer", NO_ANSWERS)
def test_what_is_no_answer_is_one_error(folder, answer):
    serve(folder / "civita-8.sock", answer)
    with pytest.raises(ConnectionError, match=r"^attach: what answers at .* is no window of civita$"):
        civita.attach(8).request(state=None)


def test_bytes_that_are_no_text(folder):
    serve(folder / "civita-8.sock", b'{"ok": "\xff\xfe"}\n')
    with pytest.raises(ConnectionError, match="is no window of civita"):
        civita.attach(8).request(state=None)


ASKED = {
    "state": lambda link: link.state,
    "t": lambda link: link.t,
    "signals": lambda link: link.signals,
    "latest": lambda link: link.latest("/V"),
    "item": lambda link: link["/V"],
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize(
    "told", ["null", "3", '{"a": 0}', '"x"', '[{"name": 1}]', '{"t": "x", "runs": [{}]}']
)
def test_answers_to_something_else_are_one_error(folder, ask, told):
    serve(folder / "civita-8.sock", '{"ok": ' + told + "}\n")
    with pytest.raises(ConnectionError, match="is no window of civita"):
        ask(civita.attach(8))


def test_an_error_is_one_line(folder):
    for window, error, told in ((8, "first\\nsecond", "first second"), (9, "", "refused")):
        serve(folder / f"civita-{window}.sock", f'{{"error": "{error}"}}\n')
        with pytest.raises(ValueError, match=f"^{told}$"):
            civita.attach(window).request(state=None)


def test_an_answer_without_end_is_given_up(folder):
    serve(folder / "civita-8.sock", "x" * 100)
    with pytest.raises(ConnectionError, match="does not answer"):
        civita.attach(8, timeout=0.1).request(state=None)


def test_the_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / f"civita-{os.geteuid()}"
    with pytest.raises(ConnectionError, match="no window serves"):
        civita.attach()
    folder.mkdir(0o755)
    serve(folder / "civita-9.sock")
    for pid in (None, 9):
        with pytest.raises(ConnectionError, match="is not a folder of yours with mode 0700$"):
            civita.attach(pid)
    folder.chmod(0o700)
    assert civita.attach().pid == 9


def test_a_folder_that_is_a_link_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "theirs").mkdir(0o700)
    (tmp_path / f"civita-{os.geteuid()}").symlink_to(tmp_path / "theirs")
    with pytest.raises(ConnectionError, match="is not a folder of yours"):
        civita.attach()


def test_a_peer_of_another_user_is_refused(folder, monkeypatch):
    serve(folder / "civita-9.sock")
    other = os.geteuid() + 1
    monkeypatch.setattr("os.geteuid", lambda: other)
    with pytest.raises(ConnectionError, match=r"civita-9\.sock is served by another user$"):
        civita.attach(9)


def test_requests_and_values(folder):
    latest = {"t": 0.25, "values": {"/e": [1.0, None], "/V": 2}}
    asked = serve(
        folder / "civita-5.sock",
        '{"ok": null}\n',
        '{"ok": null}\n',
        json.dumps({"ok": latest}) + "\n",
    )
    with civita.attach(5) as link:
        link.set({"gains": {"Lambda": numpy.array([1.0, 2.5])}}, factorization="t:1", run="B")
        link.push(body="hand", force_N=numpy.array([0.0, 3.0, 0.0]), duration_s=numpy.float64(0.1))
        values = link.latest("/e", "/V")
    assert json.loads(asked[0]) == {
        "set": ["gains.Lambda=[1.0, 2.5]", "controller.factorization=t:1"],
        "run": "B",
    }
    assert json.loads(asked[1]) == {"push": {"body": "hand", "force_N": [0, 3, 0], "duration_s": 0.1}}
    assert values["t"] == 0.25 and values["/V"] == 2
    numpy.testing.assert_array_equal(values["/e"], [1, numpy.nan])


def test_what_is_refused_is_a_value_error(folder):
    serve(folder / "civita-6.sock", '{"error": "do: unknown"}\n', '{"ok": null}\n')
    link = civita.attach(6)
    with pytest.raises(ValueError, match="^do: unknown$"):
        link.play()
    link.pause()
    with pytest.raises(ValueError):
        link.push(body="hand", force_N=[float("nan"), 0, 0])


def test_a_window_that_goes_or_sleeps(folder):
    serve(folder / "civita-7.sock", None)
    link = civita.attach(7)
    with pytest.raises(ConnectionError, match="the window is gone"):
        link.play()
    with pytest.raises(ConnectionError):
        link.play()
    serve(folder / "civita-8.sock", '{"half": ')
    with pytest.raises(ConnectionError, match="does not answer"):
        civita.attach(8, timeout=0.2).play()


@pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="there is no display")
def test_window_is_read_and_changed(folder, tmp_path):
    command = [
        sys.executable,
        "-m",
        "civita",
        "run",
        "arm7",
        "--serve",
        "--paused",
        "--out",
        tmp_path / "run",
    ]
    window = subprocess.Popen(list(map(str, command)))
    try:
        path = folder / f"civita-{window.pid}.sock"
        while not path.exists():
            assert window.poll() is None
        with civita.attach(timeout=600) as link:
            assert path.stat().st_mode & 0o777 == 0o600
            assert link.signals["/tau"] == "N·m"
            assert link.state["scene"] == "arm7"
            link.step(50)
            while link.state["step"] < 50:
                pass
            link.set({"gains.Lambda": 6.5}, factorization="t:1")
            run = link.state["runs"][0]
            assert run["factorization"] == "plain" and (run["gains"]["Lambda"] == 6.5).all()
            link.push(body="hand", force_N=[0, 20, 0], duration_s=0.05)
            link.play()
            while link.t < 0.3:
                pass
            link.pause()
            values = link.latest("/e", "/V")
            assert values["/e"].shape == (7,) and values["/V"] > 0
            with pytest.raises(ValueError, match="did you mean 'gains.Lambda'"):
                link.set({"gains.Lambd": 6})
        window.terminate()
        assert window.wait(600) == 130
    finally:
        window.kill()
    assert not path.exists()
    events = json.loads((tmp_path / "run" / "run.json").read_text())["events"]
    assert [event["what"] for event in events] == [
        "gains.Lambda = 6.5",
        "factorization = plain",
        "push on hand by [0, 20, 0] N",
    ]


@pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="there is no display")
def test_view_serves(folder):
    code = 'import civita; civita.view("planar_2r", paused=True, serve=True)'
    window = subprocess.Popen([sys.executable, "-c", code])
    try:
        path = folder / f"civita-{window.pid}.sock"
        while not path.exists():
            assert window.poll() is None
        with civita.attach(window.pid, timeout=600) as link:
            assert link.state["scene"] == "planar_2r"
    finally:
        window.kill()
        window.wait()
