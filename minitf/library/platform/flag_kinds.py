"""The kinds of flags, how their text becomes a value, and the errors of flags.

    --rate=0.5   "0.5" ──ArgumentParser.parse──▶ 0.5 ──ArgumentSerializer.serialize──▶ "0.5"

A program with flags of a type of its own derives a parser, and calls `tf.app.flags.DEFINE`. A flag
holds its default, which its parser has seen too, until a command line or the program gives another
value. What has the type of the flag already passes the parser as it is.
"""

from __future__ import annotations

import csv
import enum
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar


class Error(Exception):
    """The base of the errors of flags."""


class CantOpenFlagFileError(Error):
    """A file of flags cannot be read."""


class DuplicateFlagError(Error):
    """A flag is defined whose name another has."""


class FlagNameConflictsWithMethodError(Error):
    """A flag is defined whose name a method of the set has."""


class IllegalFlagValueError(Error):
    """The value of a flag is none that its type, or the program, allows."""


class UnparsedFlagAccessError(Error):
    """The value of a flag was asked for before a command line was parsed."""


class UnrecognizedFlagError(Error):
    """There is no flag of that name; `suggestions` are names that may have been meant."""

    def __init__(self, flagname: str, flagvalue: Any = "", suggestions: Sequence[str] = ()) -> None:
        self.flagname, self.flagvalue = flagname, flagvalue
        tip = f". Did you mean: {', '.join(suggestions)} ?" if suggestions else ""
        super().__init__(f"Unknown command line flag '{flagname}'{tip}")


class ValidationError(Error):
    """What a checker of flags raises, or is said to have raised."""


# ---- parsers and serializers --------------------------------------------------------------


class ArgumentParser:
    """Takes any text as it is; the base of the parsers.

    A kind of its own has `parse(argument)`, which raises ValueError or TypeError for what does not
    fit, `flag_type()`, and the attribute `syntactic_help`, which describes what fits.
    """

    syntactic_help, _type = "", "string"

    def parse(self, argument: Any) -> Any:
        """Gives the value."""
        if not isinstance(argument, str):
            raise TypeError(f'flag value must be a string, found "{type(argument)}"')
        return argument

    def flag_type(self) -> str:
        """The name of the type, for `--help`."""
        return self._type


class _NumericParser(ArgumentParser):
    """Takes numbers between two bounds, either of which may be None."""

    number_article, number_name = "a", "number"
    #: what numbers are called that have this bound alone
    above: ClassVar[Mapping[float, str]] = {0: "non-negative"}
    below: ClassVar[Mapping[float, str]] = {0: "non-positive"}

    def __init__(self, lower_bound: Any = None, upper_bound: Any = None) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self.syntactic_help = self._range(lower_bound, upper_bound)

    def _range(self, low: Any, high: Any) -> str:
        sign = self.above.get(low) or self.below.get(high)
        if high is None or low is None:
            if sign:
                return f"a {sign} {self.number_name}"
            if high is not low:
                return f"{self.number_name} " + (f">= {low}" if high is None else f"<= {high}")
        within = "" if high is None else f" in the range [{low}, {high}]"
        return f"{self.number_article} {self.number_name}{within}"

    def is_outside_bounds(self, val: Any) -> bool:
        """Whether a number is too small or too large."""
        low, high = self.lower_bound, self.upper_bound
        return (low is not None and val < low) or (high is not None and val > high)

    def convert(self, argument: Any) -> Any:
        """Makes a number of a text, whatever the bounds."""
        raise NotImplementedError

    def parse(self, argument: Any) -> Any:
        """Gives the number.

        Raises:
          TypeError: when it is of another type.
          ValueError: when it is none, or outside of the bounds.
        """
        value = self.convert(argument)
        if self.is_outside_bounds(value):
            raise ValueError(f"{value} is not {self.syntactic_help}")
        return value


class FloatParser(_NumericParser):
    """Takes numbers."""

    _type, syntactic_help = "float", "a number"

    def convert(self, argument: Any) -> float:
        """Makes a float of a text, an int or a float."""
        if isinstance(argument, bool) or not isinstance(argument, int | float | str):
            kind = type(argument)
            raise TypeError(f"Expect argument to be a string, int, or float, found {kind}")
        return float(argument)


