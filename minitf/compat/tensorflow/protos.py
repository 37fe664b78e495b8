"""TensorFlow's messages that come with the `tensorboard` package, as `tensorflow.core` has them."""

from __future__ import annotations

from typing import Any

from minitf.library.formats.summary_protos import protos


class _Code(int):
    """The number of a type, equal to its name too: minitf's own messages tell types by name."""

    name = ""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return other == (self.name if self else "")  # a message of ours without a type
        return int(self) == other

    __hash__ = int.__hash__


def __getattr__(name: str) -> Any:
    if name.startswith("DT_"):
        code = _Code(protos().DataType.Value(name))
        code.name = name
        return code
    if not name.startswith("_") and hasattr(protos(), name):
        return getattr(protos(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
