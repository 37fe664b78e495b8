"""References of kernels that only the passes of this wing ask for."""
