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

import importlib
import itertools
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from types import ModuleType
from typing import Any, NoReturn

from minitf.library.platform.flag_kinds import *  # noqa: F403
from minitf.library.platform.flag_texts import (  # noqa: F401  (some are absl's names)
    described,
    doc_to_help,
    flag_dict_to_args,
    get_help_width,
    suggestions,
    text_wrap,
    with_files,
)

# ---- who defines a flag -------------------------------------------------------------------

#: modules that define flags for others, and are not told as theirs
_DISCLAIMED = {__name__, *(f"minitf.library.platform.{name}" for name in ("app", "flag_kinds"))}


def _calling_module() -> tuple[str, ModuleType]:
    """The name and the module of who calls; that of the program is the path it was started by."""
    for depth in itertools.count(1):
        name = sys._getframe(depth).f_globals.get("__name__")
        if name in sys.modules and name not in _DISCLAIMED:
            return sys.argv[0] if name == "__main__" else name, sys.modules[name]
    raise AssertionError


def _may_come_again(module: ModuleType, before: ModuleType | None) -> bool | None:
    """Whether a module may define its flags a second time; None: then the first ones stay."""
    if module is not before or module.__name__ in getattr(importlib, "_RELOADING", ()):
        return None  # it is imported again
    return not hasattr(module, "__file__")  # a cell of a notebook that runs again


