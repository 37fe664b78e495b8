"""What is known of a data set: its features, its size, where it comes from; and its parts.

info.features["label"].names            ["setosa", "versicolor", "virginica"]
info.splits["train"].num_examples       150
print(info)                             all of it

A part is told in a small language, "train", "train[:80%]", "train[10:20]+test":

expression := part ("+" part)*        part := name | name "[" from ":" to "]"
from, to   := a number of examples, or of per cent; negative ones count from the end

"train[:80%]"  --slices_of-->  [Slice("train", 0, 48000)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph import dtypes

# ---- parts -------------------------------------------------------------------------------

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


def slices_of(spec: Any, sizes: Mapping[str, int]) -> list[Slice]:
    """The examples that an expression names; `a+b` names those of a, then those of b.

    Args:
      spec: the expression.
      sizes: by split how many examples it has.
    Raises:
      ValueError: when it is no expression, there is no such split, or it has fewer examples.
    """
    slices = []
    for text in str(spec).split("+"):
        match = _PART.fullmatch(text)
        if match is None:
            raise ValueError(
                f"Unrecognized split: {spec!r}; splits are written as 'train', 'train[:80%]', "
                "'train[10:20]' or 'train+test'."
            )
        name, start, start_unit, stop, stop_unit = match.groups()
        if name not in sizes and name != "all":
            raise ValueError(f"Unknown split {name!r}. Should be one of {sorted(sizes)}.")
        for each in sizes if name == "all" else [name]:
            count = sizes[each]
            first = _place(start, start_unit, count, 0)
            last = _place(stop, stop_unit, count, count)
            if max(abs(first), abs(last)) > count:
                raise ValueError(
                    f"Requested slice [{first or ''}:{last}] incompatible with {count} examples."
                )
            first, last = (end + count if end < 0 else end for end in (first, last))
            slices.append(Slice(each, first, max(first, last)))
    return slices


def _place(number: str | None, unit: str | None, count: int, otherwise: int) -> int:
    """One end of a slice as a number of examples, below 0 when counted from the other end."""
    if number is None:
        return otherwise
    if unit == "%" and abs(int(number)) > 100:
        raise ValueError("Percent slice boundaries must be > -100 and < 100.")
    return round(int(number) * count / 100) if unit == "%" else int(number)


# ---- features ----------------------------------------------------------------------------


class Tensor:
    """A feature: an array of one type and shape.

    Args:
      shape: of one example, without the batch.
      dtype: its type.
      names: what its columns are called, where they have names.
    """

    def __init__(self, *, shape: Sequence[int | None], dtype: Any, names: Sequence[str] = ()):
        self.shape = tuple(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.names = list(names)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape}, dtype={self.dtype.name})"


class Image(Tensor):
    """A feature: a picture, [height, width, channels] of 0..255."""

    def __init__(self, *, shape: Sequence[int | None] = (None, None, 3), dtype: Any = dtypes.uint8):
        super().__init__(shape=shape, dtype=dtype)


class Text(Tensor):
    """A feature: a text in UTF-8."""

    def __init__(self) -> None:
        super().__init__(shape=(), dtype=dtypes.string)


class ClassLabel(Tensor):
    """A feature: the number of a class.

    Args:
      num_classes: how many classes there are.
      names: what they are called; the numbers themselves when None.
    """

    def __init__(self, *, num_classes: int | None = None, names: Iterable[str] | None = None):
        names = [str(n) for n in (range(num_classes or 0) if names is None else names)]
        super().__init__(shape=(), dtype=dtypes.int64, names=names)

    @property
    def num_classes(self) -> int:
        """How many classes there are."""
        return len(self.names)

    def int2str(self, int_value: int) -> str:
        """The name of a class.

        Raises:
          ValueError: when there is no such class.
        """
        if not 0 <= int_value < self.num_classes:
            raise ValueError(f"Invalid integer class label {int_value:d}")
        return self.names[int_value]

    def str2int(self, str_value: str) -> int:
        """The number of a class.

        Raises:
          ValueError: when there is no such class.
        """
        if str_value not in self.names:
            raise ValueError(f"Invalid string class label {str_value}")
        return self.names.index(str_value)

    def __repr__(self) -> str:
        return f"ClassLabel(shape=(), dtype={self.dtype.name}, num_classes={self.num_classes})"


class FeaturesDict(dict[str, Tensor]):
    """The features of a data set by name."""

    @property
    def shape(self) -> dict[str, tuple]:
        """By name the shape of an example."""
        return {name: each.shape for name, each in self.items()}

    @property
    def dtype(self) -> dict[str, Any]:
        """By name the type."""
        return {name: each.dtype for name, each in self.items()}

    def __repr__(self) -> str:
        lines = "".join(f"    {name!r}: {each},\n" for name, each in sorted(self.items()))
        return f"FeaturesDict({{\n{lines}}})"


@dataclass(frozen=True)
class SplitInfo:
    """A part of a data set."""

    name: str
    num_examples: int

    def __repr__(self) -> str:
        return f"<SplitInfo num_examples={self.num_examples}, num_shards=1>"


class SplitDict(dict[str, SplitInfo]):
    """The parts of a data set by name; also `splits["train[:80%]"]`."""

    def __missing__(self, key: str) -> SplitInfo:
        sizes = {name: each.num_examples for name, each in self.items()}
        return SplitInfo(key, sum(each.stop - each.start for each in slices_of(key, sizes)))


@dataclass
class DatasetInfo:
    """What is known of a data set; it prints as a page."""

    name: str
    description: str
    features: FeaturesDict
    supervised_keys: tuple[str, str]
    splits: SplitDict
    homepage: str
    citation: str
    data_dir: str = ""
    version: str = "1.0.0"
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """The name with the version."""
        return f"{self.name}/{self.version}"

    def __repr__(self) -> str:
        rows = {
            "name": repr(self.name),
            "full_name": repr(self.full_name),
            "description": f'"""\n{self.description}\n"""',
            "homepage": repr(self.homepage),
            "data_dir": repr(self.data_dir),
            "features": repr(self.features),
            "supervised_keys": repr(self.supervised_keys),
            "splits": "{\n"
            + "".join(f"    {n!r}: {each},\n" for n, each in sorted(self.splits.items()))
            + "}",
            "citation": f'"""{self.citation}"""',
        }
        lines = "".join(
            "    " + f"{name}={text},".replace("\n", "\n    ") + "\n" for name, text in rows.items()
        )
        return f"tfds.core.DatasetInfo(\n{lines})"
