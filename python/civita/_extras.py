"""Packages that civita's extras bring, asked for before there is work that would be lost."""

from __future__ import annotations

import importlib

_EXTRAS = {"pandas": "tables", "matplotlib": "plots"}


def need(package: str, what: str, extra: str = "") -> None:
    """Raises ModuleNotFoundError, in one sentence, where the package is missing that `what` needs."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise missing(error, what, extra or _EXTRAS[package]) from None


def missing(error: ModuleNotFoundError, what: str, extra: str) -> ModuleNotFoundError:
    """The same error in that sentence."""
    package = (error.name or "").partition(".")[0]
    return ModuleNotFoundError(
        f"{what} needs the package {package}: pip install 'civita[{extra}]'", name=error.name
    )
