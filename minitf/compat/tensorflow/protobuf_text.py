"""minitf's messages as texts, for protobuf's `text_format` in programs of TensorFlow 1.x.

from google.protobuf import text_format
text_format.Merge(open("graph.pbtxt").read(), tf.GraphDef())
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.graph_def import GraphDef
from minitf.library.formats.messages import to_text
from minitf.library.formats.protobuf_messages import from_text
from minitf.library.saving.meta_graph import MetaGraphDef, SavedModel

_FILES = (GraphDef, MetaGraphDef, SavedModel)  # of which the schema of files knows the fields


def merge(text: str | bytes, message: Any) -> Any:
    """Adds what a text says to a message of minitf's, and returns it.

    Raises:
      ValueError: when the text is none, or minitf does not read such messages as texts.
    """
    kind = type(message).__name__
    if not isinstance(message, _FILES):
        raise ValueError(f"minitf reads graphs and saved models as texts, not {kind}.")
    data = from_text(text.decode() if isinstance(text, bytes) else text, kind)
    if isinstance(message, GraphDef):
        message.node.extend(GraphDef.FromString(data).node)
    else:
        message.ParseFromString(data)
    return message


def as_text(message: Any) -> str:
    """A message of minitf's as protobuf's text."""
    if isinstance(message, _FILES):
        data = message.SerializeToString()
        if not data.startswith(b"{"):
            return to_text(data, type(message).__name__)
    return str(message)


def _change_text_format(text_format: Any) -> None:
    """Lets protobuf's functions for texts take minitf's messages, which are plain Python."""
    write = text_format.MessageToString

    def reads(original: Callable[..., Any]) -> Callable[..., Any]:
        def read(text: Any, message: Any, *args: Any, **kwargs: Any) -> Any:
            if hasattr(message, "DESCRIPTOR"):
                return original(text, message, *args, **kwargs)
            try:
                return merge(text, message)
            except ValueError as error:
                raise text_format.ParseError(str(error)) from None

        return read

    text_format.Merge, text_format.Parse = reads(text_format.Merge), reads(text_format.Parse)
    text_format.MessageToString = lambda message, *args, **kwargs: (
        write(message, *args, **kwargs) if hasattr(message, "DESCRIPTOR") else as_text(message)
    )


CHANGES = {"google.protobuf.text_format": _change_text_format}
