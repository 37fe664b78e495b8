"""The passes that make workloads faster: cells, pooled convolutions, products that update."""

from minitf.core.runtime.passes import register
from minitf.core.runtime.passes.fuse_elementwise import fuse_elementwise
from minitf.core.runtime.passes.simplify import simplify
from minitf.fast.passes.constants_by_columns import constants_by_columns
from minitf.fast.passes.lstm_cell import lstm_cell
from minitf.fast.passes.pool_first import pool_first
from minitf.fast.passes.pool_with_conv import pool_with_conv
from minitf.fast.passes.running_sums import running_sums
from minitf.fast.passes.split_products import split_products
from minitf.fast.passes.update_early import update_early
from minitf.fast.passes.update_into_product import update_into_product

for _each in (lstm_cell, split_products, running_sums):
    register(_each, before=simplify)
for _each in (pool_first, pool_with_conv, update_early, update_into_product):
    register(_each, before=fuse_elementwise)
register(constants_by_columns)
