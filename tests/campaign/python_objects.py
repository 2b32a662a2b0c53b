"""python_objects.py LIMIT SEED: objects of the Python package that are used by two threads at once, with
arguments that are one another's memory, with arrays of another model, and after they were written and read,
up to the limit. Prints the number of cases, and the bad ones, each after `bad: `."""

import copy
import pathlib
import pickle
import random
import sys
import threading
import warnings

import limit
import numpy as np

import civita

# Names of arguments: w and a are as v; F is a frame's name.
METHODS = {
    "mass_matrix": "q", "mass_matrix_inverse": "q", "mass_matrix_derivative": "qv", "coriolis_matrix": "qv", "coriolis_product": "qvw",
    "coriolis_transpose_product": "qvw", "gravity": "q", "bias_forces": "qv", "rnea": "qvw", "passivity_rnea": "qvwa",
    "forward_dynamics": "qvw", "christoffel_symbols": "q", "packed_christoffel_symbols": "q", "connection": "q",
    "center_of_mass": "q", "center_of_mass_jacobian": "q", "centroidal_momentum": "qv", "centroidal_momentum_matrix": "q",
    "rnea_derivatives": "qvw", "forward_dynamics_derivatives": "qvw", "regressor": "qvwa", "frame_pose": "qF",
    "frame_velocity": "qvF", "frame_bias_acceleration": "qvF", "jacobian": "qF", "jacobian_derivative": "qvF",
    "coriolis_product_derivatives": "qvw", "passivity_rnea_derivatives": "qvwa", "passive_force_derivatives": "qv",
    "forward_dynamics_parameter_derivatives": "qvw", "frame_velocity_derivatives": "qvF",
    "frame_acceleration_derivatives": "qvwF", "frame_classical_acceleration_derivatives": "qvwF",
    "centroidal_momentum_derivatives": "qv", "centroidal_momentum_rate_derivatives": "qvw",
    "covariant_derivative": "qvwa", "passive_forces": "qv", "kinetic_energy": "qv", "potential_energy": "q",
}  # fmt: skip
WITHOUT_OUT = ("passive_forces", "kinetic_energy", "potential_energy")
OF_ONE_STATE = ("covariant_derivative", "passive_forces")
COPIES = {"the same": lambda x: x, "copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}


def random_model(rng, numbers):
    """A tree of random bodies and joints; the first joint may be free."""
    builder, count = civita.ModelBuilder(), rng.randint(1, 8)
    for k in range(count):
        inertia = np.diag(numbers.uniform(0.02, 0.03, 3))
        place = numbers.uniform(-0.4, 0.4, 3)
        mass, com = float(numbers.uniform(0.2, 2)), numbers.uniform(-0.1, 0.1, 3)
        builder.add_body(f"b{k}", rng.randint(-1, k - 1), place, None, mass, com, inertia)
        kind = rng.choice(["hinge", "hinge", "slide", "ball", "free" if k == 0 else "hinge"])
        axis = {"axis": numbers.normal(size=3)} if kind in ("hinge", "slide") else {}
        damping = {} if kind == "free" else {"damping": float(numbers.uniform(0, 1))}
        builder.add_joint(k, kind, f"j{k}", **damping, **axis)
    return builder.build()


def random_factorization(rng, numbers, model):
    parts = [
        lambda: civita.Factorization.christoffel(),
        lambda: civita.Factorization.torsion(numbers.normal()),
        lambda: civita.Factorization.inject(rng.choice(model.bodies), rng.choice(["angular", "linear"]), numbers.normal()),
        lambda: civita.Factorization.joint(numbers.normal(), numbers.normal(size=(3, model.nv))),
        lambda: civita.Factorization.alpha(numbers.normal()),
    ]
    chosen = rng.sample(parts[1:], rng.randint(0, 2)) or [parts[0]]
    total = chosen[0]()
    for part in chosen[1:]:
        total = total + part()
    return total


class Case:
    """A random model, factorization and state or states."""

    def __init__(self, rng):
        self.rng, self.numbers = rng, np.random.default_rng(rng.randrange(2**32))
        self.model = random_model(rng, self.numbers)
        self.dynamics = civita.Dynamics(self.model, random_factorization(rng, self.numbers, self.model), threads=rng.choice([1, 2]))
        self.values = self.random_values(rng.choice([None, 1, 17]))

    def random_values(self, count):
        shape = (self.model.nv,) if count is None else (count, self.model.nv)
        q = np.broadcast_to(self.model.default_position, shape[:-1] + (self.model.nq,))
        values = {name: self.numbers.normal(size=shape) for name in "vwa"}
        frame = self.rng.choice(self.model.frames)
        self.methods = [name for name in METHODS if count is None or name not in OF_ONE_STATE]
        return values | {"q": self.model.integrate_position(q, self.numbers.normal(size=shape)), "F": frame}

    def call(self, name, dynamics=None, **more):
        method = getattr(dynamics or self.dynamics, name)
        return method(*(self.values[each] for each in METHODS[name]), **more)


def arrays(result):
    return result if isinstance(result, tuple) else (result,)


def same(one, two):
    """Bit for bit."""
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in zip(arrays(one), arrays(two), strict=True))


