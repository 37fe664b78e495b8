"""Examples parsed by TensorFlow's files, and by ours: what is to be found is said in three ways.

    ParseExampleV2(serialized, names, sparse_keys, dense_keys, ...)     TensorFlow 2, and ours there
    ParseExample(serialized, names, key, key, ..., default, ...)        TensorFlow 1
    ParseSingleExample(serialized, default, ...)                        in the maps of pipelines

Here the features are attributes of one operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.shapes import TensorShape, as_shape

PARSERS = ("ParseExample", "ParseExampleV2", "ParseSingleExample")


def read_parser(node: NodeDef, constant: Callable[[str], np.ndarray]) -> list[NodeDef]:
    """TensorFlow's operation as ours.

    Args:
      node: the operation.
      constant: the value of an input that is constant.
    Raises:
      ValueError: when a key is not, or a feature is ragged.
    """
    attr, given = node.attrs, node.data_inputs
    made: list[NodeDef] = []
    if node.op == "ParseSingleExample":
        names = NodeDef(f"{node.name}/names", "Const")
        names.attrs = {"dtype": dtypes.string, "value": np.array([], object)}
        made.append(names)
        sparse_keys, dense_keys = attr["sparse_keys"], attr["dense_keys"]
        given = [given[0], names.name, *given[1:]]
    elif node.op == "ParseExample":
        sparse, dense = attr["Nsparse"], attr["Ndense"]
        sparse_keys = [constant(each).item() for each in given[2 : 2 + sparse]]
        dense_keys = [constant(each).item() for each in given[2 + sparse : 2 + sparse + dense]]
        del given[2 : 2 + sparse + dense]
    else:
        sparse_keys, dense_keys, ragged = (constant(each).tolist() for each in given[2:5])
        if ragged:
            raise ValueError(f"Node '{node.name}' ({node.op}) parses the ragged feature {ragged}.")
        del given[2:5]
    fixed = []
    for key, dtype, shape in zip(dense_keys, attr["Tdense"], attr["dense_shapes"], strict=True):
        sizes = as_shape(shape).as_list()
        rows = bool(sizes) and sizes[0] is None
        fixed.append((_text(key), dtype, tuple(sizes[rows:]), rows))
    types, count = attr["sparse_types"], len(sparse_keys)
    controls = node.control_inputs
    parser = NodeDef(node.name, "ParseExampleV2", [*given, *controls], node.device)
    parser.attrs = {
        "sparse": tuple(zip(map(_text, sparse_keys), types, strict=True)),
        "dense": tuple(fixed),
        "output_types": (*[dtypes.int64] * count, *types, *[dtypes.int64] * count, *attr["Tdense"]),
    }
    return [*made, parser]


def _text(key: Any) -> str:
    return key.decode() if isinstance(key, bytes) else str(key)


def their_parser(node: NodeDef) -> tuple[list[list[bytes]], dict[str, Any]]:
    """The keys that TensorFlow's operation takes (sparse, dense, ragged), and its attributes."""
    sparse, dense = node.attrs["sparse"], node.attrs["dense"]
    keys = [[key.encode() for key, *_ in each] for each in (sparse, dense, ())]
    shapes = (TensorShape([*[None] * rows, *shape]) for _, _, shape, rows in dense)
    return keys, {
        "Tdense": tuple(dtype for _, dtype, *_ in dense),
        "dense_shapes": tuple(shapes),
        "num_sparse": len(sparse),
        "sparse_types": tuple(dtype for _, dtype in sparse),
        "ragged_value_types": (),
        "ragged_split_types": (),
    }
