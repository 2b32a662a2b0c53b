"""Bad input gives an exception that says what is wrong, and never ends the interpreter."""

import gc
import os
import pathlib
import re
import subprocess
import sys

import hypothesis
import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import strategies as st

import civita

MODEL = civita.Model.from_file("ball_arm")
DYNAMICS = civita.Dynamics(MODEL, threads=2)
Q = MODEL.default_position
V = np.zeros(MODEL.nv)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: DYNAMICS.mass_matrix(Q[:-1]), ValueError, r"q: its shape is \(\d+,\), not"),
        (lambda: DYNAMICS.mass_matrix(Q * np.nan), ValueError, "q: not all .* finite"),
        (lambda: DYNAMICS.mass_matrix(Q + 0j), TypeError, "q: not an array of real numbers"),
        (lambda: DYNAMICS.mass_matrix(Q > 0), TypeError, "q: not an array of real numbers"),
        (lambda: DYNAMICS.mass_matrix("text"), TypeError, "q: not an array"),
        (lambda: DYNAMICS.mass_matrix([[1], [1, 2]]), TypeError, "q: not an array"),
        (lambda: DYNAMICS.mass_matrix(object()), TypeError, "q: not an array"),
        (lambda: DYNAMICS.mass_matrix(3.0), ValueError, r"q: its shape is \(\)"),
        (lambda: DYNAMICS.mass_matrix(None), TypeError, "mass_matrix"),
        (lambda: DYNAMICS.mass_matrix(q=Q, w=Q), TypeError, "mass_matrix"),
        (lambda: DYNAMICS.rnea([Q, Q], V, [V, V, V]), ValueError, "q and vdot: either one is a vector"),
        (lambda: DYNAMICS.jacobian(Q, "hnad"), KeyError, "unknown body or frame 'hnad'"),
        (lambda: DYNAMICS.jacobian(Q, "hand", [1, 2]), ValueError, "point"),
        (lambda: DYNAMICS.coriolis_matrix(Q, V, out=np.zeros((9, 9))), ValueError, "tuple of 2"),
        (lambda: DYNAMICS.gravity(Q, out=np.zeros(9, "f4")), ValueError, r"shape \(9,\)"),
        (lambda: DYNAMICS.gravity(Q, out=np.zeros(18)[::2]), ValueError, "C-contiguous"),
        (lambda: civita.Model.from_file("arm77"), ValueError, "did you mean 'arm7'"),
        (lambda: civita.Model.from_file("arm7", base="fre"), ValueError, "did you mean 'free'"),
        (lambda: civita.Model.from_file("none.urdf"), ValueError, "none.urdf"),
        (lambda: civita.Model.from_mujoco(3), TypeError, "MjModel"),
        (lambda: civita.Model(), TypeError, "Model"),
        (lambda: civita.Dynamics(MODEL, "t:x"), ValueError, "t must be a number"),
        (lambda: civita.Dynamics(MODEL, "body:hnad:ang:1"), ValueError, "unknown body or frame 'hnad'"),
        (lambda: civita.Dynamics(MODEL, 3), TypeError, "factorization"),
        (lambda: civita.Dynamics(MODEL, threads=0), ValueError, "threads"),
        (lambda: civita.Dynamics(MODEL, instruction_set="avx3"), ValueError, "avx2"),
        (lambda: civita.Factorization(5), TypeError, "takes a text"),
        (lambda: civita.Factorization("", ((1, 2),)), TypeError, "takes a text"),
        (lambda: civita.Factorization.inject("hand", "angul"), ValueError, "angular, linear"),
        (
            lambda: civita.Dynamics(MODEL, civita.Factorization.joint(1.0, np.zeros((3, 2)))),
            ValueError,
            "S: its shape",
        ),
        (
            lambda: civita.Dynamics(MODEL, civita.Factorization.three_form(np.ones((9, 9, 9)))),
            ValueError,
            "antisymmetric",
        ),
        (lambda: civita.evaluate(MODEL, "h"), KeyError, "did you mean 'H'"),
        (lambda: civita.evaluate(MODEL, "J:x"), KeyError, "unknown body or frame 'x'"),
        (lambda: civita.evaluate(MODEL, "vdot"), ValueError, "vdot needs the argument tau"),
        (lambda: civita.evaluate(MODEL, "H", Q, V[:3]), ValueError, "v: its shape"),
        (lambda: civita.evaluate(MODEL, "H", coordinates="x"), ValueError, "coordinates"),
        (lambda: civita.evaluate(MODEL, "H", wrenches=[{"bdy": "x"}]), KeyError, "'body'"),
        (lambda: civita.evaluate(MODEL, "H", wrenches=[{"body": "x"}]), KeyError, "body or frame 'x'"),
        (lambda: DYNAMICS.geodesic(Q, V, -1), ValueError, "duration"),
        (lambda: MODEL.with_scaled_inertia(0), ValueError, "factor"),
        (lambda: civita.evaluate(MODEL, "H", wrenches=[3]), TypeError, "wrenches: a dict each, not 3"),
        (lambda: civita.evaluate(MODEL, "H", wrenches=[{"body": 3}]), TypeError, "a type that is not taken"),
        (lambda: civita.evaluate(MODEL, "H", wrenches=[{3: 3}]), TypeError, "a type that is not taken"),
        (lambda: civita.evaluate(MODEL, 3), TypeError, "quantities: a name, or several, not 3"),
        (lambda: civita.evaluate(MODEL, ["H", 3]), TypeError, "quantities: a name, or several, not 3"),
        (lambda: MODEL.integrate_position(Q, V, np.nan), ValueError, "dt: not finite"),
        (lambda: MODEL.integrate_position(Q, V, -np.inf), ValueError, "dt: not finite"),
        (lambda: DYNAMICS.gravity(np.ma.array(Q, mask=[1] + [0] * (len(Q) - 1))), TypeError, "q: a masked"),
        (lambda: DYNAMICS.geodesic([Q, Q], V, 1), ValueError, r"q: its shape is \(2, \d+\), not \(\d+,\)$"),
        (lambda: civita.Model.from_file("arm7\0.xml"), ValueError, "null byte"),
        (lambda: civita.run("arm7\0.yaml", 0.1), ValueError, "null byte"),
        (lambda: civita.run("arm7", "1"), TypeError, "duration: a number of seconds, not '1'"),
        (lambda: civita.run("arm7", 0.1, seed=2**64), ValueError, "seed: not a whole number from 0"),
        (lambda: civita.run("arm7", 0.1, seed=1.5), TypeError, "seed: a whole number, not 1.5"),
        (lambda: civita.run("arm7", 0.1, set=["gains.Lambda=8"]), TypeError, "set: a mapping of keys"),
        (lambda: civita.run("arm7", 0.1, signals=[3]), TypeError, "signals: names, not 3"),
        (lambda: civita.compare("arm7", {"Lambda": [5, 8]}, duration="1"), TypeError, "duration: a number"),
    ],
)
def test_says_what_is_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_out_is_taken_by_keyword_alone():
    """As one vector too many, as of external forces, it would be overwritten."""
    every = [
        (owner, name)
        for owner in (DYNAMICS, MODEL)
        for name in dir(owner)
        if "out: " in (getattr(owner, name).__doc__ or "").partition("->")[0]
    ]
    assert len(every) > 25
    state = {"q": Q, "q_d": Q, "frame": "hand", "frames": ["hand"], "dt": 0.1, "point": np.zeros(3)}
    state |= {
        "friction_speed": 0.1,
        "full_speeds": np.zeros(MODEL.nv),
        "q_0": Q,
        "q_1": Q,
        "u": 0.5,
        "base": "hand",
        "reference": "local",
        "pi": np.ones(10),
        "forces": {},
    }
    for owner, name in every:
        method = getattr(owner, name)
        words = method.__doc__.partition("(")[2].partition(", *, out")[0].split(", ")[1:]
        given = [state.get(word.partition(":")[0], V) for word in words]
        method(*given)
        more = np.full(MODEL.nv, 0.25)
        with pytest.raises(TypeError, match=f"^{name}: .*by position.* out=") as error:
            method(*given, more)
        assert "Invoked" not in str(error.value)
        assert (more == 0.25).all()


