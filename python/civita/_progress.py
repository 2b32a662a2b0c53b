"""How far long work is."""

from __future__ import annotations

import collections.abc
import os
import sys
import time
from typing import Any

Progress = bool | collections.abc.Callable[[float, str], object] | None
_MINUTE_S = 60


class Line:
    """A line that is overwritten in place on a terminal or in a notebook; lines for a program that asks
    for them by CIVITA_PROGRESS. Of long work it is a bar, or without a terminal a line a minute.

    Parameters
    ----------
    progress : bool, None or callable
        Whether it is shown; or what is called in its place with the share of the work that is done, NaN
        where that is not known, and a text.
    """

    def __init__(self, progress: Progress, is_long: bool = False):
        if not isinstance(progress, bool | None) and not callable(progress):
            raise TypeError(f"progress: True, False, or what is called with a share and a text: {progress!r}")
        self._call = progress if callable(progress) else None
        self._by_lines = "CIVITA_PROGRESS" in os.environ
        self._display = _display_of_notebook()
        self._shown: Any = None  # in a notebook what was displayed
        in_place = self._display is not None or sys.stderr.isatty()
        is_told = self._call is not None or self._by_lines
        self._has_bar, self._by_minute = is_long, is_long and not in_place and not is_told
        shown = progress is True and (self._by_lines or in_place or is_long)
        self.is_watched = self._call is not None or shown
        self._pause = _MINUTE_S if self._by_minute else 0.19
        self._next = time.monotonic() + (0 if is_told else max(1, self._pause))

    def show(self, share: float, text: str) -> None:
        """Five times a second at most, or once a minute."""
        now = time.monotonic()
        if not self.is_watched or now < self._next:
            return
        self._next = now + self._pause
        if self._call is not None:
            self._call(share, text)
        elif self._by_lines:
            print(f"progress {share:.4f} {text}", file=sys.stderr, flush=True)
        elif self._by_minute:
            print(f"civita: {text}", file=sys.stderr, flush=True)
        else:
            self._show_in_place(f"[{'#' * round(20 * share):<20}] {text}" if self._has_bar else text)

    def _show_in_place(self, text: str) -> None:
        if self._display is None:
            print(f"\r\033[K  {text}", end="", file=sys.stderr, flush=True)
            self._shown = text
        elif self._shown is None:
            self._shown = self._display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._shown.update({"text/plain": text}, raw=True)

    def erase(self) -> None:
        """Removes the line."""
        if self._shown is None:
            return
        if self._display is None:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        else:
            self._shown.update({"text/plain": ""}, raw=True)
        self._shown = None


def _display_of_notebook() -> Any:
    """IPython's display in the kernel of a notebook, else None."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display

    return display
