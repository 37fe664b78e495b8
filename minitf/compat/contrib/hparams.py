"""`tf.contrib.training.HParams`: the settings of a model, typed by their defaults.

hparams = HParams(learning_rate=0.1, units=[64, 32])
hparams.parse("learning_rate=0.3,units=[128,64]")
hparams.units        # [128, 64]
"""

from __future__ import annotations

import csv
import json
import numbers
import re
from collections.abc import Mapping
from typing import Any

_NAME = r"\s*(?P<name>[a-zA-Z][\w.]*)\s*"
_PART = re.compile(
    rf"{_NAME}(\[(?P<index>\d+)\]\s*)?=\s*(\[(?P<list>[^\]]*)\]|(?P<one>[^,\[]*))(,|$)"
)


def parse_values(
    values: str, type_map: Mapping[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Reads a text "name=value,name=[v,v],name[1]=value".

    Args:
      values: the text.
      type_map: the type of each setting, or of what its list holds.
      ignore_unknown: whether to pass over other names.
    Returns: from names to values, to lists, or to dicts from places in a list to values.
    Raises:
      ValueError: when the text cannot be read, names what is not there, or says a value twice.
    Example:
      >>> tf.contrib.training.parse_values("rate=0.5,units=[8,4]", {"rate": float, "units": int})
      {'rate': 0.5, 'units': [8, 4]}
    """
    found: dict[Any, Any] = {}
    position = 0
    while position < len(values):
        part = _PART.match(values, position)
        if part is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = part.end()
        name, index = part["name"], part["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        into, place = found, name
        if index is not None:
            into, place = found.setdefault(name, {}), int(index)
        if not isinstance(into, dict) or place in into:
            said = name if index is None or not isinstance(into, dict) else f"{name}[{index}]"
            raise ValueError(f"Multiple assignments to variable '{said}' in {values}")
        kind = type_map[name]
        if part["list"] is None:
            into[place] = _read(name, kind, part["one"], values)
        else:
            [items] = csv.reader([part["list"]], skipinitialspace=True)
            into[place] = [_read(name, kind, item, values) for item in items]
    return found


class HParams:
    """Named settings; each is an attribute and keeps the type of its first value.

    Args:
      hparam_def: not used; settings come by name.
      model_structure: anything that goes with them.
      kwargs: names and values: numbers, texts, Booleans, None, or lists of one type.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a setting.

        Raises:
          ValueError: when the name is taken, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        many = isinstance(value, (list, tuple))
        if many and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._types[name] = (type(value[0] if many else value), many)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes a setting.

        Raises:
          KeyError: when there is none of that name.
          ValueError: when the value does not have its type.
        """
        kind, many = self._types[name]
        if isinstance(value, list) and not many:
            raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
        if many and not isinstance(value, list):
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        cast = [_cast(name, kind, v) for v in value] if many else _cast(name, kind, value)
        setattr(self, name, cast)

    def parse(self, values: str) -> HParams:
        """Changes settings by a text "name=value,name=[v,v],name[1]=value".

        Raises:
          ValueError: when the text cannot be read, or names what is not there.
        """
        kinds = {name: kind for name, (kind, _) in self._types.items()}
        for name, value in parse_values(values, kinds).items():
            if isinstance(value, dict):
                listed = list(getattr(self, name))
                listed += [None] * (max(value) + 1 - len(listed))
                for index, each in value.items():
                    listed[index] = each
                setattr(self, name, listed)
            else:
                self.set_hparam(name, value)
        return self

    def values(self) -> dict[str, Any]:
        """The settings as a dict."""
        return {name: getattr(self, name) for name in self._types}

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """The settings as a JSON object."""
        kept = {k: v for k, v in self.values().items() if not callable(v)}
        return json.dumps(kept, indent=indent, separators=separators, sort_keys=sort_keys)

    def get(self, key: str, default: Any = None) -> Any:
        """A setting, or `default` when there is none of that name."""
        return getattr(self, key) if key in self._types else default

    def __contains__(self, key: str) -> bool:
        return key in self._types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


def _cast(name: str, kind: Any, value: Any) -> Any:
    """A value as the setting's type, if nothing is lost."""
    wrong = ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    if value is None or kind is type(None) or callable(value):
        return value
    if issubclass(kind, bool) or isinstance(value, bool):
        if not (issubclass(kind, bool) and isinstance(value, bool)):
            raise wrong
        return value
    if issubclass(kind, (str, bytes)) != isinstance(value, (str, bytes)):
        raise wrong
    if issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise wrong
    return kind(value)


def _read(name: str, kind: Any, text: str, values: str) -> Any:
    """A value out of a text."""
    text = text.strip()
    try:
        if issubclass(kind, bool):
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return text if kind is type(None) else kind(text)
    except (KeyError, ValueError):
        raise ValueError(
            f'Could not parse hparam "{name}" of type "{kind.__name__}" with value "{text}" '
            f"in {values}"
        ) from None
