"""The program civita: python -m civita, and the command civita of the installed package."""

import signal
import sys

from civita import _civita
from civita._extras import missing

BAD_INPUT = 2
NOT_HERE = 3  # the exit code of what this installation or machine does not have
INTERRUPTED = 130


def main() -> int:
    """Runs the program with the words of the command line; returns its exit code."""
    if sys.argv[1:2] == ["sweep"]:
        try:
            return _sweep()
        except KeyboardInterrupt:  # before there is a run, or while what was done is written
            print("civita: interrupted; the same command goes on", file=sys.stderr)
            return INTERRUPTED
        finally:  # what is left to do has no words for it
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    # As in any program: Python ignores a closed pipe and would only note Ctrl-C.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _civita.run_program(["civita", *sys.argv[1:]])


def _sweep() -> int:
    try:
        from civita.sweeps.command import main as sweep
    except ModuleNotFoundError as error:
        print(f"civita: {missing(error, 'sweep', 'sweeps')}", file=sys.stderr)
        return NOT_HERE
    try:
        _civita.check_arguments(sys.argv)
    except ValueError as error:
        _civita.print_error(str(error))
        return BAD_INPUT
    return sweep(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
