"""inspect.signature, and what editors and notebooks show, of functions in C++, whose own is a text."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import Any

from civita import _civita


@functools.cache
def parse(text: str) -> inspect.Signature:
    """The signature of the text "def f(…) -> …"."""
    # Those of properties have no name.
    function = ast.parse(text.replace("def (", "def f(", 1) + ": ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    given = function.args

    def parameter(argument: ast.arg, kind: Any, default: ast.expr | None = None) -> inspect.Parameter:
        annotation = (
            inspect.Parameter.empty if argument.annotation is None else ast.unparse(argument.annotation)
        )
        value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
        return inspect.Parameter(argument.arg, kind, default=value, annotation=annotation)

    names = given.posonlyargs + given.args
    missing = [None] * (len(names) - len(given.defaults))
    positional = [inspect.Parameter.POSITIONAL_ONLY] * len(given.posonlyargs)
    kinds = [*positional, *[inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(given.args)]
    parameters = list(map(parameter, names, kinds, [*missing, *given.defaults]))
    if given.vararg is not None:
        parameters.append(parameter(given.vararg, inspect.Parameter.VAR_POSITIONAL))
    for name, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parameters.append(parameter(name, inspect.Parameter.KEYWORD_ONLY, default))
    if given.kwarg is not None:
        parameters.append(parameter(given.kwarg, inspect.Parameter.VAR_KEYWORD))
    returns = inspect.Signature.empty if function.returns is None else ast.unparse(function.returns)
    return inspect.Signature(parameters, return_annotation=returns)


def signature(function: Any, bound: bool = False) -> inspect.Signature:
    """That of a function, of several the one with the most arguments; without self if it is bound."""
    all_of_them = []
    for text, _, defaults in function.__nb_signature__:
        for k, value in enumerate(defaults or ()):
            text = text.replace(f"\\{k}", repr(value))
        all_of_them.append(parse(text))
    longest = max(all_of_them, key=lambda each: len(each.parameters))
    return longest.replace(parameters=list(longest.parameters.values())[1:]) if bound else longest


def add() -> None:
    """Adds them to the types of functions and methods, which nothing else can be added to, and to classes."""
    method = _civita.ModelBuilder.build
    for kind, bound in (
        (type(_civita.evaluate), False),
        (type(method), False),
        (type(_civita.ModelBuilder().build), True),
    ):
        of_kind = property(functools.partial(signature, bound=bound))
        _civita.set_attribute_of_type(kind, "__signature__", of_kind)
    for each in vars(_civita).values():
        init = vars(each).get("__init__") if isinstance(each, type) else None
        if hasattr(init, "__nb_signature__"):
            each.__signature__ = signature(init, bound=True)
