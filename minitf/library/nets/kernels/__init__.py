"""The kernels of convolution, pooling and normalization: references in NumPy."""