class FlagValues:
    """A set of flags, each of which is an attribute; called with a command line, it parses that."""

    def __init__(self) -> None:
        self.__dict__["__flags"] = {}  # programs list this one by hand
        self.__dict__["_parsed"] = False
        self.__dict__["beside"] = None  # absl's flags, where they are joined with these
        self.__dict__["_by_module"] = {}  # flags by the name of the module that defines them
        self.__dict__["_key_by_module"] = {}  # further flags that matter to a module
        self.__dict__["_modules"] = {}

    def _flags(self) -> dict[str, Flag]:
        return self.__dict__["__flags"]

    def __setitem__(self, name: str, flag: Flag) -> None:
        if not isinstance(flag, Flag):
            raise IllegalFlagValueError(
                f"Expect Flag instances, found type {type(flag)}. "
                "Maybe you didn't mean to use FlagValue.__setitem__?"
            )
        if not isinstance(name, str):
            raise Error("Flag name must be a string")
        if not name or " " in name:
            raise Error(f"Flag name cannot {'contain a space' if name else 'be empty'}")
        flags, names = self._flags(), [name, *filter(None, [flag.short_name])]
        for each in names:
            if hasattr(FlagValues, each) and not flag.allow_using_method_names:
                raise FlagNameConflictsWithMethodError(
                    f'Cannot define a flag named "{each}". It conflicts with a method on class '
                    f'"{type(self).__name__}". To allow defining it, use allow_using_method_names '
                    f"and access the flag value with FLAGS['{each}'].value. FLAGS.{each} returns "
                    "the method, not the flag value."
                )
            if each in flags and not flag.allow_override and not flags[each].allow_override:
                own, module = _calling_module()
                first = self.find_module_defining_flag(each, "<unknown>")
                again = first == own and _may_come_again(module, self._modules.get(own))
                if again is None:
                    return
                if not again:
                    raise _defined_twice(each, first, own, flags[each])
        replaced = [flags[each] for each in names if each in flags]
        flags.update(dict.fromkeys(reversed(names), flag))
        self._forget(replaced)

    def _forget(self, gone: Iterable[Flag]) -> None:
        """Takes flags that no name stands for any more off the lists of modules."""
        gone = [flag for flag in gone if flag not in self._flags().values()]
        for flags in (*self._by_module.values(), *self._key_by_module.values()):
            flags[:] = [flag for flag in flags if flag not in gone]

    def __getattr__(self, name: str) -> Any:
        if name not in self._flags() and self.beside is not None and name in self.beside:
            return getattr(self.beside, name)
        if name not in self._flags():
            raise AttributeError(name)
        flag = self._flags()[name]
        if not self._parsed and not flag.present:
            self._read_unparsed(name)
        return flag.value

    def _read_unparsed(self, name: str) -> None:
        raise UnparsedFlagAccessError(f"Trying to access flag --{name} before flags were parsed.")

    def _parse_flags(self) -> None:
        """Parses `sys.argv` unless a command line was parsed; early programs call it by hand."""
        if not self._parsed:
            self(sys.argv, known_only=True)

    def _known(self, name: str, value: Any) -> Flag:
        if name not in self._flags():
            raise UnrecognizedFlagError(name, value)
        return self._flags()[name]

    def __setattr__(self, name: str, value: Any) -> None:
        flag = self._known(name, value)
        before, flag.value = flag.value, value
        try:
            self._check([flag])
        except BaseException:
            flag.value = before
            raise
        flag.using_default_value = False

    def __delattr__(self, name: str) -> None:
        if name not in self._flags():
            raise AttributeError(name)
        self._forget([self._flags().pop(name)])

    def __contains__(self, name: str) -> bool:
        return name in self._flags()

    def __iter__(self) -> Iterator[str]:
        return iter(self._flags())

    def __len__(self) -> int:
        return len(self._flags())

    def __dir__(self) -> list[str]:
        return sorted(self._flags())

    def __getitem__(self, name: str) -> Flag:
        return self._flags()[name]

    def __str__(self) -> str:
        return self.get_help()

    def flag_values_dict(self) -> dict[str, Any]:
        """Every flag's value, by name."""
        return {name: flag.value for name, flag in self._flags().items()}

    def get_flag_value(self, name: str, default: Any) -> Any:
        """The value of a flag, or the default when it is None."""
        value = getattr(self, name)
        return default if value is None else value

    def append_flag_values(self, flag_values: FlagValues) -> None:
        """Takes the flags of another set.

        Raises:
          DuplicateFlagError: when both sets have a flag of one name.
        """
        for name, flag in flag_values._flags().items():
            if name != flag.name:
                continue
            try:
                self[name] = flag
            except DuplicateFlagError:
                sets = self, flag_values
                first, second = (each.find_module_defining_flag(name, "<unknown>") for each in sets)
                raise _defined_twice(name, first, second, self[name]) from None

    def remove_flag_values(self, flag_values: Iterable[str]) -> None:
        """Forgets the flags of another set, or of these names."""
        for name in flag_values:
            delattr(self, name)

    # ---- command lines --------------------------------------------------------------------

    def is_parsed(self) -> bool:
        """Whether a command line was parsed."""
        return self._parsed

    def mark_as_parsed(self) -> None:
        """Takes the defaults without a command line, as in a notebook."""
        self.__dict__["_parsed"] = True

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
        if isinstance(argv, str | bytes):
            raise TypeError("argv should be a tuple/list of strings, not bytes or string.")
        if not argv:
            raise ValueError(
                "argv cannot be an empty list, and must contain the program name as the first "
                "element."
            )
        rest: list[tuple[str | None, str]] = []  # names of unknown flags, and all that is no flag
        may_be_unknown: set[str] = set()
        items = iter(with_files(argv[1:]))
        for item in items:
            name, equals, text = item.removeprefix("-").removeprefix("-").partition("=")
            if item == "--":
                rest += [(None, item)] * known_only
                break
            if not item.startswith("-") or not name:
                rest.append((None, item))
            elif name == "undefok":
                text = text if equals else _next(items, item)
                for each in text.split(","):
                    may_be_unknown |= {each.strip(), f"no{each.strip()}"}
                rest += [(None, f"--undefok={text}")] * (self.beside is not None)
            elif name in self._flags():
                flag = self._flags()[name]
                if not equals:
                    text = "true" if flag.boolean else _next(items, item)
                _give(flag, text)
            elif name.startswith("no") and name[2:] in self and self[name[2:]].boolean:
                if equals:
                    raise ValueError(f"{item} does not take an argument")
                _give(self[name[2:]], "false")
            else:
                self._meet_unknown(name, text)
                rest.append((name, item))
        rest = [pair for pair in rest if pair[0] not in may_be_unknown]
        for unknown, item in rest:
            if unknown is not None and not known_only:
                raise UnrecognizedFlagError(unknown, item, suggestions(unknown, self))
        self.mark_as_parsed()
        self.validate_all_flags()
        return [argv[0], *(item for _, item in rest), *items]

    def _meet_unknown(self, name: str, text: str) -> None:
        """What is done of flags that the set does not have."""

    def validate_all_flags(self) -> None:
        """Asks what checks the flags.

        Raises:
          IllegalFlagValueError: when it says no.
        """
        self._check(self._flags().values())

    def _check(self, flags: Iterable[Flag]) -> None:
        checks = {check for flag in flags for check in flag.validators}
        wrong, messages = set[str](), list[str]()
        for check in sorted(checks, key=lambda check: check.number):
            if wrong.isdisjoint(check.names):
                try:
                    check.verify(self)
                except ValidationError as error:
                    wrong.update(check.names)
                    messages.append(f"{check.told(self)}: {error}")
        if messages:
            raise IllegalFlagValueError("\n".join(messages))

    def unparse_flags(self) -> None:
        """Forgets that a command line was parsed, and what it gave."""
        for flag in self._flags().values():
            flag.unparse()
        self.__dict__["_parsed"] = False

    def set_default(self, name: str, value: Any) -> None:
        """Gives a flag another default; one that was given on the command line keeps its value."""
        flag = self._known(name, value)
        flag._set_default(value)
        self._check([flag])

    def read_flags_from_files(self, argv: Sequence[str], force_gnu: bool = True) -> list[str]:
        """Puts the flags that stand in files where `--flagfile` names these."""
        return with_files(argv)

    def flags_into_string(self) -> str:
        """The lines of a file of flags that gives all flags their values, by module and name."""
        by_module = (
            sorted(flags, key=lambda flag: flag.name)
            for _, flags in sorted(self._by_module.items())
        )
        given = (flag for flags in by_module for flag in flags if flag.value is not None)
        return "".join(f"{flag.serialize()}\n" for flag in given)

    def append_flags_into_file(self, filename: str) -> None:
        """Writes `flags_into_string` at the end of a file."""
        with open(filename, "a") as file:
            file.write(self.flags_into_string())

    # ---- modules and help -----------------------------------------------------------------

    def flags_by_module_dict(self) -> dict[str, list[Flag]]:
        """The flags by the names of the modules that define them."""
        return self._by_module

    def key_flags_by_module_dict(self) -> dict[str, list[Flag]]:
        """The flags that modules have declared as theirs, by the names of the modules."""
        return self._key_by_module

    def register_flag_by_module(self, module_name: str, flag: Flag) -> None:
        """Notes which module defines a flag."""
        self._by_module.setdefault(module_name, []).append(flag)

    def register_key_flag_for_module(self, module_name: str, flag: Flag) -> None:
        """Notes that a flag matters to a module which does not define it."""
        flags = self._key_by_module.setdefault(module_name, [])
        flags.extend([flag] * (flag not in flags))

    def find_module_defining_flag(self, flagname: str, default: Any = None) -> Any:
        """The name of the module that defines a flag, or the default."""
        flag = self._flags().get(flagname)
        return next((m for m, flags in self._by_module.items() if flag in flags), default)

    def get_flags_for_module(self, module: Any) -> list[Flag]:
        """The flags that a module, or the one of a name, defines."""
        return list(self._by_module.get(_name_of(module), ()))

    def get_key_flags_for_module(self, module: Any) -> list[Flag]:
        """The flags that a module defines or has declared as its own."""
        further = self._key_by_module.get(_name_of(module), ())
        return list(dict.fromkeys([*self.get_flags_for_module(module), *further]))

    def get_help(self, prefix: str = "", include_special_flags: bool = True) -> str:
        """What `--helpfull` prints: all flags by the modules that define them."""
        special = list(_SPECIAL._flags().values()) if include_special_flags else []
        modules = {name for each in self._sets() for name in each.flags_by_module_dict()}
        if not modules:
            return "\n".join(described([*self._flags().values(), *special], prefix))
        lines = [
            line
            for name in sorted(modules, key=lambda name: (name != sys.argv[0], name))
            for line in self._lines(name, "get_flags_for_module", prefix)
        ]
        if special:
            lines += [f"\n{prefix}absl.flags:", *described(special, f"{prefix}  ")]
        return "\n".join(lines)

    def module_help(self, module: Any) -> str:
        """What `--help` says of the flags of a module, or the one of a name."""
        return "\n".join(self._lines(_name_of(module), "get_key_flags_for_module"))

    def main_module_help(self) -> str:
        """What `--help` says of the flags of the program."""
        return self.module_help(sys.argv[0])

    def _sets(self) -> list[Any]:
        return [self] if self.beside is None else [self, self.beside]

    def _lines(self, module: str, get: str, prefix: str = "") -> list[str]:
        flags = [
            flag
            for own in self._sets()
            for flag in getattr(own, get)(module)
            if any(flag.name in each and each[flag.name] is flag for each in (own, _SPECIAL))
        ]
        head = [f"\n{prefix}{module}:"] if flags else []
        return head + described(flags, f"{prefix}  ")


