"""Command-line flags with defaults: `tf.app.flags`.

    tf.app.flags.DEFINE_integer("task_index", 0, "which task of the job this is")
    FLAGS = tf.app.flags.FLAGS
    FLAGS.task_index        # parsed from sys.argv at first use

A flag is given as `--name=value`, `--name value`, `-name value`; a Boolean one as `--name`,
`--noname` or `--name=false`. `--help` lists all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from minitf.library.platform.absl_flags import NAMES, name_of_absl


@dataclass
class Flag:
    """One flag: its name, default, help, and how its text becomes a value."""

    name: str
    default: Any
    help: str
    parse: Callable[[str], Any]
    kind: str
    present: bool = False
    many: bool = False  # whether it may be given several times; its value is a list

    def __post_init__(self) -> None:
        self.value = self.default

    def __str__(self) -> str:
        return str(self.value)


class Error(Exception):
    """The base of the errors of flags."""


class UnparsedFlagError(Error):
    """A flag has a value that its type cannot take, or does not exist."""


class IllegalFlagValueError(UnparsedFlagError):
    """The value of a flag is none that the program allows."""


class UnrecognizedFlagError(UnparsedFlagError):
    """There is no flag of that name."""


class ValidationError(Error):
    """What a checker of flags raises, or is said to have raised."""


class FlagValues:
    """The flags of a program; each is an attribute. Reading the first one parses `sys.argv`."""

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_short"] = {}
        self.__dict__["_parsed"] = False
        self.__dict__["beside"] = None  # absl's flags, where they are joined with these
        self.__dict__["_checks"] = []  # names of flags, what checks their values, what to say

    def _define(self, flag: Flag, short_name: str | None = None) -> None:
        self._flags[flag.name] = flag
        if short_name:
            self._short[short_name] = flag.name

    def __getattr__(self, name: str) -> Any:
        if name == "__flags":  # many programs list their flags with it
            self._parse_flags()
            return dict(self._flags)
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._flags and self.beside is not None and name in self.beside:
            return getattr(self.beside, name)
        if name not in self._flags:
            raise AttributeError(f"Unknown command line flag '{name}'")
        self._parse_flags()
        return self._flags[name].value

    def _parse_flags(self) -> None:
        """Parses `sys.argv` unless a command line was parsed; early programs call it by hand."""
        if not self._parsed:
            self(sys.argv)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            raise AttributeError(f"Unknown command line flag '{name}'")
        self._flags[name].value = value
        self._check([name])

    def __delattr__(self, name: str) -> None:
        del self._flags[name]

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Any:
        return iter(sorted(self._flags))

    def __len__(self) -> int:
        return len(self._flags)

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]

    def flag_values_dict(self) -> dict[str, Any]:
        """Every flag's value, by name."""
        return {name: getattr(self, name) for name in self}

    def is_parsed(self) -> bool:
        """Whether a command line was parsed."""
        return self._parsed

    def mark_as_parsed(self) -> None:
        """Takes the defaults without a command line, as in a notebook."""
        self.__dict__["_parsed"] = True

    def __call__(self, argv: Sequence[str], known_only: bool = True) -> list[str]:
        """Parses a command line whose first item is the program.

        Args:
          argv: the program and its arguments.
          known_only: leave unknown flags to the program instead of failing.
        Returns: the program and what was no flag of ours.
        Raises:
          UnparsedFlagError: when a value does not fit its flag.
        """
        if self.beside is None:
            return self.parse_own(argv, known_only)
        return list(self.parse_beside(self.parse_own(argv), known_only))

    def parse_own(self, argv: Sequence[str], known_only: bool = True) -> list[str]:
        """Parses a command line without asking those `beside`."""
        self.__dict__["_parsed"] = True
        rest = [argv[0]] if argv else []
        items = list(argv[1:])
        while items:
            item = items.pop(0)
            if item == "--":
                return rest + items
            name = item.lstrip("-")
            if not item.startswith("-") or not name:
                rest.append(item)
                continue
            name, equals, text = name.partition("=")
            name = self._short.get(name, name)
            if name in ("help", "h") and name not in self._flags:
                print(self.main_module_help())
                sys.exit(1)
            negated = name.startswith("no") and name[2:] in self._flags and name not in self._flags
            flag = self._flags.get(name[2:] if negated else name)
            if flag is None:
                if not known_only:
                    raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
                rest.append(item)
                continue
            before, flag.present = flag.value if flag.present else [], True
            if flag.kind == "boolean" and not equals:
                flag.value = not negated
                continue
            if not equals:
                if not items:
                    raise UnparsedFlagError(f"Missing value for flag {item}")
                text = items.pop(0)
            try:
                flag.value = [*before, flag.parse(text)] if flag.many else flag.parse(text)
            except ValueError as error:
                raise IllegalFlagValueError(
                    f"flag --{name}={text}: expected {flag.kind}: {error}"
                ) from None
        self._check_required()
        self._check(self._flags)
        return rest

    def _check(self, changed: Iterable[str]) -> None:
        """Asks what checks these flags.

        Raises:
          IllegalFlagValueError: when it says no.
        """
        changed = set(changed)
        for names, checker, message in self._checks:
            if changed.intersection(names):
                values = {name: self._flags[name].value for name in names}
                try:
                    fits = checker(values if len(names) > 1 else values[names[0]])
                except ValidationError as error:
                    fits, message = False, str(error)
                if not fits:
                    told = ", ".join(f"flag --{name}={value}" for name, value in values.items())
                    raise IllegalFlagValueError(f"{told}: {message}")

    def unparse_flags(self) -> None:
        """Forgets that a command line was parsed."""
        self.__dict__["_parsed"] = False

    def set_default(self, name: str, value: Any) -> None:
        """Gives a flag another default; one that was given on the command line keeps its value."""
        flag = self._flags[name]
        flag.default = value
        if not flag.present:
            flag.value = value

    def _check_required(self) -> None:
        for flag in self._flags.values():
            if flag.kind.endswith("required") and flag.value is None:
                raise UnparsedFlagError(
                    f"flag --{flag.name}=None: Flag --{flag.name} must have a value."
                )

    def main_module_help(self) -> str:
        """What `--help` prints."""
        lines = ["flags:"]
        for name in self:
            flag = self._flags[name]
            lines.append(f"  --{name}: {flag.help}\n    (default: {flag.default!r}; {flag.kind})")
        return "\n".join(lines)


