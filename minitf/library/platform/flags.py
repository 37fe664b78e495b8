"""Command-line flags with defaults: `tf.app.flags`.

    tf.app.flags.DEFINE_integer("task_index", 0, "which task of the job this is")
    FLAGS = tf.app.flags.FLAGS
    FLAGS.task_index        # parsed from sys.argv at first use

A flag is given as `--name=value`, `--name value`, `-name value`; a Boolean one as `--name`,
`--noname` or `--name=false`. `--help` lists all.
A program's own kinds of flags are made with `DEFINE` of a parser, or `DEFINE_flag` of a `Flag`.
"""

# ruff: noqa: F405  (the kinds are names of this module too, as in absl)

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import Any

from minitf.library.platform.absl_flags import NAMES, name_of_absl
from minitf.library.platform.flag_kinds import *  # noqa: F403


class FlagValues:
    """A set of flags, each of which is an attribute; called with a command line, it parses that."""

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_parsed"] = False
        self.__dict__["beside"] = None  # absl's flags, where they are joined with these
        self.__dict__["_checks"] = []  # names of flags (or one), what checks them, what to say

    def __setitem__(self, name: str, flag: Flag) -> None:
        for each in filter(None, (flag.short_name, name)):
            self._flags[each] = flag

    def __getattr__(self, name: str) -> Any:
        if name == "__flags":  # many programs list their flags with it
            self._parse_flags()
            return {name: self._flags[name] for name in self._names()}
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._flags and self.beside is not None and name in self.beside:
            return getattr(self.beside, name)
        if name not in self._flags:
            raise AttributeError(name)
        if not self._parsed:
            self._read_unparsed(name)
        return self._flags[name].value

    def _read_unparsed(self, name: str) -> None:
        raise UnparsedFlagAccessError(f"Trying to access flag --{name} before flags were parsed.")

    def _names(self) -> list[str]:
        """The names, without those of one letter that stand for another."""
        return sorted(name for name, flag in self._flags.items() if name == flag.name)

    def _parse_flags(self) -> None:
        """Parses `sys.argv` unless a command line was parsed; early programs call it by hand."""
        if not self._parsed:
            self(sys.argv)

    def _known(self, name: str, value: Any) -> Flag:
        if name not in self._flags:
            raise UnrecognizedFlagError(name, value)
        return self._flags[name]

    def __setattr__(self, name: str, value: Any) -> None:
        flag = self._known(name, value)
        flag.value, flag.using_default_value = value, False
        self._check([name])

    def __delattr__(self, name: str) -> None:
        if name not in self._flags:
            raise AttributeError(name)
        flag = self._flags[name]
        for each in [each for each, own in self._flags.items() if own is flag]:
            del self._flags[each]

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Iterator[str]:
        return iter(self._flags)

    def __len__(self) -> int:
        return len(self._flags)

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]

    def flag_values_dict(self) -> dict[str, Any]:
        """Every flag's value, by name."""
        return {name: flag.value for name, flag in self._flags.items()}

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
          IllegalFlagValueError: when a value does not fit its flag.
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
            if name in ("help", "h") and name not in self._flags:
                print(self.main_module_help())
                sys.exit(1)
            flag = self._flags.get(name)
            if flag is None and name.startswith("no") and name[2:] in self._flags:
                flag = self._flags[name[2:]] if self._flags[name[2:]].boolean else None
                if flag is not None and equals:
                    raise ValueError(f"{item} does not take an argument")
            if flag is None:
                if not known_only:
                    raise UnrecognizedFlagError(name, item)
                rest.append(item)
                continue
            if flag.boolean:
                text = text if equals else str(flag is self._flags.get(name)).lower()
            elif not equals:
                if not items:
                    raise Error(f"Missing value for flag {item}")
                text = items.pop(0)
            flag.parse(text)
            flag.using_default_value = False
        self.validate_all_flags()
        return rest

    def validate_all_flags(self) -> None:
        """Asks what checks the flags.

        Raises:
          IllegalFlagValueError: when it says no.
        """
        self._check(self._flags)

    def _check(self, changed: Iterable[str]) -> None:
        wrong, messages = set[str](), list[str]()
        for names, checker, message in self._checks:
            one = isinstance(names, str)
            own = {names} if one else set(names)
            if not own <= self._flags.keys() or own.isdisjoint(changed) or wrong & own:
                continue
            values = {name: self._flags[name].value for name in ([names] if one else names)}
            try:
                fits = checker(values[names] if one else values)
            except ValidationError as error:
                fits, message = False, str(error)
            if not fits:
                wrong |= own
                told = ", ".join(f"{name}={value}" for name, value in values.items())
                messages.append(f"{'flag --' if one else 'flags '}{told}: {message}")
        if messages:
            raise IllegalFlagValueError("\n".join(messages))

    def unparse_flags(self) -> None:
        """Forgets that a command line was parsed, and what it gave."""
        for flag in self._flags.values():
            flag.unparse()
        self.__dict__["_parsed"] = False

    def set_default(self, name: str, value: Any) -> None:
        """Gives a flag another default; one that was given on the command line keeps its value."""
        self._known(name, value)._set_default(value)
        self._check([name])

    def main_module_help(self) -> str:
        """What `--help` prints."""
        lines = ["flags:"]
        for name in self._names():
            flag = self._flags[name]
            what = flag.parser.syntactic_help or flag.flag_type()
            lines.append(f"  --{name}: {flag.help}\n    (default: {flag.default!r}; {what})")
        return "\n".join(lines)


