"""Starts of a program by forks of one that stands before main, see fork_server.c."""

import os
import pathlib
import select
import signal
import struct
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent / "fork_server.c"


def build(folder):
    library = folder / "fork_server.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return library


class ForkServer:
    """One program, started again and again by one thread; a context manager."""

    def __init__(self, library, program, folder, environment):
        self.program = program
        folder.mkdir()
        self.output, self.error = folder / "stdout", folder / "stderr"
        theirs, self.requests = os.pipe()
        self.answers, back = os.pipe()
        environment = environment | {"LD_PRELOAD": str(library), "CIVITA_REQUESTS": str(theirs), "CIVITA_ANSWERS": str(back)}
        self.process = subprocess.Popen([program], env=environment, pass_fds=(theirs, back))
        os.close(theirs)
        os.close(back)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.requests)
        self.process.wait()
        os.close(self.answers)

    def call(self, arguments, seconds, folder):
        """As outcome.call."""
        words = [folder, self.output, self.error, self.program, *arguments]
        request = b"".join(os.fsencode(word) + b"\0" for word in words)
        os.write(self.requests, struct.pack("i", len(request)) + request)
        child = self.answer()
        late = not select.select([self.answers], [], [], seconds)[0]
        if late:
            os.killpg(child, signal.SIGKILL)
        status = self.answer()
        code = None if late else os.waitstatus_to_exitcode(status)
        text = [path.read_text(errors="replace") for path in (self.output, self.error)]
        return subprocess.CompletedProcess(arguments, code, *text)

    def answer(self):
        return struct.unpack("i", os.read(self.answers, 4))[0]
