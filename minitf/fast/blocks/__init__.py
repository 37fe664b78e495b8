"""The second tier of the table: NumPy's own functions, in an order that suits caches and threads.

elementwise   programs over blocks that stay in the second-level cache
softmax       narrow rows as columns, large arrays a few rows at a time
reductions    short axes made long, sums by BLAS
products      a large product, split over threads
rows          scattered rows sorted, chosen rows moved as a whole
"""

from minitf.fast.blocks import elementwise, products, reductions, rows, softmax

__all__ = ["elementwise", "products", "reductions", "rows", "softmax"]