class IntegerParser(_NumericParser):
    """Takes whole numbers; also such as 0x1f and 0o17."""

    number_article, number_name, _type, syntactic_help = "an", "integer", "int", "an integer"
    above: ClassVar = {0: "non-negative", 1: "positive"}
    below: ClassVar = {0: "non-positive", -1: "negative"}

    def convert(self, argument: Any) -> int:
        """Makes an int of a text or an int."""
        if isinstance(argument, str):
            base = {"0o": 8, "0x": 16}.get(argument[:2], 10) if len(argument) > 2 else 10
            return int(argument, base)
        if isinstance(argument, int) and not isinstance(argument, bool):
            return argument
        raise TypeError(f"Expect argument to be a string or int, found {type(argument)}")


class BooleanParser(ArgumentParser):
    """Takes true, t, 1 and false, f, 0."""

    _type = "bool"

    def parse(self, argument: Any) -> bool:
        """Gives the bool."""
        text = argument.lower() if isinstance(argument, str) else argument
        if not isinstance(text, str | int):
            raise TypeError("Non-boolean argument to boolean flag", argument)
        if text in ("true", "t", "1", 1):
            return True
        if text in ("false", "f", "0", 0):
            return False
        raise ValueError("Non-boolean argument to boolean flag", argument)


class EnumParser(ArgumentParser):
    """Takes one of `enum_values`, texts; unless `case_sensitive` in letters of any case."""

    _type = "string enum"

    def __init__(self, enum_values: Iterable[str], case_sensitive: bool = True) -> None:
        if not enum_values:
            raise ValueError(f'enum_values cannot be empty, found "{enum_values}"')
        if isinstance(enum_values, str):
            raise ValueError(f'enum_values cannot be a str, found "{enum_values}"')
        self.enum_values, self.case_sensitive = list(enum_values), case_sensitive

    def parse(self, argument: str) -> str:
        """Gives the text as it stands among the values."""
        for value in self.enum_values:
            if argument == value or (not self.case_sensitive and argument.upper() == value.upper()):
                return value
        raise ValueError(f"value should be one of <{'|'.join(self.enum_values)}>")


class EnumClassParser(ArgumentParser):
    """Takes a member of an `enum.Enum`, or its name; unless `case_sensitive` in any letters."""

    _type = "enum class"

    def __init__(self, enum_class: type[enum.Enum], case_sensitive: bool = True) -> None:
        if not issubclass(enum_class, enum.Enum):
            raise TypeError(f"{enum_class} is not a subclass of Enum.")
        if not enum_class.__members__:
            raise ValueError(f'enum_class cannot be empty, but "{enum_class}" is empty.')
        names = [name if case_sensitive else name.lower() for name in enum_class.__members__]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"Duplicate enum values for {twice} using case_sensitive=False")
        self.enum_class, self._names = enum_class, EnumParser(names, case_sensitive)

    @property
    def member_names(self) -> tuple[str, ...]:
        """The names of the members, in small letters unless these matter."""
        return tuple(self._names.enum_values)

    def parse(self, argument: Any) -> enum.Enum:
        """Gives the member."""
        if isinstance(argument, self.enum_class):
            return argument
        if not isinstance(argument, str):
            raise ValueError(
                f"{argument} is not an enum member or a name of a member in {self.enum_class}"
            )
        place = self.member_names.index(self._names.parse(argument))
        return list(self.enum_class.__members__.values())[place]


class BaseListParser(ArgumentParser):
    """Takes texts between separators: `token`, or white space when it is None; `name` says what."""

    #: the characters that may be between parts
    separators: Iterable[str] = ()

    def __init__(self, token: str | None = None, name: str | None = None) -> None:
        assert name
        self._token, self._type = token, f"{name} separated list of strings"
        self.syntactic_help = f"a {name} separated list"

    def parse(self, argument: Any) -> list[str]:
        """Gives the parts; a list is one already."""
        if isinstance(argument, list):
            return argument
        return self._parts(argument) if argument else []

    def _parts(self, text: str) -> list[str]:
        return [part.strip() for part in text.split(self._token)]


