"""python_calls.py LIMIT SEED: calls of the Python package's classes with arguments that are right, nearly right
and wrong, up to the limit. Each must answer, or raise the exception of a wrong argument. Prints the number
of calls, and the bad ones, each after `bad: `. The file last_call holds the one that ends the process."""

import inspect
import pathlib
import random
import resource
import sys
import warnings

import limit
import numpy as np
import outcome

import civita

MODELS = ["arm7", "ball_arm", "planar_2r", "four_bar", "quadruped"]
REFUSALS = (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError)
CALLS_OF_A_MODEL = 300
MOST_MEMORY = 8 << 30  # bytes of address space
THINGS = [
    None, 0, 1, -1, 2**31, 2**63, -(2**70), 0.5, float("nan"), True, "", "a" * 10000, "\0", b"x", [], {}, (1, 2),
    "christoffel", "t:1", object(), np, civita.Model,
]  # fmt: skip


def array(rng, model):
    """Of a shape that a method may take, for one state or several; sometimes damaged."""
    n = rng.choice([model.nv, model.nv, model.nq, model.nq, 6, 3, rng.randint(0, 40)])
    shape = rng.choice([(n,), (n,), (n,), (5, n), (0, n), (n, n), (n, n, n), (3, n, n), (6, n), ()])
    values = np.random.default_rng(rng.randrange(2**32)).normal(size=shape)
    if n == model.nq and shape[-1:] == (n,) and rng.random() < 0.8:
        values = np.broadcast_to(model.default_position, shape).copy()
    damage = {
        0: lambda: np.where(np.arange(values.size).reshape(shape) == 0, rng.choice([np.nan, np.inf, 1e308, 1e-320]), values),
        1: lambda: values.astype(np.float32),
        2: lambda: values.astype(np.int64),
        3: lambda: np.asfortranarray(values),
        4: lambda: values.T[::2] if shape else values,
        5: values.tolist,
        6: lambda: values.astype(object),
        7: lambda: values.astype(complex),
        8: lambda: values * 1e200,
    }
    return damage.get(rng.randrange(14), lambda: values)()


def argument(rng, model, made):
    if rng.random() < 0.65:
        return array(rng, model)
    return rng.choice([*THINGS, *list(model.frames)[:3], *list(model.bodies)[:3], *made[-3:]])


def call(rng, model, made):
    """A call of something made so far, as text and as a function."""
    thing = rng.choice(made)
    names = [name for name in dir(thing) if not name.startswith("_")]
    if inspect.isclass(thing):
        names.append("")
    name = rng.choice(names)
    arguments = [argument(rng, model, made) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]))]

    def do():
        value = getattr(thing, name) if name else thing
        return value(*arguments) if callable(value) and not (name and inspect.isclass(value)) else value

    return f"{thing!r:.100}.{name} of {[f'{each!r:.300}' for each in arguments]}", do


def main():
    allowed, rng = limit.Limit(sys.argv[1]), random.Random(int(sys.argv[2]))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    warnings.simplefilter("ignore")
    np.set_printoptions(threshold=20)
    calls = 0
    while allowed.allows(calls):
        model = civita.Model.from_file(rng.choice(MODELS))
        classes = [civita.Model, civita.Dynamics, civita.Factorization, civita.ModelBuilder]
        made = [model, civita.Dynamics(model), civita.ModelBuilder(), *classes]
        for _ in range(CALLS_OF_A_MODEL):
            text, do = call(rng, model, made)
            pathlib.Path("last_call").write_text(text)
            value, fault = outcome.answer_of(do, REFUSALS)
            if type(value).__module__.startswith("civita"):  # something more to call
                made.append(value)
            calls += 1
            if fault:
                print(f"bad: {fault}: {text}".replace("\n", " "), flush=True)
    print(f"{calls} calls")


if __name__ == "__main__":
    main()
