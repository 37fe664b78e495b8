"""The second tier of the table: NumPy's own functions, in an order that suits caches and threads.

elementwise   programs over blocks that stay in the second-level cache
softmax       narrow rows as columns, large arrays a few rows at a time
reductions    short axes made long, sums by BLAS
depthwise     long loops over rows of images
products      a large product, split over threads
rows          scattered rows sorted, chosen rows moved as a whole
"""

from minitf.fast.blocks import depthwise, elementwise, products, reductions, rows, softmax

__all__ = ["depthwise", "elementwise", "products", "reductions", "rows", "softmax"]
