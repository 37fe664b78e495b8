"""absl's flags beside our own: in TensorFlow they are one set, for its flags are absl's.

    absl.flags.FLAGS  <──reads, parses──>  tf.flags.FLAGS        (after `join`)

A program that defines flags here and there reads all of them here and there, and one command line
is for both.
"""

from __future__ import annotations

from typing import Any


def join(theirs: Any, ours: Any) -> None:
    """Makes absl's set of flags and ours one for those who read and parse them."""
    if ours.beside is theirs:
        return
    kind = type(theirs)
    parse, get, contains = kind.__call__, kind.__getattr__, kind.__contains__

    def parse_both(self: Any, argv: Any, known_only: bool = False) -> Any:
        return parse(self, ours.parse_own(argv) if self is theirs else argv, known_only)

    def get_from_both(self: Any, name: str) -> Any:
        return getattr(ours, name) if self is theirs and name in ours else get(self, name)

    def in_both(self: Any, name: str) -> bool:
        return contains(self, name) or (self is theirs and name in ours)

    kind.__call__, kind.__getattr__, kind.__contains__ = parse_both, get_from_both, in_both
    ours.__dict__.update(beside=theirs, parse_beside=lambda argv, known: parse(theirs, argv, known))
