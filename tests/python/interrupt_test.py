"""Ctrl-C, or what any signal's handler raises, ends what computes for long, and nothing is broken after."""

import signal
import time

import numpy
import pytest

import civita

MODEL = civita.Model.from_file("chain20")
DYNAMICS = civita.Dynamics(MODEL, threads=2)
Q, V = MODEL.default_position, numpy.full(MODEL.nv, 0.1)
COUNT = 600_000


def rows(vector, count):
    return numpy.tile(vector, (count, 1))


def batch_of_states(count):
    DYNAMICS.covariant_derivative(rows(Q, count), *[rows(V, count)] * 3)


def batch_of_kernels(count):
    out = numpy.empty((count, MODEL.nv))
    q, v = rows(Q, count), rows(V, count)
    for _ in range(10):
        DYNAMICS.passivity_rnea(q, v, v, v, out=out)


def geodesic(count):
    DYNAMICS.geodesic(Q, V, 10, count // 3)


def transport(count):
    DYNAMICS.transport(lambda t: (Q + V * t, V), V, 10, count // 3)


def evaluate(count):
    civita.evaluate(MODEL, "vdot", rows(Q, count), rows(V, count), tau=rows(V, count))


class Stop(Exception):
    pass


@pytest.fixture
def stop_after():
    """Raises Stop once the process has computed for some seconds of the processor, which others use, too."""

    def handler(*_):
        raise Stop

    before = signal.signal(signal.SIGPROF, handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("work", [batch_of_states, batch_of_kernels, geodesic, transport, evaluate])
def test_ends_soon(work, stop_after):
    few = numpy.stack([Q, Q + 0.1])
    expected = DYNAMICS.mass_matrix(few)
    start = time.process_time()
    work(COUNT // 10)
    tenth = time.process_time() - start
    stop_after(3 * tenth)
    start = time.process_time()
    with pytest.raises(Stop):
        work(COUNT)
    assert time.process_time() - start < 7 * tenth
    assert (DYNAMICS.mass_matrix(few) == expected).all()


def test_advice_ends_soon(stop_after):
    start = time.process_time()
    expected = civita.advise("chain20").verdict
    whole = time.process_time() - start
    stop_after(0.2 * whole)
    start = time.process_time()
    with pytest.raises(Stop):
        civita.advise("chain20")
    assert time.process_time() - start < 0.6 * whole
    assert civita.advise("chain20").verdict == expected
