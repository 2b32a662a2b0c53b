"""A display of its own for windows."""

import os
import shutil
import subprocess


def is_here():
    return shutil.which("Xvfb") is not None


class Display:
    """A context manager, which gives the environment of programs on it."""

    def __enter__(self):
        command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        environment = {**os.environ, "DISPLAY": f":{self.server.stdout.readline().strip()}"}
        environment.pop("WAYLAND_DISPLAY", None)
        return environment

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()
