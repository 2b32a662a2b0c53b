"""Ctrl-C, or what any signal's handler raises, ends what computes for long, and nothing is broken after."""

import os
import signal
import threading
import time

import numpy
import pytest

import civita

MODEL = civita.Model.from_file("chain20")
DYNAMICS = civita.Dynamics(MODEL, threads=2)
Q, V = MODEL.default_position, numpy.full(MODEL.nv, 0.1)
COUNT = 600_000


def rows(vector):
    return numpy.tile(vector, (COUNT, 1))


def batch_of_states():
    DYNAMICS.covariant_derivative(rows(Q), rows(V), rows(V), rows(V))


def batch_of_kernels():
    out = numpy.empty((COUNT, MODEL.nv))
    q, v = rows(Q), rows(V)
    for _ in range(100):
        DYNAMICS.passivity_rnea(q, v, v, v, out=out)


def geodesic():
    DYNAMICS.geodesic(Q, V, 10, 200_000)


def transport():
    DYNAMICS.transport(lambda t: (Q + V * t, V), V, 10, 200_000)


def evaluate():
    civita.evaluate(MODEL, "vdot", rows(Q)[:300_000], rows(V)[:300_000], tau=rows(V)[:300_000])


class Stop(Exception):
    pass


@pytest.fixture
def stop_soon():
    """Raises Stop after half a second; waits for who catches it."""

    def handler(*_):
        raise Stop

    before = signal.signal(signal.SIGUSR1, handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1))
    yield timer.start
    timer.cancel()
    timer.join()
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("work", [batch_of_states, batch_of_kernels, geodesic, transport, evaluate])
def test_ends_soon(work, stop_soon):
    few = numpy.stack([Q, Q + 0.1])
    expected = DYNAMICS.mass_matrix(few)
    start = time.monotonic()
    stop_soon()
    with pytest.raises(Stop):
        work()
    assert time.monotonic() - start < 1.5
    assert (DYNAMICS.mass_matrix(few) == expected).all()
