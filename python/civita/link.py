"""The live link to an open window: civita.attach."""

from __future__ import annotations

import collections.abc
import json
import os
import pathlib
import re
import socket
import stat
import struct
import tempfile
import time
import types
from collections.abc import Callable
from typing import Any, TypeVar

import numpy

from civita.runs import Settings, settings_text

T = TypeVar("T")


def attach(pid: int | None = None, *, timeout: float = 10.0) -> Link:
    """Attaches to a window that serves: one started by `civita run SCENE --serve` or
    civita.view(scene, serve=True), or with its live link opened by ctrl-D.

    Parameters
    ----------
    pid : int, optional
        Of the window's process. By default there must be one window that serves.
    timeout : float
        How long to wait for an answer, s.

    Raises
    ------
    ConnectionError
        No window of this user serves, or several do: the text lists them.
    """
    folder = _folder()
    if pid is not None:
        return Link(folder / f"civita-{int(pid)}.sock", timeout)
    links = []
    for path in sorted(folder.glob("civita-*.sock")):
        if not re.fullmatch(r"civita-[0-9]{1,10}\.sock", path.name, re.ASCII):
            continue  # another program's
        try:
            links.append(Link(path, timeout))
        except ConnectionError:  # left over by a program that was killed
            continue
    if len(links) == 1:
        return links[0]
    for link in links:
        link.close()
    if not links:
        raise ConnectionError("attach: no window serves; start one by: civita run SCENE --serve")
    pids = ", ".join(str(link.pid) for link in links)
    raise ConnectionError(f"attach: several windows serve; choose one by its pid: {pids}")


