"""What MetaGraphs and saved models are made of, as messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Self

from minitf.core.graph import dtypes
from minitf.core.graph.graph_def import GraphDef
from minitf.core.graph.messages import Message
from minitf.library.saving.saver_builder import SaverDef

#: Reads the messages below as TensorFlow writes them: (bytes, kind) -> message. `meta_graph.py`,
#: which knows the objects of collections, enters it.
readers: list[Callable[[bytes, Any], Any]] = []


class InFiles(Message):
    """A message that files hold: as JSON, or as TensorFlow writes it, in bytes or in text."""

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        """The message that a file holds.

        Raises:
          ValueError: when it is none.
        """
        if data[:1] == b"{":
            return super().FromString(data)
        message: Self = readers[0](data, cls)
        return message


@dataclass
class MetaInfoDef(Message):
    """What is known of how a MetaGraph came to be.

    Args:
      meta_graph_version: what its writer called it.
      tags: for what it is meant, as "serve".
    """

    meta_graph_version: str = ""
    tags: list[str] = field(default_factory=list)


@dataclass
class CollectionDef(Message):
    """One collection as data; one of the lists is in use.

    Args:
      nodes: names of tensors and operations.
      objects: variables, queue runners and the like, each in its JSON form.
      ints, floats, texts: plain values.
    """

    nodes: list[str] = field(default_factory=list)
    objects: list[dict] = field(default_factory=list)
    ints: list[int] = field(default_factory=list)
    floats: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class Sizes(list):
    """A shape in a message: the sizes, None where open.

    Args:
      sizes: the sizes; None when even the rank is unknown.
    """

    def __init__(self, sizes: Iterable[int | None] | None) -> None:
        super().__init__(sizes or ())
        self.unknown_rank = sizes is None or getattr(sizes, "unknown_rank", False)

    @property
    def dim(self) -> list[SimpleNamespace]:
        """The sizes as TensorFlow's message has them, -1 where open."""
        return [SimpleNamespace(size=-1 if size is None else size, name="") for size in self]


@dataclass
class CooSparse(Message):
    """The names of the three tensors of a sparse one."""

    values_tensor_name: str = ""
    indices_tensor_name: str = ""
    dense_shape_tensor_name: str = ""


@dataclass
class TensorInfo(Message):
    """What a tensor is called and looks like, for those who feed or fetch it.

    Args:
      name: the name, as "x:0".
      dtype: the type, as "DT_FLOAT".
      tensor_shape: the sizes, None where open; None when even the rank is.
      coo_sparse: in place of the name for a sparse tensor.
    """

    name: str = ""
    dtype: str = ""
    tensor_shape: list | None = None
    coo_sparse: CooSparse | None = None

    def __post_init__(self) -> None:
        self.tensor_shape = Sizes(self.tensor_shape)
        if isinstance(self.dtype, int):
            self.dtype = dtypes.as_dtype(int(self.dtype)).enum_name if self.dtype else ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form as a dict; a shape of unknown rank is left out."""
        form = super().to_dict()
        if isinstance(self.tensor_shape, Sizes) and self.tensor_shape.unknown_rank:
            form.pop("tensor_shape", None)
        return form


TensorInfo.CooSparse = CooSparse  # type: ignore[attr-defined]


@dataclass
class SignatureDef(Message):
    """A use of a graph: what to feed, what to fetch.

    Args:
      inputs, outputs: the tensors by the names that callers know.
      method_name: what kind of use it is.
    """

    inputs: dict[str, TensorInfo] = field(default_factory=dict)
    outputs: dict[str, TensorInfo] = field(default_factory=dict)
    method_name: str = ""


@dataclass
class AssetFileDef(Message):
    """A file that belongs to a saved model.

    Args:
      filename: its name in the folder `assets`.
      tensor_info: the tensor to feed with its path.
    """

    filename: str = ""
    tensor_info: TensorInfo = field(default_factory=TensorInfo)


@dataclass
class MetaGraphDef(InFiles):
    """A graph, its collections and its saver as data."""

    meta_info_def: MetaInfoDef = field(default_factory=MetaInfoDef)
    graph_def: GraphDef = field(default_factory=GraphDef)
    saver_def: SaverDef | None = None
    collection_def: dict[str, CollectionDef] = field(default_factory=dict)
    signature_def: dict[str, SignatureDef] = field(default_factory=dict)
    asset_file_def: list[AssetFileDef] = field(default_factory=list)


MetaGraphDef.MetaInfoDef = MetaInfoDef  # type: ignore[attr-defined]


@dataclass
class SavedModel(InFiles):
    """The content of `saved_model.pb`.

    Args:
      saved_model_schema_version: 1.
      meta_graphs: the graphs; the tags of no two are the same.
    """

    saved_model_schema_version: int = 0
    meta_graphs: list[MetaGraphDef] = field(default_factory=list)
