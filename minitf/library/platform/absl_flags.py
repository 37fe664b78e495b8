"""absl's flags beside our own: in TensorFlow they are one set, for its flags are absl's.

    absl.flags.FLAGS  <──reads, parses──>  tf.flags.FLAGS        (after `join`)

A program that defines flags here and there reads all of them here and there, and one command line
is for both. Flags of `enum.Enum` and what lays out the text of `--help` are absl's.
"""

from __future__ import annotations

from typing import Any

#: what `tf.flags` has of absl
NAMES = {
    "CantOpenFlagFileError", "DEFINE_enum_class", "DEFINE_multi_enum_class",
    "DuplicateFlagError", "EnumClassFlag", "EnumClassListSerializer", "EnumClassParser",
    "EnumClassSerializer", "FlagNameConflictsWithMethodError", "MultiEnumClassFlag",
    "doc_to_help", "flag_dict_to_args", "get_help_width", "mark_bool_flags_as_mutual_exclusive",
    "multi_flags_validator", "override_value", "text_wrap",
}  # fmt: skip


def name_of_absl(name: str, ours: Any) -> Any:
    """What absl calls so, its flags joined with ours.

    Raises:
      ImportError: when absl is not installed.
    """
    try:
        from absl import flags
    except ImportError as error:
        raise ImportError(
            f"tf.flags.{name} is that of absl-py: pip install 'minitf[programs]'"
        ) from error
    join(flags.FLAGS, ours)
    return getattr(flags, name)


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