def _next(items: Iterator[str], item: str) -> str:
    """The value of a flag that follows it."""
    for text in items:
        return text
    raise Error(f"Missing value for flag {item}")


def _give(flag: Flag, text: str) -> None:
    flag.parse(text)
    flag.using_default_value = False


def _name_of(module: Any) -> str:
    """The name by which the flags of a module, or the one of a name, are kept."""
    name = module if isinstance(module, str) else module.__name__
    return sys.argv[0] if name == "__main__" else name


def _defined_twice(name: str, first: str, second: str, flag: Flag) -> DuplicateFlagError:
    return DuplicateFlagError(
        f"The flag '{name}' is defined twice. First from {first}, second from {second}. "
        f"Description from first occurrence: {flag.help}"
    )


class _ParsingFlagValues(FlagValues):
    """The flags of a program. Reading the first one parses `sys.argv`."""

    def _read_unparsed(self, name: str) -> None:
        self._parse_flags()

    def _sets(self) -> list[Any]:
        sets = super()._sets()
        return sets if any("help" in each for each in sets) else [*sets, _HELP]

    def _meet_unknown(self, name: str, text: str) -> None:
        if (name == "h" or name in _HELP) and (not text or BooleanParser().parse(text)):
            self._show_help(full=name == "helpfull")

    def _show_help(self, full: bool) -> NoReturn:
        """Prints what the program is and its flags, and ends it."""
        program, what = sys.argv[0], sys.modules["__main__"].__doc__
        if not what:
            usage = f"\nUSAGE: {program} [flags]\n"
            what = text_wrap(usage, indent=" " * 7, firstline_indent="")
        else:
            try:
                what %= (program,) * (what.count("%") - 2 * what.count("%%"))
            except (OverflowError, TypeError, ValueError):
                pass  # its percent signs stand for themselves
        flags = self.get_help() if full else self.main_module_help()
        print(what + (f"\nflags:\n{flags}" if flags else ""))
        if not full:
            print("\nTry --helpfull to get a list of all flags.")
        sys.exit(1)


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
    name, module = _calling_module() if module_name is None else (module_name, None)
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


