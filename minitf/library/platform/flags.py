"""Command-line flags with defaults: `tf.app.flags`.

    tf.app.flags.DEFINE_integer("task_index", 0, "which task of the job this is")
    FLAGS = tf.app.flags.FLAGS
    FLAGS.task_index        # parsed from sys.argv at first use

A flag is given as `--name=value`, `--name value` or `-name value`; a Boolean one as `--name`,
`--noname` or `--name=false`. `--help` lists them. In TensorFlow the flags are those of the package
absl: where a program uses both, `join` makes them one set.

    absl.flags.FLAGS  <──reads, parses──>  tf.flags.FLAGS        (after `join`)

A program that defines flags here and there reads all of them here and there, and one command line
is for both.
"""

from __future__ import annotations

import difflib
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, NoReturn


class Error(Exception):
    """What is wrong with flags."""


class DuplicateFlagError(Error):
    """A flag of that name is defined already."""


class IllegalFlagValueError(Error):
    """A flag has a value that it cannot have."""


class UnrecognizedFlagError(Error):
    """There is no flag of that name."""

    def __init__(self, name: str, known: Iterable[str] = ()) -> None:
        near = ", ".join(difflib.get_close_matches(name, known))
        tip = f". Did you mean: {near} ?" if near else ""
        super().__init__(f"Unknown command line flag '{name}'{tip}")


