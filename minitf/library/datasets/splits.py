"""Which examples of a data set: "train", "train[:80%]", "train[10:20]+test", in one small language.

expression := part ("+" part)*        part := name | name "[" from ":" to "]"
from, to   := a number of examples, or of per cent; negative ones count from the end

"train[:80%]"  --parse-->  ReadInstruction  --absolute-->  [Slice("train", 0, 48000)]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PART = re.compile(r"\s*(\w+)\s*(?:\[\s*(?:(-?\d+)(%?))?\s*:\s*(?:(-?\d+)(%?))?\s*\])?\s*")


class Split(str):
    """The name of a part of a data set."""

    TRAIN: Split
    VALIDATION: Split
    TEST: Split
    ALL: Split


Split.TRAIN, Split.VALIDATION = Split("train"), Split("validation")
Split.TEST, Split.ALL = Split("test"), Split("all")


@dataclass(frozen=True)
class Slice:
    """Examples of one split, from `start` up to `stop`."""

    split: str
    start: int
    stop: int


class ReadInstruction:
    """Which examples to read; `a + b` reads those of a, then those of b.

    Args:
      split_name: the split.
      rounding: "closest", or "pct1_dropremainder": every per cent has as many examples.
      from_, to: where to begin and to end; None for its own ends.
      unit: "%" or "abs", a number of examples.
    Raises:
      ValueError: for another unit or rounding, or more than 100 per cent.
    """

    def __init__(
        self,
        split_name: str,
        rounding: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        unit: str | None = None,
    ) -> None:
        unit, rounding = unit or "%", rounding or "closest"
        if unit not in ("%", "abs"):
            raise ValueError(f"Invalid value for unit: {unit}")
        if rounding not in ("closest", "pct1_dropremainder"):
            raise ValueError(f"Invalid value for rounding: {rounding}")
        ends = _end(from_, unit), _end(to, unit)
        self._parts: tuple[tuple[str, str, Any, Any], ...] = ((str(split_name), rounding, *ends),)

    @classmethod
    def from_spec(cls, spec: Any) -> ReadInstruction:
        """Reads an expression.

        Args:
          spec: the text, or a ReadInstruction.
        Raises:
          ValueError: when it is no such text.
        """
        if isinstance(spec, ReadInstruction):
            return spec
        parts = []
        for text in str(spec).split("+"):
            match = _PART.fullmatch(text)
            if match is None:
                raise ValueError(
                    f"Unrecognized split: {spec!r}; splits are written as 'train', 'train[:80%]', "
                    "'train[10:20]' or 'train+test'."
                )
            name, *ends = match.groups()
            parts.append((name, "closest", _end(*ends[:2]), _end(*ends[2:])))
        read = cls(parts[0][0])
        read._parts = tuple(parts)
        return read

    def __add__(self, other: ReadInstruction) -> ReadInstruction:
        if not isinstance(other, ReadInstruction):
            raise ValueError("ReadInstruction can only be added to another ReadInstruction obj.")
        both = ReadInstruction(self._parts[0][0])
        both._parts = self._parts + other._parts
        return both

    def __repr__(self) -> str:
        return f"ReadInstruction({self._parts})"

    def to_absolute(self, name2len: Mapping[str, int]) -> list[Slice]:
        """The examples as numbers.

        Args:
          name2len: by split how many examples it has.
        Raises:
          ValueError: when there is no such split, or it has fewer examples.
        """
        slices = []
        for name, rounding, start, stop in self._parts:
            if name not in name2len and name != "all":
                known = sorted(name2len)
                raise ValueError(f"Unknown split {name!r}. Should be one of {known}.")
            for each in name2len if name == "all" else [name]:
                count = name2len[each]
                first = _place(start, count, rounding, 0)
                last = _place(stop, count, rounding, count)
                if max(abs(first), abs(last)) > count:
                    raise ValueError(
                        f"Requested slice [{first or ''}:{last}] incompatible with {count} "
                        "examples."
                    )
                first, last = (end + count if end < 0 else end for end in (first, last))
                slices.append(Slice(each, first, max(first, last)))
        return slices


def _end(number: Any, unit: str | None) -> tuple[int | None, str]:
    """One end of a slice as it was asked for."""
    if number is not None and unit == "%" and abs(int(number)) > 100:
        raise ValueError("Percent slice boundaries must be > -100 and < 100.")
    return None if number is None else int(number), unit or "abs"


def _place(end: tuple[int | None, str], count: int, rounding: str, otherwise: int) -> int:
    """One end of a slice as a number of examples, below 0 when counted from the other end."""
    number, unit = end
    if number is None:
        return otherwise
    if unit != "%":
        return number
    if rounding == "closest":
        return round(number * count / 100)
    if count < 100:
        raise ValueError(
            'Using "pct1_dropremainder" rounding on a split with less than 100 elements is '
            "forbidden: it always results in an empty dataset."
        )
    return number * (count // 100)
