"""CUDA GPUs through CuPy: devices, programs, captured graphs, and generated kernels.

Importing it registers the devices (`gpu_programs`) and the kernels' faster ways.
"""

from minitf.fast.cuda import gpu_programs, kernels_on_gpu

__all__ = ["gpu_programs", "kernels_on_gpu"]
