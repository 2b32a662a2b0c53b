"""The progress of a sweep on standard error, as the program shows that of its verbs."""

from __future__ import annotations

import os
import sys
import time


class Progress:
    """A line that is overwritten in place on a terminal; lines for a program that asks for them."""

    def __init__(self, total: int, shown: bool):
        self.total, self.done, self.failed, self.errors = total, 0, 0, 0
        self._by_lines = "CIVITA_PROGRESS" in os.environ
        self.is_watched = shown and (self._by_lines or sys.stderr.isatty())
        self._start = time.monotonic()
        self._next = self._start if self._by_lines else self._start + 1
        self._visible = False

    def add(self, statuses: list[str]) -> None:
        """Counts runs that ended."""
        self.done += len(statuses)
        self.failed += statuses.count("failed")
        self.errors += statuses.count("error")

    def show(self, workers: int) -> None:
        """Five times a second at most."""
        now = time.monotonic()
        if not self.is_watched or now < self._next:
            return
        self._next = now + 0.2
        text = f"{self.done} of {self.total} runs"
        text += f", {self.failed} failed" if self.failed else ""
        text += f", {self.errors} errors" if self.errors else ""
        if not workers:
            text += ", no workers yet"
        elif self.done:
            left = (now - self._start) * (self.total - self.done) / self.done
            text += f", {left:.0f} s to go"
        if self._by_lines:
            print(f"progress {self.done / max(self.total, 1):.4f} {text}", file=sys.stderr, flush=True)
        else:
            print(f"\r\033[K  {text}", end="", file=sys.stderr, flush=True)
            self._visible = True

    def erase(self) -> None:
        """Removes the line."""
        if self._visible:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._visible = False
