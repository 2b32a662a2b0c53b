"""Signatures of functions in C++, which are texts, for inspect, editors, notebooks and errors."""

from __future__ import annotations

import ast
import collections.abc
import functools
import inspect
import os
import re
import reprlib
import types
import typing
from typing import Any

import numpy

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


_WORDS = {"bool": "True or False", "float": "a number", "int": "a whole number", "str": "a text"}
_WORDS |= {"ArrayLike": "an array", "Array": "an array", "None": "None"}


def _words(annotation: str) -> str:
    """What an argument may be."""
    short = re.sub(r"\b(civita|collections|typing|os)\.([a-z_]+\.)*", "", annotation)
    nouns = [
        re.sub(r"^(?:Sequence|Iterable|list)\[(.*)\]$", r"list of \1", each) for each in short.split(" | ")
    ]
    return " or ".join(_WORDS.get(noun, f"a {noun}") for noun in nouns)


@functools.cache
def _kind(annotation: str) -> Any:
    """The type of a signature's annotation."""
    import civita

    names: dict[str, Any] = {"civita": civita, "collections": collections, "os": os, "typing": typing}
    names |= {"ArrayLike": numpy.ndarray, "Array": numpy.ndarray, "Wrenches": collections.abc.Mapping}
    return eval(annotation, vars(_civita) | names)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of this type; of what is an array, C++ tells more."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return any(_fits(value, part) for part in parts)
    if kind in (Any, object, numpy.ndarray):
        return value is not None or kind is not numpy.ndarray
    if kind in (float, int):
        return hasattr(value, "__index__") or (kind is float and hasattr(value, "__float__"))
    if origin not in (list, collections.abc.Sequence, collections.abc.Iterable):
        return isinstance(value, origin or kind)
    if isinstance(value, str) or not isinstance(value, collections.abc.Iterable):
        return False
    return not isinstance(value, collections.abc.Sequence) or all(_fits(each, parts[0]) for each in value)


def explain(function: Any, args: list[Any], kwargs: dict[str, Any]) -> str:
    """What is wrong with arguments that a function in C++ does not take."""
    of = signature(function)
    name = (function.__qualname__ or "property").removesuffix(".__init__").rpartition(".")[2]
    names = [each for each in of.parameters if each != "self"]
    try:
        given = of.bind(*args, **kwargs).arguments
    except TypeError as error:
        return f"{name}: {error}; its arguments are {', '.join(names) or 'none'}"
    for each, value in given.items():
        annotation = of.parameters[each].annotation
        if isinstance(annotation, str) and not _fits(value, _kind(annotation)):
            return f"{name}: {each}: {_words(annotation)}, not {' '.join(reprlib.repr(value).split())}"
    kinds = ", ".join(f"{each}: {type(given[each]).__name__}" for each in names if each in given)
    return f"{name}: an argument, or a part of one, has a type that is not taken ({kinds})"


def add() -> None:
    """Adds them to the types of functions and methods, which nothing else can be added to, and to classes;
    and has errors about arguments explained.
    """
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
        for member in vars(each).values() if isinstance(each, type) else (each,):
            function = member.fget if isinstance(member, property) else member
            if hasattr(function, "__nb_signature__"):
                _civita.explain_errors(function)
