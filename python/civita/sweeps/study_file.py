"""Study files: YAML with the place of each key, for errors that name it."""

from __future__ import annotations

import pathlib
import re
from typing import Any, NoReturn

import yaml

Path = tuple[str | int, ...]
_MOST_VALUES = 100_000


class StudyError(ValueError):
    """What is wrong with a study, in one line that begins with the place."""


class Places:
    """Where the keys of a study are, by their path in it."""

    def __init__(self, name: str):
        self.name = name
        self.of: dict[Path, str] = {}

    def refuse(self, path: Path, text: str) -> NoReturn:
        """@raises StudyError with the place of the path, or of the nearest map around it."""
        key = ".".join(map(str, path))
        place = self.name
        for length in range(len(path), -1, -1):
            if path[:length] in self.of:
                place = f"{self.name}:{self.of[path[:length]]}"
                break
        raise StudyError(f"{place}: {key}: {text}" if key else f"{place}: {text}")


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Scalars as in YAML 1.2, and as in the program's configs: 1e3 is a number, `on` is a word."""


_Loader.yaml_implicit_resolvers = {}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^(?:null|~|)$"), ["n", "~", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


def read_study_file(file: str | pathlib.Path) -> tuple[Any, Places]:
    """The content of a study file and the places of its keys. Raises StudyError."""
    places = Places(str(file))
    try:
        content = pathlib.Path(file).read_bytes()
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        places.of[()] = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
        places.refuse((), f"is no UTF-8 text: byte 0x{content[error.start]:02X}")
    except OSError as error:
        raise StudyError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        return (None if node is None else _read(node, (), loader, places)), places
    except RecursionError:  # an alias within its own anchor, too
        places.refuse((), "nested too deeply")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        places.of[()] = _place(mark) if mark else "1:1"
        places.refuse((), f"malformed YAML: {error.problem or error.context}")
    except yaml.YAMLError as error:
        places.refuse((), "malformed YAML: " + str(error).splitlines()[0])


def _place(mark: Any) -> str:
    return f"{mark.line + 1}:{mark.column + 1}"


def _read(node: yaml.Node, path: Path, loader: _Loader, places: Places) -> Any:
    places.of.setdefault(path, _place(node.start_mark))
    if len(places.of) > _MOST_VALUES:  # aliases of aliases make them from a few lines
        places.refuse(path, f"more than {_MOST_VALUES} values")
    if isinstance(node, yaml.SequenceNode):
        return [_read(each, (*path, i), loader, places) for i, each in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        try:
            return loader.construct_object(node)
        except ValueError:  # Python's limit of 4300 digits
            places.refuse(path, f"a number of {len(node.value)} digits")
    content = {}
    for key_node, value in node.value:
        key = str(getattr(key_node, "value", key_node))
        if key in content:
            places.of[(*path, key)] = _place(key_node.start_mark)
            places.refuse((*path, key), "given twice")
        places.of[(*path, key)] = _place(key_node.start_mark)
        content[key] = _read(value, (*path, key), loader, places)
    return content
