"""How much a script of the campaign tries, as limit.h."""

import time


class Limit:
    """Of the text "500", a number of cases, the same on every machine, or "20s", a time in seconds."""

    def __init__(self, text):
        self.is_time, self.number = text.endswith("s"), float(text.removesuffix("s"))
        self.start = time.monotonic()

    def allows(self, cases):
        """Whether another case is tried after these."""
        return (time.monotonic() - self.start if self.is_time else cases) < self.number