class _ParsingFlagValues(FlagValues):
    """The flags of a program. Reading the first one parses `sys.argv`."""

    def _read_unparsed(self, name: str) -> None:
        self._parse_flags()


FLAGS: FlagValues = _ParsingFlagValues()


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
      module_name: accepted.
      required: whether parsing fails while it has no value.
    """
    if required and flag.default is not None:
        raise ValueError(f"Required flag --{flag.name} needs to have None as default")
    flag_values = FLAGS if flag_values is None else flag_values
    flag_values[flag.name] = flag
    if required:
        mark_flag_as_required(flag.name, flag_values)
    return FlagHolder(flag_values, flag, required or flag.default is not None)


def _add(kind: type[Flag], flag_values: Any, options: dict[str, Any], *args: Any) -> FlagHolder:
    """Defines a flag of a kind; `options` are further arguments of `DEFINE_flag` and the kind."""
    where = {key: options.pop(key) for key in ("module_name", "required") if key in options}
    return DEFINE_flag(kind(*args, **options), flag_values, **where)


def DEFINE(
    parser: ArgumentParser, name: str, default: Any, help: str | None, flag_values: Any = None,
    serializer: ArgumentSerializer | None = None, **args: Any,
) -> FlagHolder:  # fmt: skip
    """Defines a flag whose values a parser makes; `args` are of `DEFINE_flag` and `Flag`."""
    return _bounded(_add(Flag, flag_values, args, parser, serializer, name, default, help), parser)


def DEFINE_multi(
    parser: ArgumentParser, serializer: ArgumentSerializer | None, name: str, default: Any,
    help: str | None, flag_values: Any = None, **args: Any,
) -> FlagHolder:  # fmt: skip
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
    kind: str, make: Callable[..., ArgumentParser], serializer: ArgumentSerializer,
    options: Sequence[str] = (), many: bool = False,
) -> Callable[..., FlagHolder]:  # fmt: skip
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
DEFINE_spaceseplist = _define(
    "a list of words", WhitespaceSeparatedListParser, ListSerializer(" "), ["comma_compat"]
)
_again = "; may be repeated"
DEFINE_multi_string = _define(f"a string{_again}", ArgumentParser, _PLAIN, many=True)
DEFINE_multi_integer = _define(f"an integer{_again}", IntegerParser, _PLAIN, _BOUNDS, many=True)
DEFINE_multi_float = _define(f"a number{_again}", FloatParser, _PLAIN, _BOUNDS, many=True)


@_with_old_names
def DEFINE_boolean(
    name: str, default: Any = None, help: str | None = "", flag_values: Any = None, **args: Any
) -> FlagHolder:
    """Defines a flag that is given or not; `args` are of `DEFINE_flag` and `BooleanFlag`."""
    return _add(BooleanFlag, flag_values, args, name, default, help)


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(
    name: str, default: str | None, enum_values: Iterable[str], help: str | None = "",
    flag_values: Any = None, **args: Any,
) -> FlagHolder:  # fmt: skip
    """Defines a flag that holds one of `enum_values`; `args` are of `DEFINE_flag`, `EnumFlag`."""
    return _add(EnumFlag, flag_values, args, name, default, help, enum_values)


def DEFINE_multi_enum(
    name: str, default: Any, enum_values: Iterable[str], help: str | None = "",
    flag_values: Any = None, case_sensitive: bool = True, **args: Any,
) -> FlagHolder:  # fmt: skip
    """Defines a flag that may be repeated, each time with one of `enum_values`."""
    parser = EnumParser(enum_values, case_sensitive)
    what = f"<{'|'.join(parser.enum_values)}>: {help}"
    return DEFINE_multi(parser, _PLAIN, name, default, what, flag_values, **args)


def DEFINE_alias(name: str, original_name: str, flag_values: Any = None, **_: Any) -> None:
    """Lets another name stand for a flag."""
    flags = FLAGS if flag_values is None else flag_values
    flags._flags[name] = flags._known(original_name, "")


# ---- what checks flags -------------------------------------------------------------------


def _named(flag: str | FlagHolder, flag_values: FlagValues | None) -> tuple[str, FlagValues]:
    """The name of a flag that is told by its name or its holder, and its set."""
    if isinstance(flag, FlagHolder):
        return flag.name, flag._flagvalues
    return flag, FLAGS if flag_values is None else flag_values


def register_validator(
    flag_name: str | FlagHolder, checker: Callable[[Any], Any],
    message: str = "Flag validation failed", flag_values: FlagValues | None = None,
) -> None:  # fmt: skip
    """Lets a function check the value of a flag, when it is parsed and when it is set.

    Args:
      flag_name: the flag, or what defining it gave.
      checker: takes the value; gives False, or raises `ValidationError`, for one that is not
        allowed.
      message: what the error says then.
      flag_values: the set of the flag; `FLAGS` when None.
    """
    name, flags = _named(flag_name, flag_values)
    flags._checks.append((name, checker, message))


def register_multi_flags_validator(
    flag_names: Sequence[str | FlagHolder], multi_flags_checker: Callable[[dict], Any],
    message: str = "Flags validation failed", flag_values: FlagValues | None = None,
) -> None:  # fmt: skip
    """As `register_validator`, for several flags: the function takes a dict of their values."""
    named = [_named(flag, flag_values) for flag in flag_names]
    names = tuple(name for name, _ in named)
    named[0][1]._checks.append((names, multi_flags_checker, message))


def validator(
    flag_name: str | FlagHolder, message: str = "Flag validation failed", flag_values: Any = None
) -> Callable[[Callable], Callable]:
    """Makes the function below it check a flag, as `register_validator` does."""

    def register(checker: Callable) -> Callable:
        register_validator(flag_name, checker, message, flag_values)
        return checker

    return register


def mark_flags_as_mutual_exclusive(
    flag_names: Sequence[Any], required: bool = False, flag_values: Any = None
) -> None:
    """Makes parsing fail when more than one of the flags has a value; with `required`, or none."""

    def at_most_one(values: dict[str, Any]) -> bool:
        given = sum(value is not None for value in values.values())
        return given == 1 or (not given and not required)

    names = ", ".join(_named(flag, flag_values)[0] for flag in flag_names)
    count = "Exactly" if required else "At most"
    text = f"{count} one of ({names}) must have a value other than None."
    register_multi_flags_validator(flag_names, at_most_one, text, flag_values)


def mark_flag_as_required(flag_name: str | FlagHolder, flag_values: Any = None) -> None:
    """Makes parsing fail while the flag has no value."""
    name, flags = _named(flag_name, flag_values)
    text = f"Flag --{name} must have a value other than None."
    register_validator(name, lambda value: value is not None, text, flags)


def mark_flags_as_required(flag_names: Sequence[Any], flag_values: Any = None) -> None:
    """Makes parsing fail while one of the flags has no value."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def set_default(flag_holder: str | FlagHolder, value: Any) -> None:
    """Gives a flag another default."""
    name, flags = _named(flag_holder, None)
    flags.set_default(name, value)


def declare_key_flag(flag_name: Any, flag_values: Any = None) -> None:
    """Accepted: all flags are shown by `--help`."""


def adopt_module_key_flags(module: Any, flag_values: Any = None) -> None:
    """Accepted: all flags are shown by `--help`."""


def disclaim_key_flags() -> None:
    """Accepted: all flags are shown by `--help`."""


def __getattr__(name: str) -> Any:
    """The rest of absl's names, where absl is installed."""
    if name not in NAMES:
        raise AttributeError(f"module 'tf.flags' has no attribute '{name}'")
    return name_of_absl(name, FLAGS)
