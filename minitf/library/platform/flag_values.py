"""Sets of flags: `FlagValues` parses a command line, and knows which module defines which flag.

    argv ──> files of flags put in ──> each flag's `parse` ──> what checks the values
                                  └──> what is no flag, for the program

`--help` tells flags by the modules that define them, those of the program itself first.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, NoReturn

from minitf.library.platform.flag_kinds import (
    BooleanParser,
    DuplicateFlagError,
    Error,
    Flag,
    FlagNameConflictsWithMethodError,
    IllegalFlagValueError,
    UnparsedFlagAccessError,
    UnrecognizedFlagError,
    ValidationError,
)
from minitf.library.platform.flag_texts import described, in_xml, suggestions, text_wrap, with_files

# ---- who defines a flag -------------------------------------------------------------------

#: modules that define flags for others, and are not told as theirs
DISCLAIMED = {__name__, *(f"{__package__}.{name}" for name in ("app", "flag_kinds", "flags"))}


def calling_module() -> tuple[str, ModuleType]:
    """The name and the module of who calls; that of the program is the path it was started by."""
    for depth in itertools.count(1):
        name = sys._getframe(depth).f_globals.get("__name__")
        if name in sys.modules and name not in DISCLAIMED:
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
                own, module = calling_module()
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

    # ---- command lines --------------------------------------------------------------------

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

    # ---- modules and help -----------------------------------------------------------------

    def flags_by_module_dict(self) -> dict[str, list[Flag]]:
        """The flags by the names of the modules that define them."""
        return self._by_module

    def register_flag_by_module(self, module_name: str, flag: Flag) -> None:
        """Notes which module defines a flag."""
        self._by_module.setdefault(module_name, []).append(flag)

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
        special = list(SPECIAL._flags().values()) if include_special_flags else []
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

    def write_help_in_xml_format(self, outfile: Any = None) -> None:
        """Writes what `--helpxml` prints: what the program is, and all flags by module and name.

        Args:
          outfile: a text file; standard output when None.
        """
        program, usage = sys.argv[0], sys.modules["__main__"].__doc__
        usage = usage.replace("%s", program) if usage else f"\nUSAGE: {program} [flags]\n"
        found = [
            (module, flag.name, flag in own.get_key_flags_for_module(program), flag)
            for own in self._sets()
            for module, flags in own.flags_by_module_dict().items()
            for flag in flags
        ]
        found.sort(key=lambda each: each[:2])
        outfile = outfile or sys.stdout
        outfile.write(in_xml(usage, ((module, key, flag) for module, _, key, flag in found)))
        outfile.flush()

    def _sets(self) -> list[Any]:
        return [self] if self.beside is None else [self, self.beside]

    def _lines(self, module: str, get: str, prefix: str = "") -> list[str]:
        flags = [
            flag
            for own in self._sets()
            for flag in getattr(own, get)(module)
            if any(flag.name in each and each[flag.name] is flag for each in (own, SPECIAL))
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


class ParsingFlagValues(FlagValues):
    """The flags of a program. Reading the first one parses `sys.argv`."""

    def _read_unparsed(self, name: str) -> None:
        self._parse_flags()

    def _sets(self) -> list[Any]:
        sets = super()._sets()
        return sets if any("help" in each for each in sets) else [*sets, HELP]

    def _meet_unknown(self, name: str, text: str) -> None:
        if (name == "h" or name in HELP) and (not text or BooleanParser().parse(text)):
            if name == "helpxml":
                self.write_help_in_xml_format()
                sys.exit(1)
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
        with contextlib.suppress(BrokenPipeError):  # who reads it has seen enough
            print(what + (f"\nflags:\n{flags}" if flags else ""))
            if not full:
                print("\nTry --helpfull to get a list of all flags.")
        sys.exit(1)


#: flags that every command line may have, and those of the program's own set
SPECIAL, HELP = FlagValues(), FlagValues()