FLAGS = FlagValues()


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "t", "1", "yes", "y"):
        return True
    if text.lower() in ("false", "f", "0", "no", "n"):
        return False
    raise ValueError("Non-boolean argument to boolean flag")


def _comma_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text else []


def _define(
    kind: str, parse: Callable[[str], Any], keep: Callable[[Any], Any] = lambda default: default,
    many: bool = False,
) -> Callable[..., None]:  # fmt: skip
    """Makes a function that defines flags of one kind.

    Args:
      kind: what a value is called in messages.
      parse: makes a value from its text; raises ValueError.
      keep: makes a value from the default that the program gives, unless that is None.
    """

    def define(
        name: str | None = None, default: Any = None, help: str = "", flag_name: str | None = None,
        default_value: Any = None, docstring: str = "", short_name: str | None = None, **_: Any,
    ) -> None:  # fmt: skip
        default = default_value if default is None else default
        value = None if default is None else keep(default)
        if many and value is not None and not isinstance(value, list):
            value = list(value) if isinstance(value, tuple) else [value]
        flag = Flag(name or flag_name or "", value, help or docstring, parse, kind, many=many)
        FLAGS._define(flag, short_name)

    define.__doc__ = f"""Defines a flag: {kind}.

    Args:
      name, flag_name: how it is written on the command line, after `--`.
      default, default_value: its value when it is not given; None for none.
      help, docstring: what `--help` says of it.
      short_name: a letter that may stand for the name.
    """
    return define


DEFINE_string = _define("a string", str)
DEFINE_integer = _define("an integer", int)
DEFINE_float = _define("a number", float, float)
DEFINE_boolean = DEFINE_bool = _define("boolean", _boolean)
DEFINE_list = _define(
    "a comma separated list", _comma_list, lambda v: _comma_list(v) if isinstance(v, str) else v
)