@dataclass(repr=False)
class Flag:
    """One flag.

    Args:
      name: what is written on the command line, after `--`.
      default: its value when it is not given; None for none.
      help: what `--help` says of it.
      read: makes a value of a text, or of what a program gives; raises ValueError or TypeError.
      module: the module that defines it.
      short_name: another name for it.
      required: whether a command line must give it.
    """

    name: str
    default: Any
    help: str | None
    read: Callable[[Any], Any]
    module: str
    short_name: str | None = None
    required: bool = False
    present: int = 0  # how often the command line has given it
    value: Any = field(init=False)

    def __post_init__(self) -> None:
        self.default = None if self.default is None else self._read(self.default)
        self.value = self.default

    @property
    def boolean(self) -> bool:
        """Whether its name alone says that it is true."""
        return self.read is _boolean

    def _read(self, given: Any) -> Any:
        try:
            return self.read(given)
        except (TypeError, ValueError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={given}: {error}") from None

    def parse(self, text: str) -> None:
        """Takes the value that a command line gives.

        Raises:
          IllegalFlagValueError: when it does not fit.
        """
        self.value = self._read(text)
        self.present += 1

    def described(self) -> str:
        """What `--help` says."""
        short = f"-{self.short_name}," if self.short_name else ""
        head = f"{short}--{'[no]' * self.boolean}{self.name}: {self.help or ''}"
        lines = textwrap.wrap(head, 80, initial_indent="  ", subsequent_indent="    ")
        if self.default is not None:
            shown = str(self.default).lower() if self.boolean else self.default
            lines.append(f"    (default: '{shown}')")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return repr(self.value)  # in early programs the value stood for its flag

    def __str__(self) -> str:
        return str(self.value)


class FlagValues:
    """The flags of a program as attributes, and by `[name]` as `Flag`s. Reading one parses."""

    def __init__(self) -> None:
        # By "__flags" early programs list them. `beside` are absl's flags, once they are joined.
        vars(self).update({"__flags": {}, "_parsed": False, "beside": None})

    def _flags(self) -> dict[str, Flag]:
        flags: dict[str, Flag] = vars(self)["__flags"]
        return flags

    def _known(self, name: str) -> Flag:
        if name not in self._flags():
            raise UnrecognizedFlagError(name, self._flags())
        return self._flags()[name]

    def __getattr__(self, name: str) -> Any:
        if name not in self._flags():
            if self.beside is None or name not in self.beside:
                raise AttributeError(name)
            return getattr(self.beside, name)
        self._parse_flags()
        return self._flags()[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        self._known(name).value = value

    def __delattr__(self, name: str) -> None:
        if name not in self._flags():
            raise AttributeError(name)
        del self._flags()[name]

    def __getitem__(self, name: str) -> Flag:
        return self._flags()[name]

    def __setitem__(self, name: str, flag: Flag) -> None:
        for each in filter(None, (name, flag.short_name)):
            if each in self._flags():
                first = self._flags()[each]
                raise DuplicateFlagError(
                    f"The flag '{each}' is defined twice. First from {first.module}, second from "
                    f"{flag.module}. Description from first occurrence: {first.help}"
                )
            self._flags()[each] = flag

    def __contains__(self, name: str) -> bool:
        return name in self._flags()

    def __iter__(self) -> Iterator[str]:
        return iter(self._flags())

    def __len__(self) -> int:
        return len(self._flags())

    def __dir__(self) -> list[str]:
        return sorted(self._flags())

    def flag_values_dict(self) -> dict[str, Any]:
        """The values by the names of the flags."""
        return {name: flag.value for name, flag in self._flags().items()}

    def mark_as_parsed(self) -> None:
        """Takes the defaults without a command line, as in a notebook."""
        vars(self)["_parsed"] = True

    def is_parsed(self) -> bool:
        """Whether a command line was parsed."""
        return self._parsed

    def _parse_flags(self) -> None:
        """Parses `sys.argv` unless a command line was parsed; early programs call it by hand."""
        if not self._parsed:
            self(sys.argv, known_only=True)

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Parses a command line whose first item is the program.

        Args:
          argv: the program and its arguments.
          known_only: leave unknown flags to the program instead of failing.
        Returns: the program and what was no flag of ours.
        Raises:
          IllegalFlagValueError: when a value does not fit its flag.
          UnrecognizedFlagError: when there is no such flag.
        """
        if self.beside is None:
            return self.parse_own(argv, known_only)
        return list(self.parse_beside(self.parse_own(argv), known_only))

    def parse_own(self, argv: Sequence[str], known_only: bool = True) -> list[str]:
        """Parses a command line without asking those `beside`."""
        rest, items = list(argv[:1]), iter(argv[1:])
        for item in items:
            name, equals, text = item.removeprefix("-").removeprefix("-").partition("=")
            if item == "--":
                rest += [item] * known_only
                break
            if not item.startswith("-") or not name:
                rest.append(item)
            elif name in self:
                if not equals:
                    text = "true" if self[name].boolean else _value_behind(item, items)
                self[name].parse(text)
            elif name.startswith("no") and name[2:] in self and self[name[2:]].boolean:
                self[name[2:]].parse("false")
            elif name in ("h", "help", "helpshort", "helpfull"):
                self._show_help()
            elif known_only:
                rest.append(item)
            else:
                raise UnrecognizedFlagError(name, self)
        self.mark_as_parsed()
        for flag in self._flags().values():
            if flag.required and flag.value is None:
                raise IllegalFlagValueError(
                    f"flag --{flag.name}=None: Flag --{flag.name} must have a value other than "
                    "None."
                )
        return [*rest, *items]

    def _show_help(self) -> NoReturn:
        """Prints what the program is and its flags, and ends it."""
        what = sys.modules["__main__"].__doc__ or f"\nUSAGE: {sys.argv[0]} [flags]\n"
        flags = dict.fromkeys(flag.described() for flag in self._flags().values())
        print(what, "flags:", *sorted(flags), sep="\n")
        sys.exit(1)


def _value_behind(item: str, items: Iterator[str]) -> str:
    """The value of a flag that follows it."""
    for text in items:
        return text
    raise Error(f"Missing value for flag {item}")


FLAGS = FlagValues()


# ---- kinds -------------------------------------------------------------------------------------


def _string(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f'flag value must be a string, found "{type(given)}"')
    return given


def _integer(given: Any) -> int:
    if isinstance(given, str):
        return int(given, 16 if given[:2].lower() == "0x" else 10)
    if not isinstance(given, int):
        raise TypeError(f"Expect argument to be a string or int, found {type(given)}")
    return given


def _boolean(given: Any) -> bool:
    words = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
    if str(given).lower() not in words:
        raise ValueError("Non-boolean argument to boolean flag", given)
    return words[str(given).lower()]


def _listed(given: Any) -> list[str]:
    return [each.strip() for each in given.split(",") if given] if isinstance(given, str) else given


_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _with_old_names(define: Callable[..., Flag]) -> Callable[..., Flag]:
    @wraps(define)
    def with_old_names(*args: Any, **kwargs: Any) -> Flag:
        return define(*args, **{_OLD_NAMES.get(key, key): own for key, own in kwargs.items()})

    return with_old_names


def _add(
    flag_values: FlagValues | None,
    name: str,
    default: Any,
    help: str | None,
    read: Callable[[Any], Any],
    **options: Any,
) -> Flag:
    """Defines a flag; `options` are of `Flag`."""
    module = sys._getframe(3).f_globals.get("__name__", "")  # behind DEFINE_... and its old names
    where = sys.argv[0] if module == "__main__" else module
    flag = Flag(name, default, help, read, where, **options)
    flags = FLAGS if flag_values is None else flag_values
    flags[flag.name] = flag
    return flag


def _definer(kind: str, read: Callable[[Any], Any]) -> Callable[..., Flag]:
    """Makes a function that defines flags of one kind, which its docstring names."""

    def define(
        name: str,
        default: Any = None,
        help: str | None = "",
        flag_values: FlagValues | None = None,
        **options: Any,
    ) -> Flag:
        return _add(flag_values, name, default, help, read, **options)

    define.__doc__ = f"""Defines a flag: {kind}.

    Args:
      name, flag_name: how it is written on the command line, after `--`.
      default, default_value: its value when it is not given; None for none.
      help, docstring: what `--help` says of it.
      flag_values: the set it belongs to; `FLAGS` when None.
      **options: `short_name`, another name; `required`, whether it must be given.
    Raises:
      DuplicateFlagError: when there is such a flag already.
      IllegalFlagValueError: when the default does not fit.
    """
    return _with_old_names(define)


DEFINE_string = _definer("a text", _string)
DEFINE_integer = _definer("a whole number", _integer)
DEFINE_float = _definer("a number", float)
DEFINE_bool = DEFINE_boolean = _definer("given or not", _boolean)
DEFINE_list = _definer("texts with commas between them", _listed)


@_with_old_names
def DEFINE_enum(
    name: str,
    default: str | None,
    enum_values: Iterable[str],
    help: str | None = "",
    flag_values: FlagValues | None = None,
    **options: Any,
) -> Flag:
    """Defines a flag that holds one of `enum_values`; for the rest see `DEFINE_string`."""
    allowed = list(enum_values)

    def read(given: str) -> str:
        if given not in allowed:
            raise ValueError(f"value should be one of <{'|'.join(allowed)}>")
        return given

    return _add(flag_values, name, default, help, read, **options)


def mark_flag_as_required(flag_name: str, flag_values: FlagValues | None = None) -> None:
    """Makes parsing fail while the flag has no value."""
    (FLAGS if flag_values is None else flag_values)[flag_name].required = True


def mark_flags_as_required(
    flag_names: Iterable[str], flag_values: FlagValues | None = None
) -> None:
    """Makes parsing fail while one of the flags has no value."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


# ---- absl's flags ----------------------------------------------------------------------


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
