"""The passes that make workloads faster: cells, pooled convolutions, products that update."""

from functools import partial

from minitf.core.graph.op_def import add_source
from minitf.core.runtime.passes import LatePass, Pass, register
from minitf.core.runtime.passes.fuse_elementwise import fuse_elementwise
from minitf.core.runtime.passes.simplify import simplify
from minitf.fast.passes.constants_by_columns import constants_by_columns
from minitf.fast.passes.running_sums import running_sums
from minitf.fast.passes.split_products import split_products
from minitf.fast.passes.update_early import update_early
from minitf.fast.passes.update_into_product import update_into_product

_cell = LatePass("minitf.fast.passes.lstm_cell", ("Split", "TanhGrad"))
_pools = [
    LatePass(f"minitf.fast.passes.{n}", ("MaxPool",)) for n in ("pool_first", "pool_with_conv")
]
for _each in (_cell, *_pools):  # they declare ops
    add_source(partial(getattr, _each, "rewrite"))

for _first in (_cell, split_products, running_sums):
    register(_first, before=simplify)
_others: list[Pass] = [*_pools, update_early, update_into_product]
for _other in _others:
    register(_other, before=fuse_elementwise)
register(constants_by_columns)
