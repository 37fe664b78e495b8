"""`google.protobuf.text_format` for programs of TensorFlow 1.x: it takes minitf's messages, too.

    from google.protobuf import text_format
    text_format.Merge(open("graph.pbtxt").read(), tf.GraphDef())

minitf's messages are none of protobuf's. Where protobuf is installed its module stays as it is, for
other messages; where it is not, this is all that there is of it.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from minitf.compat.testing.text_format import parse
from minitf.core.graph.graph_def import GraphDef
from minitf.core.graph.messages import Message
from minitf.library.formats.message_text import from_text, to_text
from minitf.library.saving.meta_messages import MetaGraphDef, SavedModel

_MODULE = "google.protobuf.text_format"
_PACKAGES = ("google", "google.protobuf")
_FILES = (GraphDef, MetaGraphDef, SavedModel)  # of which the schema of files knows the fields


class ParseError(ValueError):
    """A text that is no message."""


def _merge(text: str | bytes, message: Any) -> Any:
    text = text.decode() if isinstance(text, bytes) else text
    try:
        if isinstance(message, _FILES):
            data = from_text(text, type(message).__name__)
            if isinstance(message, GraphDef):
                message.MergeFromString(data)
            else:
                message.ParseFromString(data)
        else:
            _fill(message, parse(text))
    except ValueError as error:
        raise ParseError(str(error)) from None
    return message


def _fill(message: Message, fields: dict[str, list]) -> None:
    hints = typing.get_type_hints(type(message))
    for name, values in fields.items():
        if name not in hints:
            raise ParseError(
                f'Message type "{type(message).__name__}" has no field named "{name}".'
            )
        before, kind = getattr(message, name), hints[name]
        if typing.get_origin(kind) is list:
            of = typing.get_args(kind)[0]
            setattr(message, name, [*before, *(_value(of(), each) for each in values)])
        else:
            setattr(message, name, _value(before, values[-1]))


def _value(before: Any, value: Any) -> Any:
    if isinstance(before, Message):
        _fill(before, value)
        return before
    if isinstance(before, bool):
        return value in ("true", "True", 1.0)
    known = isinstance(before, (int, float)) and isinstance(value, float)
    return type(before)(value) if known else value


def _text(message: Any) -> str:
    if isinstance(message, _FILES):
        data = message.SerializeToString()
        if not data.startswith(b"{"):
            return to_text(data, type(message).__name__)
    return str(message)


class TextFormat:
    """Finds and loads the module; a finder and a loader in one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the specification of the module, and of packages above it that are missing."""
        if fullname == _MODULE:
            return ModuleSpec(fullname, self)  # type: ignore[arg-type]
        if fullname in _PACKAGES and PathFinder.find_spec(fullname, path) is None:
            return ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Python makes the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs protobuf's own module, if there is one, and puts ours before its functions."""
        if module.__name__ != _MODULE:
            return
        above: Any = sys.modules["google.protobuf"]
        theirs = PathFinder.find_spec(_MODULE, above.__path__)
        if theirs is not None and theirs.loader is not None:
            module.__spec__ = theirs
            theirs.loader.exec_module(module)
        own: dict[str, Any] = {
            "Merge": lambda text, message, *args, **kwargs: _merge(text, message),
            "Parse": lambda text, message, *args, **kwargs: _merge(text, message),
            "MessageToString": lambda message, *args, **kwargs: _text(message),
        }
        for name, ours in own.items():
            setattr(module, name, _either(ours, getattr(module, name, None)))
        if not hasattr(module, "ParseError"):
            module.ParseError = ParseError  # type: ignore[attr-defined]


def _either(ours: Any, theirs: Any) -> Any:
    """A function for messages of both kinds."""

    def function(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if theirs is None or any(isinstance(each, (*_FILES, Message)) for each in given):
            return ours(*args, **kwargs)
        return theirs(*args, **kwargs)

    return function
