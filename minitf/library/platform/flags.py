"""Command-line flags with defaults: `tf.app.flags`.

    tf.app.flags.DEFINE_integer("task_index", 0, "which task of the job this is")
    FLAGS = tf.app.flags.FLAGS
    FLAGS.task_index        # parsed from sys.argv at first use

A flag is given as `--name=value`, `--name value`, `-name value`; a Boolean one as `--name`,
`--noname` or `--name=false`. `--help` lists those that the program itself defines, `--helpfull`
all; `--flagfile=path` stands for the flags in a file, `--undefok=a,b` lets flags be unknown.
A program's own kinds of flags are made with `DEFINE` of a parser, or `DEFINE_flag` of a `Flag`.
"""

# ruff: noqa: F405  (the kinds are names of this module too, as in absl)

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from minitf.library.platform.flag_kinds import *  # noqa: F403
from minitf.library.platform.flag_texts import get_help_width, text_wrap  # noqa: F401  (names of absl's)
from minitf.library.platform.flag_values import (
    HELP,
    SPECIAL,
    FlagValues,
    ParsingFlagValues,
    calling_module,
)

FLAGS: FlagValues = ParsingFlagValues()


class FlagHolder:
    """What defining a flag gives: the flag, by its name in its set."""

    def __init__(self, flag_values: Any, flag: Flag, ensure_non_none_value: bool = False) -> None:
        self._flagvalues, self.name = flag_values, flag.name
        self._never_none = ensure_non_none_value

    @property
    def value(self) -> Any:
        """The value.

        Raises:
          UnparsedFlagAccessError: when no command line was parsed.
          IllegalFlagValueError: when it is None, and the flag has a default or is required.
        """
        value = getattr(self._flagvalues, self.name)
        if value is None and self._never_none:
            raise IllegalFlagValueError(f"Unexpected None value for flag {self.name}")
        return value

    @property
    def default(self) -> Any:
        """The value when none is given."""
        return self._flagvalues[self.name].default

    @property
    def present(self) -> bool:
        """Whether the command line has it."""
        return bool(self._flagvalues[self.name].present)

    def serialize(self) -> str:
        """What gives the value on a command line; "" for None."""
        return self._flagvalues[self.name].serialize()


_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _with_old_names(define: Callable[..., FlagHolder]) -> Callable[..., FlagHolder]:
    @wraps(define)
    def with_old_names(*args: Any, **kwargs: Any) -> FlagHolder:
        return define(*args, **{_OLD_NAMES.get(key, key): own for key, own in kwargs.items()})

    return with_old_names


def DEFINE_flag(
    flag: Flag, flag_values: Any = None, module_name: Any = None, required: bool = False
) -> FlagHolder:
    """Defines a flag that the program has made.

    Args:
      flag: the flag.
      flag_values: the set it belongs to; `FLAGS` when None.
      module_name: of the module under which `--help` tells it; the calling one when None.
      required: whether parsing fails while it has no value.
    """
    if required and flag.default is not None:
        raise ValueError(f"Required flag --{flag.name} needs to have None as default")
    flag_values = FLAGS if flag_values is None else flag_values
    flag_values[flag.name] = flag
    name, module = calling_module() if module_name is None else (module_name, None)
    flag_values._modules.setdefault(name, module)
    if flag_values[flag.name] is flag:
        flag_values.register_flag_by_module(name, flag)
    if required:
        mark_flag_as_required(flag.name, flag_values)
    return FlagHolder(flag_values, flag, required or flag.default is not None)


def _add(kind: type[Flag], flag_values: Any, options: dict[str, Any], *args: Any) -> FlagHolder:
    """Defines a flag of a kind; `options` are further arguments of `DEFINE_flag` and the kind."""
    where = {key: options.pop(key) for key in ("module_name", "required") if key in options}
    return DEFINE_flag(kind(*args, **options), flag_values, **where)


def DEFINE(
    parser: ArgumentParser,
    name: str,
    default: Any,
    help: str | None,
    flag_values: Any = None,
    serializer: ArgumentSerializer | None = None,
    **args: Any,
) -> FlagHolder:
    """Defines a flag whose values a parser makes; `args` are of `DEFINE_flag` and `Flag`."""
    return _bounded(_add(Flag, flag_values, args, parser, serializer, name, default, help), parser)


def DEFINE_multi(
    parser: ArgumentParser,
    serializer: ArgumentSerializer | None,
    name: str,
    default: Any,
    help: str | None,
    flag_values: Any = None,
    **args: Any,
) -> FlagHolder:
    """As `DEFINE`, for a flag that may be given several times."""
    flag = _add(MultiFlag, flag_values, args, parser, serializer, name, default, help)
    return _bounded(flag, parser)


def _bounded(flag: FlagHolder, parser: Any) -> FlagHolder:
    """Keeps what the program sets the flag to within the bounds of its parser."""

    def within(value: Any) -> bool:
        for each in value if isinstance(value, list) else [value]:
            if each is not None and parser.is_outside_bounds(each):
                raise ValidationError(f"{each} is not {parser.syntactic_help}")
        return True

    if hasattr(parser, "is_outside_bounds"):
        register_validator(flag, within)
    return flag


