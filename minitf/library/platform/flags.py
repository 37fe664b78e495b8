"""Command-line flags with defaults: `tf.app.flags`.

    tf.app.flags.DEFINE_integer("task_index", 0, "which task of the job this is")
    FLAGS = tf.app.flags.FLAGS
    FLAGS.task_index        # parsed from sys.argv at first use

A flag is given as `--name=value`, `--name value`, `-name value`; a Boolean one as `--name`,
`--noname` or `--name=false`. `--help` lists all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Flag:
    """One flag: its name, default, help, and how its text becomes a value."""

    name: str
    default: Any
    help: str
    parse: Callable[[str], Any]
    kind: str
    present: bool = False

    def __post_init__(self) -> None:
        self.value = self.default

    def __str__(self) -> str:
        return str(self.value)


class UnparsedFlagError(ValueError):
    """A flag has a value that its type cannot take, or does not exist."""


class FlagValues:
    """The flags of a program; each is an attribute. Reading the first one parses `sys.argv`."""

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_short"] = {}
        self.__dict__["_parsed"] = False

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
                    raise UnparsedFlagError(f"Unknown command line flag '{name}'")
                rest.append(item)
                continue
            flag.present = True
            if flag.kind == "boolean" and not equals:
                flag.value = not negated
                continue
            if not equals:
                if not items:
                    raise UnparsedFlagError(f"Missing value for flag {item}")
                text = items.pop(0)
            try:
                flag.value = flag.parse(text)
            except ValueError as error:
                raise UnparsedFlagError(
                    f"flag --{name}={text}: expected {flag.kind}: {error}"
                ) from None
        self._check_required()
        return rest

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
    kind: str, parse: Callable[[str], Any], keep: Callable[[Any], Any] = lambda default: default
) -> Callable[..., None]:
    """Makes a function that defines flags of one kind.

    Args:
      kind: what a value is called in messages.
      parse: makes a value from its text; raises ValueError.
      keep: makes a value from the default that the program gives, unless that is None.
    """

    def define(
        name: str | None = None,
        default: Any = None,
        help: str = "",
        flag_name: str | None = None,
        default_value: Any = None,
        docstring: str = "",
        short_name: str | None = None,
        **_: Any,
    ) -> None:
        default = default_value if default is None else default
        value = None if default is None else keep(default)
        flag = Flag(name or flag_name or "", value, help or docstring, parse, kind)
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
    name: str, default: str | None, enum_values: Sequence[str], help: str = "", **options: Any
) -> None:
    """Defines a flag that holds one of `enum_values`."""

    def parse(text: str) -> str:
        if text not in enum_values:
            raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")
        return text

    _define(f"one of {'|'.join(enum_values)}", parse)(name, default, help, **options)


def mark_flag_as_required(flag_name: str) -> None:
    """Makes parsing fail while the flag has no value."""
    FLAGS[flag_name].kind += ", required"


def mark_flags_as_required(flag_names: Sequence[str]) -> None:
    """Makes parsing fail while one of the flags has no value."""
    for name in flag_names:
        mark_flag_as_required(name)