def _folder() -> pathlib.Path:
    """Where windows have their sockets, as the program's RuntimeFolder."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return pathlib.Path(runtime)
    folder = pathlib.Path(tempfile.gettempdir()) / f"civita-{os.geteuid()}"
    try:
        info = folder.lstat()
    except OSError:
        return folder  # no window has made it
    # Another user may have made it first.
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o77:
        raise ConnectionError(f"attach: {folder} is not a folder of yours with mode 0700")
    return folder


_MOST_PARTS = 1 << 16  # of an answer, each of a byte or more; a window's has some thousand bytes
_PEER = struct.Struct("3i")  # struct ucred: process, user, group


class Link:
    """An open window, from civita.attach.

    What it changes is as if it had been changed in the window: it can be undone there, and is an event of
    a recording. A call returns once the simulation has taken the change, between two control steps.
    Bad arguments raise ValueError with the valid ones, a window that is gone ConnectionError. One thread at
    a time.
    """

    def __init__(self, path: str | os.PathLike[str], timeout: float = 10.0) -> None:
        self.path = pathlib.Path(path)
        self._timeout = timeout
        self._received = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(os.fspath(self.path))
        except OSError as error:
            self._socket.close()
            raise ConnectionError(
                f"attach: no window serves {self.path}: {error.strerror or error}"
            ) from None
        peer = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        if _PEER.unpack(peer)[1] != os.geteuid():
            self._socket.close()
            raise ConnectionError(f"attach: {self.path} is served by another user")

    @property
    def pid(self) -> int:
        """Process of the window."""
        digits = self.path.stem.rpartition("-")[2]
        return int(digits) if digits.isdecimal() else 0

    def request(self, **request: Any) -> Any:
        """Sends a request and returns its answer: what all others are made of.

        Raises
        ------
        ValueError
            With the window's text.
        ConnectionError
            The window is gone, or does not answer, or what answers is no window.
        """
        text = json.dumps(request, allow_nan=False) + "\n"
        try:
            self._socket.settimeout(self._timeout)
            self._socket.sendall(text.encode())
            line = self._receive_line()
        except ConnectionError as error:
            self.close()
            raise ConnectionError(f"attach: the window is gone: {error}") from None
        except OSError as error:  # a late answer would be taken for that of the next request
            self.close()
            raise ConnectionError(f"attach: the window does not answer: {error}") from None
        try:
            answer = json.loads(line)
            if "error" not in answer:
                return answer["ok"]
            refused = " ".join(answer["error"].split("\n")) or "refused"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # of what is no answer
            raise self._no_window() from None
        raise ValueError(refused)

    def _receive_line(self) -> bytes:
        end = time.monotonic() + self._timeout
        parts = [self._received]
        while b"\n" not in parts[-1]:
            self._socket.settimeout(max(end - time.monotonic(), 1e-3))
            parts.append(self._socket.recv(1 << 16))
            if not parts[-1]:
                raise ConnectionError("the window has closed its live link")
            if len(parts) > _MOST_PARTS or time.monotonic() > end:
                raise TimeoutError("its answer does not end")
        line, _, self._received = b"".join(parts).partition(b"\n")
        return line

    def _no_window(self) -> ConnectionError:
        self.close()
        return ConnectionError(f"attach: what answers at {self.path} is no window of civita")

    def _read(self, read: Callable[[Any], T], **request: Any) -> T:
        """What is read of the answer to a request."""
        answer = self.request(**request)
        try:
            return read(answer)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
            raise self._no_window() from None

    @property
    def state(self) -> dict[str, Any]:
        """What is shown: scene, state ("running", "paused" or "failed"), t (s), step, control_dt (s),
        is_replay, is_recording, and runs: of each its law, gains and factorization."""
        return self._read(_state, state=None)

    @property
    def t(self) -> float:
        """Simulated time, s."""
        return self._read(lambda state: float(state["t"]), state=None)

    @property
    def signals(self) -> dict[str, str]:
        """Names of the signals of run A, and their units."""
        return self._read(
            lambda signals: {str(each["name"]): str(each["unit"]) for each in signals}, signals=None
        )

    def latest(self, *names: str, run: str = "A") -> dict[str, Any]:
        """Values of signals in the newest control step up to the shown time, in single precision, as plotted.

        Parameters
        ----------
        names : str
            Of signals; their values are numbers or arrays.
        run : str
            "A", or "B" in a comparison.

        Returns
        -------
        dict
            The values by name, and "t", the time of the step, s.
        """
        return self._read(_values, latest=list(names), run=run)

    def __getitem__(self, name: str) -> Any:
        """The latest value of a signal of run A."""
        return self._read(lambda answer: _values(answer)[name], latest=[name], run="A")

    def set(
        self,
        settings: Settings | None = None,
        *,
        factorization: Any = None,
        run: str = "A",
    ) -> None:
        """Changes gains and the factorization of a run, all before the same control step.

        Parameters
        ----------
        settings : mapping, optional
            Keys of configs: "gains.Lambda", "controller.factorization", nested or with dots.
        factorization : str or Factorization, optional
            As for civita.run.
        run : str
            "A", or "B" in a comparison.
        """
        self.request(set=settings_text(settings, factorization=factorization), run=run)

    def push(self, **push: Any) -> None:
        """Pushes, with the keys of an item of a config's `pushes`: push(body="hand", force_N=[0, 20, 0],
        duration_s=0.1). start_s is from now."""
        self.request(push={key: value for key, value in _plain(push).items()})

    def play(self) -> None:
        """Lets the run go on."""
        self.request(do="play")

    def pause(self) -> None:
        """Pauses the run."""
        self.request(do="pause")

    def reset(self) -> None:
        """Takes the run back to its start; a running one goes on from there."""
        self.request(do="reset")

    def throw(self) -> None:
        """Throws the robot off as the config's `throw` says."""
        self.request(do="throw")

    def step(self, steps: int = 1) -> None:
        """Takes control steps of a paused run; negative: back. Returns before they are done."""
        self.request(step=steps)

    def close(self) -> None:
        """Leaves the window, which goes on."""
        self._socket.close()

    def __enter__(self) -> Link:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self.close()


def _state(answer: Any) -> dict[str, Any]:
    state = dict(answer)
    for run in state["runs"]:
        run["gains"] = {key: _array(gain) for key, gain in run["gains"].items()}
    return state


def _values(answer: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"t": _number(answer["t"])}
    for name, value in answer["values"].items():
        values[name] = _array(value) if isinstance(value, list) else _number(value)
    return values


def _number(value: float | None) -> float:
    """JSON has no NaN."""
    return float("nan") if value is None else float(value)


def _array(values: collections.abc.Iterable[float | None]) -> numpy.ndarray[Any, Any]:
    return numpy.array([_number(value) for value in values])


def _plain(value: Any) -> Any:
    """Of arrays and their numbers the lists and numbers that JSON has."""
    if isinstance(value, collections.abc.Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, numpy.ndarray | numpy.generic):
        return value.tolist()
    return value