def _define(
    kind: str,
    make: Callable[..., ArgumentParser],
    serializer: ArgumentSerializer,
    options: Sequence[str] = (),
    many: bool = False,
) -> Callable[..., FlagHolder]:
    """Makes a function that defines flags of one kind.

    Args:
      kind: what the docstring calls it.
      make: the parser, of which `options` are arguments.
      many: whether the flag may be given several times.
    """

    def define(
        name: str, default: Any = None, help: str | None = "", *args: Any, **own: Any
    ) -> Any:
        own.update(zip((*options, "flag_values"), args, strict=False))
        parser = make(**{key: own.pop(key) for key in options if key in own})
        if many:
            return DEFINE_multi(parser, serializer, name, default, help, **own)
        return DEFINE(parser, name, default, help, serializer=serializer, **own)

    further = "".join(f"{option}, " for option in options)
    define.__doc__ = f"""Defines a flag: {kind}.

    Args:
      name, flag_name: how it is written on the command line, after `--`.
      default, default_value: its value when it is not given; None for none.
      help, docstring: what `--help` says of it.
      {further}flag_values, required, short_name, ...: as of the parser, `DEFINE_flag` and `Flag`.
    """
    return _with_old_names(define)


_BOUNDS = ("lower_bound", "upper_bound")
_PLAIN, _LIST = ArgumentSerializer(), CsvListSerializer(",")
DEFINE_string = _define("a string", ArgumentParser, _PLAIN)
DEFINE_integer = _define("an integer", IntegerParser, _PLAIN, _BOUNDS)
DEFINE_float = _define("a number", FloatParser, _PLAIN, _BOUNDS)
DEFINE_list = _define("a comma separated list", ListParser, _LIST)


@_with_old_names
def DEFINE_boolean(
    name: str, default: Any = None, help: str | None = "", flag_values: Any = None, **args: Any
) -> FlagHolder:
    """Defines a flag that is given or not; `args` are of `DEFINE_flag` and `BooleanFlag`."""
    return _add(BooleanFlag, flag_values, args, name, default, help)


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(
    name: str,
    default: str | None,
    enum_values: Iterable[str],
    help: str | None = "",
    flag_values: Any = None,
    **args: Any,
) -> FlagHolder:
    """Defines a flag that holds one of `enum_values`; `args` are of `DEFINE_flag`, `EnumFlag`."""
    return _add(EnumFlag, flag_values, args, name, default, help, enum_values)


# ---- what checks flags -------------------------------------------------------------------


class _Check:
    """What checks one flag, by its value, or several, by a dict of values."""

    _numbers = itertools.count()

    def __init__(
        self, named: str | tuple[str, ...], checker: Callable[[Any], Any], message: str
    ) -> None:
        self.names = (named,) if isinstance(named, str) else named
        self._named, self._checker, self._message = named, checker, message
        self.number = next(self._numbers)  # they are asked in the order in which they came

    def verify(self, flags: FlagValues) -> None:
        """Asks it.

        Raises:
          ValidationError: when it says no.
        """
        values = {name: flags[name].value for name in self.names}
        if not self._checker(values if self._named is self.names else values[self.names[0]]):
            raise ValidationError(self._message)

    def told(self, flags: FlagValues) -> str:
        """The flags and their values, for the error."""
        values = ", ".join(f"{name}={flags[name].value}" for name in self.names)
        return f"{'flags ' if self._named is self.names else 'flag --'}{values}"


def _named(flag: str | FlagHolder, flag_values: FlagValues | None) -> tuple[str, FlagValues]:
    """The name of a flag that is told by its name or its holder, and its set."""
    if isinstance(flag, FlagHolder):
        return flag.name, flag._flagvalues
    return flag, FLAGS if flag_values is None else flag_values


def register_validator(
    flag_name: str | FlagHolder,
    checker: Callable[[Any], Any],
    message: str = "Flag validation failed",
    flag_values: FlagValues | None = None,
) -> None:
    """Lets a function check the value of a flag, when it is parsed and when it is set.

    Args:
      flag_name: the flag, or what defining it gave.
      checker: takes the value; gives False, or raises `ValidationError`, for one that is not
        allowed.
      message: what the error says then.
      flag_values: the set of the flag; `FLAGS` when None.
    """
    name, flags = _named(flag_name, flag_values)
    flags[name].validators.append(_Check(name, checker, message))


def mark_flag_as_required(flag_name: str | FlagHolder, flag_values: Any = None) -> None:
    """Makes parsing fail while the flag has no value."""
    name, flags = _named(flag_name, flag_values)
    if flags[name].default is not None:
        warnings.warn(
            f"Flag --{name} has a non-None default value; therefore, mark_flag_as_required will "
            "pass even if flag is not specified in the command line!",
            stacklevel=2,
        )
    text = f"Flag --{name} must have a value other than None."
    register_validator(name, lambda value: value is not None, text, flags)


def mark_flags_as_required(flag_names: Sequence[Any], flag_values: Any = None) -> None:
    """Makes parsing fail while one of the flags has no value."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


# ---- flags that are not the program's ----------------------------------------------------

DEFINE_string(
    "flagfile", "", "Insert flag definitions from the given file into the command line.", SPECIAL
)
DEFINE_string(
    "undefok",
    "",
    "comma-separated names of flags that may be given though the program does not "
    "define them; those with a value as --name=value",
    SPECIAL,
)
_APP: dict[str, Any] = {"flag_values": HELP, "module_name": "absl.app"}
DEFINE_boolean("help", False, "show this help", short_name="?", **_APP)
DEFINE_boolean("helpshort", False, "show this help", **_APP)
DEFINE_boolean("helpfull", False, "show full help", **_APP)
DEFINE_boolean("helpxml", False, "like --helpfull, but generates XML output", **_APP)