def test_numbers_of_other_precision_and_arrays_without_mask_are_read():
    expected = DYNAMICS.gravity(Q)
    np.testing.assert_array_equal(DYNAMICS.gravity(Q.astype(np.longdouble)), expected)
    np.testing.assert_array_equal(DYNAMICS.gravity(np.ma.array(Q)), expected)
    np.testing.assert_array_equal(DYNAMICS.gravity(np.ma.array(Q, mask=False)), expected)
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="finite"):
        DYNAMICS.gravity(np.full(Q.shape, np.finfo(np.longdouble).max))


def test_names_may_come_in_any_container():
    assert civita.evaluate(MODEL, {"H"}).keys() == {"H"}
    assert civita.evaluate(MODEL, (name for name in ["g", "H"])).keys() == {"g", "H"}
    assert list(civita.run("planar_2r", 0.05, signals="/e").signals) == ["/e"]


def test_the_default_position_is_the_callers_own():
    q = MODEL.default_position
    q[0] = 0.3
    assert MODEL.default_position[0] != 0.3


def test_threads_are_a_few_for_each_core():
    many = civita.Dynamics(MODEL, threads=10**6)
    assert 1 <= many.threads <= 4 * os.cpu_count()
    batch = np.tile(Q, (1000, 1))
    np.testing.assert_array_equal(many.mass_matrix(batch), DYNAMICS.mass_matrix(batch))


