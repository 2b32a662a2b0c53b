"""The program's window from Python: civita.view."""

from __future__ import annotations

import os
import threading
from typing import Any

from civita import _civita
from civita.runs import Scene, Settings, scene_path, settings_text


def view(
    scene: Scene,
    *,
    controller: Any = None,
    factorization: Any = None,
    set: Settings | None = None,
    seed: int | None = None,
    out: str | os.PathLike[str] = "",
    paused: bool = False,
    at: float | None = None,
    tab: str = "",
    light: bool = False,
    serve: bool = False,
    screenshot: str | os.PathLike[str] = "",
    after: float = 3.0,
) -> None:
    """Opens the program's window on a scene, and returns when it is closed.

    To be called from the main thread. The simulation runs on a thread of its own, without the GIL,
    which a law in Python takes for each of its steps.

    Parameters
    ----------
    scene, controller, factorization, set, seed, out
        As for civita.run.
    paused : bool
        Starts paused.
    at : float, optional
        Starts paused at this simulated time, s.
    tab : str, optional
        Of the side panel: "tune", "geometry", "push", …
    light : bool
        Light colours.
    serve : bool
        Opens the live link: civita.attach in another process, or in another thread of this one.
    screenshot : path, optional
        Writes a picture to this PNG `after` seconds of real time, then closes.

    Raises
    ------
    ValueError
        With the program's text: a bad config, no display.
    KeyboardInterrupt
        After Ctrl-C, which closes the window.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("civita.view: a window needs the main thread")
    overrides = settings_text(set, factorization=factorization, controller=controller)
    with scene_path(scene) as path:
        code = _civita.view(
            path, overrides, seed, os.fspath(out), paused, at, tab, light, serve, os.fspath(screenshot), after
        )
    if code == 130:
        raise KeyboardInterrupt
