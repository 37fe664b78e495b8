"""What is known of a data set: its features, its size, where it comes from.

info.features["label"].names            ["setosa", "versicolor", "virginica"]
info.splits["train"].num_examples       150
print(info)                             all of it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape
from minitf.library.datasets.splits import ReadInstruction


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
        slices = ReadInstruction.from_spec(key).to_absolute(sizes)
        return SplitInfo(key, sum(each.stop - each.start for each in slices))

    @property
    def total_num_examples(self) -> int:
        """How many examples there are in all of them."""
        return sum(each.num_examples for each in self.values())


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

    @property
    def dataset_size(self) -> int:
        """How many bytes the examples take, without texts and lists."""
        one = 0
        for each in self.features.values():
            count = TensorShape(each.shape).num_elements()
            if each.dtype != dtypes.string and count is not None:
                one += count * each.dtype.size
        return one * self.splits.total_num_examples

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
