"""The progress of a sweep, as the program shows that of its verbs."""

from __future__ import annotations

import time

from civita import _progress


class Progress:
    """Counts runs, and shows how many there are."""

    def __init__(self, total: int, kept: int, progress: _progress.Progress):
        self.total, self.done, self.failed, self.errors = total, kept, 0, 0
        self._kept = kept
        self._line = _progress.Line(progress, is_long=True)
        self._start = time.monotonic()

    def add(self, statuses: list[str]) -> None:
        """Counts runs that ended."""
        self.done += len(statuses)
        self.failed += statuses.count("failed")
        self.errors += statuses.count("error")

    def show(self, workers: int) -> None:
        """Five times a second at most."""
        text = f"{self.done} of {self.total} runs"
        text += f", {self.failed} failed" if self.failed else ""
        text += f", {self.errors} errors" if self.errors else ""
        if not workers:
            text += ", no workers yet"
        elif self.done > self._kept:
            left = (time.monotonic() - self._start) * (self.total - self.done) / (self.done - self._kept)
            text += f", {left:.0f} s to go"
        self._line.show(self.done / max(self.total, 1), text)

    def erase(self) -> None:
        """Removes the line."""
        self._line.erase()