def DEFINE_enum(
    name: str, default: str | None, enum_values: Sequence[str], help: str = "", many: bool = False,
    **options: Any,
) -> None:  # fmt: skip
    """Defines a flag that holds one of `enum_values`."""

    def parse(text: str) -> str:
        if text not in enum_values:
            raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")
        return text

    _define(f"one of {'|'.join(enum_values)}", parse, many=many)(name, default, help, **options)


DEFINE_multi_string = _define("a string; may be repeated", str, many=True)
DEFINE_multi_integer = _define("an integer; may be repeated", int, many=True)
DEFINE_multi_float = _define("a number; may be repeated", float, many=True)
DEFINE_spaceseplist = _define(
    "a list of words", str.split, lambda v: v.split() if isinstance(v, str) else v
)


def DEFINE_multi_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str = "", **options: Any
) -> None:
    """Defines a flag that may be repeated, each time with one of `enum_values`."""
    DEFINE_enum(name, default, enum_values, help, many=True, **options)


def DEFINE_alias(name: str, original_name: str, **options: Any) -> None:
    """Lets another name stand for a flag."""
    FLAGS._flags[name] = FLAGS[original_name]


def register_validator(
    flag_name: str, checker: Callable[[Any], Any], message: str = "Flag validation failed",
    flag_values: Any = None,
) -> None:  # fmt: skip
    """Lets a function check the value of a flag, when it is parsed and when it is set.

    Args:
      flag_name: the flag.
      checker: takes the value; gives False, or raises `ValidationError`, for one that is not
        allowed.
      message: what the error says then.
      flag_values: accepted.
    """
    FLAGS._checks.append(((flag_name,), checker, message))


def register_multi_flags_validator(
    flag_names: Sequence[str], multi_flags_checker: Callable[[dict], Any],
    message: str = "Flags validation failed", flag_values: Any = None,
) -> None:  # fmt: skip
    """As `register_validator`, for several flags: the function takes a dict of their values."""
    FLAGS._checks.append((tuple(flag_names), multi_flags_checker, message))


def validator(
    flag_name: str, message: str = "Flag validation failed", flag_values: Any = None
) -> Callable[[Callable], Callable]:
    """Makes the function below it check a flag, as `register_validator` does."""

    def register(checker: Callable) -> Callable:
        register_validator(flag_name, checker, message)
        return checker

    return register


def mark_flags_as_mutual_exclusive(
    flag_names: Sequence[str], required: bool = False, flag_values: Any = None
) -> None:
    """Makes parsing fail when more than one of the flags has a value."""

    def at_most_one(values: dict[str, Any]) -> bool:
        given = sum(value is not None for value in values.values())
        return given == 1 or (not given and not required)

    count = "Exactly" if required else "At most"
    text = f"{count} one of ({', '.join(flag_names)}) must have a value other than None."
    register_multi_flags_validator(flag_names, at_most_one, text)


def set_default(flag_holder: str, value: Any) -> None:
    """Gives the flag of a name another default."""
    FLAGS.set_default(flag_holder, value)


def declare_key_flag(flag_name: str, flag_values: Any = None) -> None:
    """Accepted: all flags are shown by `--help`."""


def adopt_module_key_flags(module: Any, flag_values: Any = None) -> None:
    """Accepted: all flags are shown by `--help`."""


def mark_flag_as_required(flag_name: str) -> None:
    """Makes parsing fail while the flag has no value."""
    FLAGS[flag_name].kind += ", required"


def mark_flags_as_required(flag_names: Sequence[str]) -> None:
    """Makes parsing fail while one of the flags has no value."""
    for name in flag_names:
        mark_flag_as_required(name)


def __getattr__(name: str) -> Any:
    """The rest of absl's names, where absl is installed."""
    if name not in NAMES:
        raise AttributeError(f"module 'tf.flags' has no attribute '{name}'")
    return name_of_absl(name, FLAGS)
