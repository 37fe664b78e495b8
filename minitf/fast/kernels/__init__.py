"""References of kernels that only the passes of minitf/fast ask for."""