class ListParser(BaseListParser):
    """Takes texts between commas; one in quotation marks may have commas in it."""

    separators = ","

    def __init__(self) -> None:
        super().__init__(",", "comma")

    def _parts(self, text: str) -> list[str]:
        try:
            return [part.strip() for part in next(csv.reader([text], strict=True))]
        except csv.Error as error:
            raise ValueError(
                f"Unable to parse the value {text!r} as a {self.flag_type()}: {error}"
            ) from error


class ArgumentSerializer:
    """Writes a value as Python does."""

    def serialize(self, value: Any) -> str:
        """The text from which the parser makes the value."""
        return str(value)


class ListSerializer(ArgumentSerializer):
    """Writes a list with a separator between its parts."""

    def __init__(self, list_sep: str) -> None:
        self.list_sep = list_sep

    def serialize(self, value: Any) -> str:
        """The text from which the parser makes the list."""
        return self.list_sep.join(map(str, value))


class CsvListSerializer(ListSerializer):
    """Writes a list with quotation marks where a part has the separator in it."""

    def serialize(self, value: Any) -> str:
        """The text from which the parser makes the list."""
        line = io.StringIO()
        csv.writer(line, delimiter=self.list_sep).writerow(map(str, value))
        return line.getvalue().strip()


class EnumClassSerializer(ArgumentSerializer):
    """Writes the name of a member of an `enum.Enum`, in small letters if `lowercase`."""

    def __init__(self, lowercase: bool) -> None:
        self._lowercase = lowercase

    def serialize(self, value: Any) -> str:
        """The text from which the parser makes the member."""
        return value.name.lower() if self._lowercase else value.name


class EnumClassListSerializer(ListSerializer):
    """Writes one member of an `enum.Enum`, or a list of them."""

    def __init__(self, list_sep: str, **kwargs: Any) -> None:
        super().__init__(list_sep)
        self._one = EnumClassSerializer(**kwargs)

    def serialize(self, value: Any) -> str:
        """The text from which the parser makes the members."""
        return self.list_sep.join(
            map(self._one.serialize, value if isinstance(value, list) else [value])
        )


# ---- flags --------------------------------------------------------------------------------