def test_a_run_is_no_list():
    run = civita.run("planar_2r", 0.05)
    with pytest.raises(TypeError, match="the name of a signal, not 0"):
        run[0]
    with pytest.raises(TypeError, match="not iterable"):
        list(run)


def test_builder_says_what_is_wrong():
    b = civita.ModelBuilder()
    with pytest.raises(ValueError):
        b.build()
    body = b.add_body("body", mass=1.0)
    with pytest.raises(ValueError, match="did you mean 'hinge'"):
        b.add_joint(body, "hing")
    with pytest.raises(KeyError, match="did you mean 'damping'"):
        b.add_joint(body, "hinge", "a", dampng=1)
    with pytest.raises(ValueError, match="axis: its shape"):
        b.add_joint(body, "hinge", "a", axis=[1, 0])
    with pytest.raises(TypeError, match="damping: not a number"):
        b.add_joint(body, "hinge", "a", damping="much")
    with pytest.raises(ValueError):
        b.add_body("other", 7)
    with pytest.raises(ValueError):
        b.add_joint(5, "hinge")
    with pytest.raises(ValueError):
        b.add_body("body", mass=-1.0)
    with pytest.raises(ValueError, match="damping_poly: its shape"):
        b.add_joint(body, "hinge", "a", damping_poly=[1, 2, 3])
    b.add_joint(body, "hinge", "a", axis=[0, 1, 0], damping=0.1)
    assert b.build().damping.tolist() == [0.1]
    with pytest.raises(ValueError, match="tendon 'cord': number 1 of q"):
        b.add_tendon({0: 1.0, 1: 2.0}, "cord")
    with pytest.raises(KeyError, match="did you mean 'stiffness'"):
        b.add_tendon({0: 1.0}, stifness=1)


@pytest.mark.parametrize(
    "q",
    [
        Q.tolist(),
        tuple(Q),
        Q.astype("f4"),
        np.asfortranarray(np.stack([Q, Q]))[0],
        np.repeat(Q, 2)[::2],
        Q.astype(">f8"),
        np.concatenate([[0], Q])[1:],
        np.frombuffer(b"\0" + Q.tobytes(), dtype="u1")[1:].view("f8"),  # not aligned
    ],
)
def test_other_arrays_are_converted(q):
    np.testing.assert_allclose(DYNAMICS.mass_matrix(q), DYNAMICS.mass_matrix(Q), rtol=1e-6)


