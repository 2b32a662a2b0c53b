"""peers.py LIMIT SEED: civita.attach at sockets whose servers answer anything, up to the limit. What is no answer of a
window must end in a ConnectionError of one line. Prints the number of answers, and the bad ones, each after `bad: `."""

import json
import os
import pathlib
import random
import socket
import sys
import threading

import limit
import outcome

import civita

ASK = {
    "state": lambda link: link.state,
    "t": lambda link: link.t,
    "signals": lambda link: link.signals,
    "latest": lambda link: link.latest("/e", "/V"),
    "item": lambda link: link["/V"],
    "set": lambda link: link.set({"gains.K_D": 3}),
    "throw": lambda link: link.throw(),
    "request": lambda link: link.request(state=None),
}
VALUES = [None, True, 0, -1, 1e308, "", "x", "\x00\x1b[31m", [], {}, [[]], [None, "y"], {"t": 1}, {"t": "x"}, {"values": 3}]
VALUES += [{"t": 0, "values": {"/V": 2, "/e": [1, None]}}, {"t": 0, "runs": [{"gains": {"K_D": [1]}}]}, [{"name": "a", "unit": "b"}]]


def answer(rng):
    """Bytes, and whether they are an error that a window may tell."""
    kind = rng.randrange(7)
    if kind == 0:
        return rng.randbytes(rng.randint(0, 200)) + b"\n", False
    if kind == 1:
        return rng.choice([b"[", b"{\"a\":", b"(", b"9", b"\"", b" "]) * rng.randint(1, 200_000) + b"\n", False
    if kind == 2:
        return b'{"ok": ' + str(rng.choice(["9" * 6000, "NaN", "Infinity", "1e999"])).encode() + b"}\n", False
    if kind == 3:
        told = rng.choice(VALUES)
        return json.dumps({"error": told}).encode() + b"\n", isinstance(told, str)
    if kind == 4:
        return rng.randbytes(rng.randint(0, 50)).replace(b"\n", b""), False  # and leaves
    return json.dumps({rng.choice(["ok", "ok", "ok", "oh"]): rng.choice(VALUES)}).encode() + b"\n", False


def serve(path, content):
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def work():
        with server, server.accept()[0] as client:
            try:
                client.recv(1 << 16)
                client.sendall(content)
            except OSError:
                pass  # it has left

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def main():
    allowed, rng = limit.Limit(sys.argv[1]), random.Random(int(sys.argv[2]))
    folder = pathlib.Path("sockets").resolve()
    folder.mkdir(exist_ok=True)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    (folder / "civita-abc.sock").touch()
    answers = 0
    while allowed.allows(answers):
        content, is_error = answer(rng)
        thread = serve(folder / "civita-7.sock", content)
        name = rng.choice(list(ASK))

        def ask(name=name):
            with civita.attach(rng.choice([None, 7]), timeout=20) as link:
                return ASK[name](link)

        _, fault = outcome.answer_of(ask, (ConnectionError, ValueError) if is_error else ConnectionError, one_line=True)
        thread.join()
        answers += 1
        if fault:
            print(f"bad: {name} of {content[:100]!r}: {fault}".replace("\n", " "), flush=True)
    print(f"{answers} answers")


if __name__ == "__main__":
    main()