class Flag:
    """One flag.

    Args:
      parser: makes values of texts.
      serializer: makes texts of values.
      name: how it is written on the command line, after `--`.
      default: its value when it is not given, or the text of it; None for none.
      help_string: what `--help` says of it.
      short_name: a letter that may stand for the name.
      boolean: whether it stands alone: `--name` or `--noname`.
      allow_override: whether another flag may take its name.
      allow_override_cpp, allow_hide_cpp: kept.
      allow_overwrite: whether it may be given twice; then the last one counts.
      allow_using_method_names: whether it may be called as a method of `FlagValues`.
    """

    def __init__(
        self,
        parser: ArgumentParser,
        serializer: ArgumentSerializer | None,
        name: str,
        default: Any,
        help_string: str | None,
        short_name: str | None = None,
        boolean: bool = False,
        allow_override: bool = False,
        allow_override_cpp: bool = False,
        allow_hide_cpp: bool = False,
        allow_overwrite: bool = True,
        allow_using_method_names: bool = False,
    ) -> None:
        self.name, self.short_name = name, short_name
        self.help = help_string or "(no help available)"
        self.parser, self.serializer, self.boolean = parser, serializer, boolean
        self.allow_override, self.allow_overwrite = allow_override, allow_overwrite
        self.allow_override_cpp, self.allow_hide_cpp = allow_override_cpp, allow_hide_cpp
        self.allow_using_method_names = allow_using_method_names
        self.present, self.using_default_value = 0, True
        self.validators: list[Any] = []  # what checks the value
        self._set_default(default)

    # Programs of 2016 print their flags, which were no objects of their own but the values.
    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return repr(self.value)

    @property
    def value(self) -> Any:
        """What the command line, the program or the default says."""
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value

    def _set_default(self, value: Any) -> None:
        self.default_unparsed = value
        self.default = None if value is None else self._parse_default(value)
        write = self.serializer.serialize if self.serializer else str
        self.default_as_str = None
        if self.default is not None:
            text = write(self.default)
            self.default_as_str = repr(text.lower() if self.boolean else text)
        if self.using_default_value:
            self.value = self.default

    def _parse_default(self, value: Any) -> Any:
        return self._parse(value)

    def _parse(self, argument: Any) -> Any:
        try:
            return self.parser.parse(argument)
        except (TypeError, ValueError, OverflowError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={argument}: {error}") from None

    def parse(self, argument: Any) -> None:
        """Takes the value of a text.

        Raises:
          IllegalFlagValueError: when the type does not allow it, or it is given a second time.
        """
        if self.present and not self.allow_overwrite:
            raise IllegalFlagValueError(
                f"flag --{self.name}={argument}: already defined as {self.value}"
            )
        self.value = self._parse(argument)
        self.present += 1

    def unparse(self) -> None:
        """Goes back to the default."""
        self.value, self.present, self.using_default_value = self.default, 0, True

    def serialize(self) -> str:
        """What gives the value on a command line; "" for None."""
        return self._serialize(self.value)

    def _serialize(self, value: Any) -> str:
        if value is None:
            return ""
        if self.boolean:
            return f"--{self.name}" if value else f"--no{self.name}"
        if self.serializer is None:
            raise Error(f"Serializer not present for flag {self.name}")
        return f"--{self.name}={self.serializer.serialize(value)}"

    def flag_type(self) -> str:
        """The name of the type, for `--help`."""
        return self.parser.flag_type()


class BooleanFlag(Flag):
    """A flag that is given or not: `--name`, `--noname`, `--name=false`."""

    def __init__(
        self, name: str, default: Any, help: str | None, short_name: str | None = None, **args: Any
    ) -> None:
        super().__init__(BooleanParser(), None, name, default, help, short_name, True, **args)


class EnumFlag(Flag):
    """A flag that holds one of several texts."""

    def __init__(
        self,
        name: str,
        default: str | None,
        help: str | None,
        enum_values: Iterable[str],
        short_name: str | None = None,
        case_sensitive: bool = True,
        **args: Any,
    ) -> None:
        parser = EnumParser(enum_values, case_sensitive)
        super().__init__(parser, ArgumentSerializer(), name, default, help, short_name, **args)
        self.help = f"<{'|'.join(parser.enum_values)}>: {self.help}"


class MultiFlag(Flag):
    """A flag that may be given several times; its value is the list of all. Takes what `Flag` does.

    A default that is one value stands for a list of it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help += ";\n    repeat this option to specify a list of values"

    def parse(self, arguments: Any) -> None:
        """Takes one more value, or several."""
        found = self._parse(arguments)
        self.value = [*self.value, *found] if self.present else found
        self.present += len(found)

    def _parse(self, arguments: Any) -> list:
        several = isinstance(arguments, Iterable) and not isinstance(arguments, str)
        return [super(MultiFlag, self)._parse(a) for a in (arguments if several else [arguments])]

    def _serialize(self, value: Any) -> str:
        return "\n".join(super(MultiFlag, self)._serialize(item) for item in value or ())

    def flag_type(self) -> str:
        """The name of the type, for `--help`."""
        return f"multi {super().flag_type()}"


class MultiEnumClassFlag(MultiFlag):
    """A flag that may be given several times, each time with a member of an `enum.Enum`."""

    def __init__(
        self,
        name: str,
        default: Any,
        help_string: str | None,
        enum_class: type[enum.Enum],
        case_sensitive: bool = False,
        **args: Any,
    ) -> None:
        parser = EnumClassParser(enum_class, case_sensitive)
        write = EnumClassListSerializer(list_sep=",", lowercase=not case_sensitive)
        super().__init__(parser, write, name, default, help_string, **args)
        self.help = f"<{'|'.join(parser.member_names)}>: {self.help}"