def test_batches_of_other_arrays_are_converted():
    many = np.random.default_rng(1).normal(size=(MODEL.nq, 50))
    expected = DYNAMICS.mass_matrix(np.ascontiguousarray(many.T))
    np.testing.assert_array_equal(DYNAMICS.mass_matrix(many.T), expected)
    np.testing.assert_array_equal(DYNAMICS.mass_matrix(many.T[::-1]), expected[::-1])
    assert DYNAMICS.mass_matrix(np.empty((0, MODEL.nq))).shape == (0, MODEL.nv, MODEL.nv)


def test_read_only_arrays_are_read_and_not_written():
    q = Q.copy()
    q.flags.writeable = False
    DYNAMICS.mass_matrix(q)
    out = np.zeros((MODEL.nv, MODEL.nv))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        DYNAMICS.mass_matrix(q, out=out)


N = MODEL.nv


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda x: DYNAMICS.mass_matrix(
                x[: 2 * MODEL.nq].reshape(2, -1), out=x[5 : 5 + 2 * N * N].reshape(2, N, N)
            ),
            "out: .* q$",
        ),
        (lambda x: DYNAMICS.gravity(x[: MODEL.nq], out=x[3 : 3 + N]), "out: .* q$"),
        (lambda x: DYNAMICS.rnea(Q, x[:N], x[20 : 20 + N], out=x[:N]), "out: .* v$"),
        (lambda x: DYNAMICS.rnea(Q, x[:N], x[20 : 20 + N], out=x[19 : 19 + N]), "out: .* vdot$"),
        (lambda x: DYNAMICS.coriolis_product(Q, V, x[:N], out=x[:N]), "out: .* w$"),
        (
            lambda x: DYNAMICS.coriolis_matrix(
                Q, V, out=(x[: N * N].reshape(N, N), x[1 : 1 + N * N].reshape(N, N))
            ),
            r"out\[1\]: .* out\[0\]$",
        ),
        (lambda x: MODEL.integrate_position(x[: MODEL.nq], V, 0.1, out=x[: MODEL.nq]), "out: .* q$"),
    ],
)
def test_results_are_not_written_over_arguments(call, text):
    x = np.zeros(400)
    x[: MODEL.nq] = Q
    before = x.copy()
    with pytest.raises(ValueError, match="shares memory with") as error:
        call(x)
    assert re.search(text, str(error.value)), error.value
    assert (x == before).all()


def test_results_beside_arguments_are_written():
    x = np.zeros(400)
    x[: MODEL.nq] = Q
    H = DYNAMICS.mass_matrix(x[: MODEL.nq], out=x[MODEL.nq : MODEL.nq + N * N].reshape(N, N))
    np.testing.assert_array_equal(H, DYNAMICS.mass_matrix(Q))
    # A converted argument is a copy.
    every = np.zeros((2, MODEL.nq))
    every[:] = Q
    g = DYNAMICS.gravity(every.T.copy().T[0], out=np.zeros(N))
    np.testing.assert_array_equal(g, DYNAMICS.gravity(Q))


def test_objects_keep_what_they_need():
    def make():
        b = civita.ModelBuilder()
        body = b.add_body("body", mass=1.0, com=[0, 0, 1])
        b.add_joint(body, "hinge", "joint", axis=[0, 1, 0])
        return civita.Dynamics(b.build())

    dynamics = make()
    gc.collect()
    matrix = dynamics.mass_matrix([0.3])
    model = dynamics.model
    del dynamics
    gc.collect()
    assert matrix[0, 0] == pytest.approx(1)
    assert model.frames == ["body"]
    law = civita.Law("slotine_li", civita.Model.from_file("arm7"))
    q, v = np.zeros(7), np.zeros(7)
    law.step(0.0, q, v, (q, v, v))
    H = law.H
    del law
    gc.collect()
    assert (np.linalg.eigvalsh(H) > 0).all()
    run = civita.run("planar_2r", 0.05)
    e, t = run["/e"], run.t
    del run
    gc.collect()
    assert np.isfinite(e).all() and len(e) == len(t)