def two_threads(case):
    """Two threads, each with a copy of the Dynamics or both with one, get what one gets alone."""
    how = case.rng.choice(list(COPIES))
    names = case.rng.sample(case.methods, 6)
    expected = {name: case.call(name) for name in names}
    faults = []

    def work(dynamics, order):
        for _ in range(5):
            for name in order:
                if not same(case.call(name, dynamics), expected[name]):
                    faults.append(f"{name} of two threads, {how}, differs")

    threads = [threading.Thread(target=work, args=(COPIES[how](case.dynamics), order)) for order in (names, names[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults[0] if faults else None


def aliased(case):
    """An output that is an argument, or overlaps it, gives the numbers of one that is not, or is refused; an
    argument that is no output stays."""
    name = case.rng.choice([name for name in case.methods if name not in WITHOUT_OUT])
    expected = case.call(name)
    memory = {each: case.values[each] for each in METHODS[name] if each != "F"}
    results = arrays(expected)
    fitting = [each for each in memory if any(memory[each].shape == x.shape for x in results)]
    if case.rng.random() < 0.5 and len(METHODS[name].replace("q", "").replace("F", "")) > 1:
        case.values |= dict.fromkeys(case.rng.sample("vwa", 2), case.values["v"])  # arguments that are one array
        expected, results = case.call(name), arrays(case.call(name))
    before = {each: case.values[each].copy() for each in memory}
    if not fitting:
        case.call(name)
        return changed(case, before, ())
    chosen = case.rng.choice(fitting)
    target = overlap(case, chosen) if case.rng.random() < 0.4 else case.values[chosen]
    out = tuple(target if x.shape == target.shape else np.empty_like(x) for x in results)
    try:
        found = case.call(name, out=out if isinstance(expected, tuple) else out[0])
    except ValueError as refused:
        return changed(case, before, ()) or (None if "out" in str(refused) else f"{name} with out={chosen}: refused by {refused}")
    written = [each for each in before if case.values[each] is case.values[chosen]]
    fault = changed(case, before, written)
    return fault or (None if same(found, expected) else f"{name} with out={chosen}: other numbers")


def overlap(case, name):
    """An array that begins within that of the argument."""
    values, shift = case.values[name], case.rng.randint(1, 3)
    buffer = np.zeros(values.size + shift)
    shared = buffer[: values.size].reshape(values.shape)
    shared[...] = values
    case.values[name] = shared
    return buffer[shift:].reshape(values.shape)


def changed(case, before, written):
    for each, values in before.items():
        if each not in written and not np.array_equal(case.values[each], values):
            return f"the argument {each} is changed"
    return None


def other_models(case):
    """Copies and pickles of the model are as good as the model; a factorization or frame that the model does not
    have is refused with its name, and so is an array of a model of another size."""
    other = random_model(case.rng, case.numbers)
    kind = case.rng.randrange(3)
    if kind == 0:
        missing = f"b{case.rng.randint(20, 99)}"
        words, do = missing, lambda: civita.Dynamics(case.model, civita.Factorization.inject(missing))
    elif kind == 1:
        missing = f"frame{case.rng.randint(20, 99)}"
        words, do = missing, lambda: case.dynamics.jacobian(case.model.default_position, missing)
    else:
        if other.nq == case.model.nq:
            return None
        words, do = "q", lambda: case.dynamics.mass_matrix(other.default_position)
    try:
        do()
    except (ValueError, KeyError) as refused:
        return None if words in str(refused) else f"does not name {words}: {refused}"
    return f"what another model has is accepted: {words}"


def texts(case):
    """What is written and read again is the same: factorizations by text, models and Dynamics by pickle, configs
    by their text."""
    again = COPIES[case.rng.choice(["copy", "deepcopy", "pickle"])]
    model = again(case.model)
    if repr(model) != repr(case.model) or model.describe() != case.model.describe():
        return "a model that was pickled is described in other words"
    name = case.rng.choice(case.methods)
    expected = case.call(name)
    if not same(case.call(name, again(case.dynamics)), expected):
        return f"{name} of Dynamics that were pickled differs"
    factorization = random_factorization(case.rng, case.numbers, case.model)
    dynamics = civita.Dynamics(model, factorization)
    if not same(case.call("coriolis_matrix", civita.Dynamics(model, again(factorization))), case.call("coriolis_matrix", dynamics)):
        return f"a factorization that was pickled is another one: {factorization!r}"
    if not factorization.arrays:
        for text in (str(factorization), dynamics.factorization):
            read = civita.Dynamics(model, text)
            if read.factorization != dynamics.factorization or not same(case.call("coriolis_matrix", read), case.call("coriolis_matrix", dynamics)):
                return f"the factorization {text!r} is read as {read.factorization!r}"
    return config_text(case) if case.rng.random() < 0.05 else None


def config_text(case):
    """The config that a run says, read again, is the run's, and so are a run's files."""
    number = float(case.numbers.uniform(1, 20))
    scene, law = case.rng.choice(["planar_2r", "arm7", "ball_arm"]), case.rng.choice(["christoffel", "t:" + repr(number)])
    run = civita.run(scene, 0.02, set={"gains.Lambda": number, "controller.factorization": law}, seed=case.rng.randrange(2**31), progress=False)
    pathlib.Path("config.yaml").write_text(run.config)
    read = civita.run("config.yaml", 0.02, progress=False)
    if read.config != run.config or not same(read["/q"], run["/q"]):
        return f"the config of a run is read as another one: {run.config!r}"
    pickled = pickle.loads(pickle.dumps(run))
    return None if same(pickled["/tau"], run["/tau"]) and pickled.config == run.config else "a run that was pickled differs"


KINDS = (two_threads, aliased, aliased, other_models, texts)


def main():
    allowed, seed = limit.Limit(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    cases = 0
    while allowed.allows(cases):
        kind, rng = KINDS[cases % len(KINDS)], random.Random(f"{seed} {cases}")
        pathlib.Path("last_call").write_text(f"case {cases} of seed {seed}")
        try:
            fault = kind(Case(rng))
        except Exception as error:
            fault = f"{kind.__name__}: {type(error).__name__}: {error}"
        cases += 1
        if fault:
            print(f"bad: case {cases - 1} of seed {seed}: {fault}".replace("\n", " "), flush=True)
    print(f"{cases} objects")


if __name__ == "__main__":
    main()
