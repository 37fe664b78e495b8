"""The passes that make workloads faster: cells, pooled convolutions, products that update.

Each is imported when a plan first has a node of one of the types that it looks for.
"""

from functools import partial

from minitf.core.graph.op_def import add_source
from minitf.core.runtime.passes import LatePass, register
from minitf.core.runtime.passes.fuse_elementwise import fuse_elementwise
from minitf.core.runtime.passes.simplify import simplify

for _name, _types, _before in (
    ("lstm_cell", ("Split", "TanhGrad"), simplify),
    ("split_products", ("Split", "SplitV"), simplify),
    ("running_sums", ("AddN",), simplify),
    ("pool_first", ("MaxPool",), fuse_elementwise),
    ("pool_with_conv", ("MaxPool",), fuse_elementwise),
    ("update_early", ("VariableV2",), fuse_elementwise),
    ("update_into_product", ("ApplyGradientDescent",), fuse_elementwise),
    ("constants_by_columns", ("MatMul",), None),
):
    _late = LatePass(f"minitf.fast.passes.{_name}", _types)
    add_source(partial(getattr, _late, "rewrite"))  # most declare operations
    register(_late, _before)