NUMBERS = st.floats(width=64) | st.integers(-(2**70), 2**70)
ANYTHING = (
    st.none()
    | st.booleans()
    | NUMBERS
    | st.text(max_size=5)
    | st.binary(max_size=9)
    | st.lists(NUMBERS, max_size=12)
    | arrays.arrays(
        dtype=st.sampled_from(["f8", "f4", "i4", "c16", "?", ">f8", "U3", "O", "M8[s]"]),
        shape=arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=10),
    )
)


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
def test_every_number_is_looked_at(bad):
    states = np.tile(Q, (3, 1))
    for place in np.ndindex(states.shape):
        with_bad = states.copy()
        with_bad[place] = bad
        with pytest.raises(ValueError, match="q: not all of its numbers are finite"):
            DYNAMICS.mass_matrix(with_bad)
    largest = np.full((3, MODEL.nv), np.finfo(float).max)
    assert DYNAMICS.mass_matrix(states).shape == (3, MODEL.nv, MODEL.nv)
    DYNAMICS.rnea(states, largest, largest)  # finite, whatever comes of it


FINITE = st.just(Q) | st.just(V) | arrays.arrays("f8", st.sampled_from([Q.shape, V.shape, (3, *V.shape)]))
METHODS = [name for name in dir(DYNAMICS) if not name.startswith("_")]


@hypothesis.settings(max_examples=300, deadline=None, database=None)
@hypothesis.given(
    name=st.sampled_from(METHODS),
    args=st.lists(ANYTHING | FINITE, max_size=5),
    out=st.none() | ANYTHING,
)
def test_nothing_ends_the_interpreter(name, args, out):
    method = getattr(DYNAMICS, name)
    if not callable(method) or name in ("geodesic", "transport"):  # of any number of steps
        return
    try:
        method(*args, **({} if out is None else {"out": out}))
    except (TypeError, ValueError, KeyError):
        pass


@hypothesis.settings(max_examples=100, deadline=None, database=None)
@hypothesis.given(text=st.text(max_size=20), args=st.lists(ANYTHING, max_size=3))
def test_texts_are_refused_or_understood(text, args):
    for call in (
        lambda: civita.Dynamics(MODEL, text),
        lambda: civita.evaluate(MODEL, text, *args),
        lambda: DYNAMICS.jacobian(Q, text),
        lambda: civita.evaluate(MODEL, "H", coordinates=text),
    ):
        try:
            call()
        except (TypeError, ValueError, KeyError):
            pass


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"model: m.xml\nseed\xc0: 1\n", "2:5"),
        (b"model: m.xml\ntitle: \xc3\xa9\xe9\n", "2:9"),
        (b"base: \xff\n", "1:7"),
    ],
)
def test_config_that_is_no_text(text, place, tmp_path):
    file = tmp_path / "c.yaml"
    file.write_bytes(text)
    with pytest.raises(ValueError, match=f"{file}:{place}: is no UTF-8 text: byte 0x[0-9A-F]+$"):
        civita.run(str(file), 0.01)


def test_model_that_is_no_text(tmp_path):
    file = tmp_path / "m.xml"
    file.write_bytes(b"<mujoco>\n<!-- \xb5 --></mujoco>")
    with pytest.raises(ValueError, match=f"{file}:2:6: is no UTF-8 text: byte 0xB5$"):
        civita.Model.from_file(str(file))


def test_folder_whose_name_is_no_text(tmp_path):
    folder = pathlib.Path(os.fsdecode(os.fsencode(tmp_path) + b"/run\xe9"))
    with pytest.raises(ValueError, match=r"run\\xe9: is no run folder"):
        civita.load_run(folder)


@pytest.mark.parametrize("verb", ["run", "sweep", "eval"])
def test_arguments_that_are_no_text(verb):
    if verb == "sweep":
        pytest.importorskip("dask")
    words = [sys.executable, "-m", "civita", verb, b"caf\xe9"]
    done = subprocess.run(words, capture_output=True)
    assert done.returncode == 2
    assert done.stderr == b"civita: argument 2, 'caf\\xe9', column 4: is no UTF-8 text\n"
