"""CUDA GPUs through CuPy: devices, programs, captured graphs, and generated kernels.

Importing it registers the devices (`gpu_programs`) and the kernels' faster ways.
"""

from minitf.fast.cuda import gpu_programs, lstm_on_gpu, program_on_gpu, top_k_on_gpu

__all__ = ["gpu_programs", "lstm_on_gpu", "program_on_gpu", "top_k_on_gpu"]