def DEFINE_enum_class(
    name: str, default: Any, enum_class: Any, help: str | None, flag_values: Any = None,
    **args: Any,
) -> FlagHolder:  # fmt: skip
    """Defines a flag that holds a member of an `enum.Enum`; `args` as of `EnumClassFlag`."""
    return _add(EnumClassFlag, flag_values, args, name, default, help, enum_class)


def DEFINE_multi_enum_class(
    name: str, default: Any, enum_class: Any, help: str | None, flag_values: Any = None,
    **args: Any,
) -> FlagHolder:  # fmt: skip
    """Defines a flag that may be repeated, each time with a member of an `enum.Enum`."""
    return _add(MultiEnumClassFlag, flag_values, args, name, default, help, enum_class)


def DEFINE_alias(
    name: str, original_name: str, flag_values: Any = None, module_name: str | None = None
) -> FlagHolder:
    """Lets another name stand for a flag."""
    flags = FLAGS if flag_values is None else flag_values
    return DEFINE_flag(AliasFlag(name, flags._known(original_name, "")), flags, module_name)


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
    flags[name].validators.append(_Check(name, checker, message))


def register_multi_flags_validator(
    flag_names: Sequence[str | FlagHolder], multi_flags_checker: Callable[[dict], Any],
    message: str = "Flags validation failed", flag_values: FlagValues | None = None,
) -> None:  # fmt: skip
    """As `register_validator`, for several flags: the function takes a dict of their values."""
    named = [_named(flag, flag_values) for flag in flag_names]
    check = _Check(tuple(name for name, _ in named), multi_flags_checker, message)
    for name, flags in named:
        flags[name].validators.append(check)


def _decorator(register: Callable[..., None], message: str) -> Callable[..., Any]:
    """Makes of a function that registers one that stands above what it registers."""

    def validator(flags: Any, message: str = message, flag_values: Any = None) -> Callable:
        def decorate(checker: Callable) -> Callable:
            register(flags, checker, message, flag_values)
            return checker

        return decorate

    validator.__doc__ = f"Makes the function below it check flags, as `{register.__name__}` does."
    return validator


validator = _decorator(register_validator, "Flag validation failed")
multi_flags_validator = _decorator(register_multi_flags_validator, "Flags validation failed")


def _exclusive(
    names: Sequence[Any], required: bool, flag_values: Any, given: Any, what: str
) -> None:
    def at_most_one(values: dict[str, Any]) -> bool:
        count = sum(map(given, values.values()))
        return count == 1 or (not count and not required)

    told = ", ".join(_named(flag, flag_values)[0] for flag in names)
    text = f"{'Exactly' if required else 'At most'} one of ({told}) must {what}."
    register_multi_flags_validator(names, at_most_one, text, flag_values)


def mark_flags_as_mutual_exclusive(
    flag_names: Sequence[Any], required: bool = False, flag_values: Any = None
) -> None:
    """Makes parsing fail when more than one of the flags has a value; with `required`, or none."""
    for flag in flag_names:
        name, flags = _named(flag, flag_values)
        if flags[name].default is not None:
            warnings.warn(
                f"Flag --{name} has a non-None default value. That does not make sense with "
                "mark_flags_as_mutual_exclusive, which checks whether the listed flags have a "
                "value other than None.",
                stacklevel=2,
            )
    what = "have a value other than None"
    _exclusive(flag_names, required, flag_values, lambda value: value is not None, what)


def mark_bool_flags_as_mutual_exclusive(
    flag_names: Sequence[Any], required: bool = False, flag_values: Any = None
) -> None:
    """Makes parsing fail when more than one of the flags is True; with `required`, or none.

    Raises:
      ValidationError: when one of them is not Boolean.
    """
    for flag in flag_names:
        name, flags = _named(flag, flag_values)
        if not flags[name].boolean:
            raise ValidationError(
                f"Flag --{name} is not Boolean, which is required for flags used in "
                "mark_bool_flags_as_mutual_exclusive."
            )
    _exclusive(flag_names, required, flag_values, bool, "be True")


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


# ---- what changes flags ------------------------------------------------------------------


def set_default(flag_holder: str | FlagHolder, value: Any) -> None:
    """Gives a flag another default."""
    name, flags = _named(flag_holder, None)
    flags.set_default(name, value)


def override_value(flag_holder: FlagHolder, value: Any) -> None:
    """Gives a flag a value, whatever the command line says.

    Raises:
      IllegalFlagValueError: when the parser of the flag would make another value of it.
    """
    name, flags = _named(flag_holder, None)
    parsed = flags[name]._parse(value)
    if parsed != value:
        raise IllegalFlagValueError(
            f"flag {name}: parsed value {parsed!r} not equal to original {value!r}"
        )
    setattr(flags, name, value)


def declare_key_flag(flag_name: str | FlagHolder, flag_values: Any = None) -> None:
    """Lets `--help` tell a flag of another module as if the calling one had defined it.

    Raises:
      ValueError: when there is no such flag.
    """
    name, flags = _named(flag_name, flag_values)
    flag = _SPECIAL._flags().get(name) or flags._flags().get(name)
    if flag is None:
        raise ValueError(
            f"Flag --{name} is undefined. To set a flag as a key flag first define it in Python."
        )
    flags.register_key_flag_for_module(_calling_module()[0], flag)


def adopt_module_key_flags(module: Any, flag_values: Any = None) -> None:
    """Lets `--help` tell the flags of a module as if the calling one had defined them."""
    if not isinstance(module, ModuleType):
        raise Error(f"Expected a module object, not {module!r}.")
    flags = FLAGS if flag_values is None else flag_values
    own = list(_SPECIAL._flags().values()) if module.__name__ == __name__ else []
    for flag in [*flags.get_key_flags_for_module(module), *own]:
        flags.register_key_flag_for_module(_calling_module()[0], flag)


def disclaim_key_flags() -> None:
    """Lets flags that the calling module defines from now on count as those of who calls it."""
    _DISCLAIMED.add(sys._getframe(1).f_globals["__name__"])


# ---- flags that are not the program's ----------------------------------------------------

_SPECIAL, _HELP = FlagValues(), FlagValues()
DEFINE_string(
    "flagfile", "", "Insert flag definitions from the given file into the command line.", _SPECIAL
)
DEFINE_string(
    "undefok", "", "comma-separated names of flags that may be given though the program does not "
    "define them; those with a value as --name=value", _SPECIAL,
)  # fmt: skip
_APP: dict[str, Any] = {"flag_values": _HELP, "module_name": "absl.app"}
DEFINE_boolean("help", False, "show this help", short_name="?", **_APP)
DEFINE_boolean("helpshort", False, "show this help", **_APP)
DEFINE_boolean("helpfull", False, "show full help", **_APP)
